"""The rooms of the house and what each may import: one table, read from below to above.

A room may always import itself and the standard library without its devices. What it may import beside that
stands in its row, so an arrow back is a line that is missing. Rows of a folder inside a room come first.
"""

from dataclasses import dataclass

DEVICES = (
    *("grpc", "google.protobuf", "asyncio", "aiohttp", "pydantic", "pydantic_core", "sqlite3", "sqlalchemy"),
    *("subprocess", "socket", "threading", "multiprocessing", "time"),
)
"""What the core leaves to others: wires, clocks, databases, processes. A room that may use one says so."""

FAMILIES = ("policies.maui",)
"""Rooms of one policy: a row that has ``policies`` has not these; it names them, or asks the site port."""

KINDLESS = ("sim", "cycle")
"""Rooms that run jobs of any kind and name none: they ask ``CALL`` how long a placed job takes."""
CALL = "applications.placed"
SPOKEN = ("divid", "divis", "communicat", "chunk")
"""Words by which a kind is named beside those of ``JobKind`` and the files of ``applications``."""

_MODEL = ("model",)
_APPLICATIONS = (*_MODEL, "applications")
_TABLES = (*_APPLICATIONS, "compiled", "tables")
_ROOM = (*_TABLES, "availability")
_CYCLE = (*_ROOM, "cycle")
_MATRIX = (*_CYCLE, "matrix")
_POLICIES = (*_MATRIX, "shared", "policy", "policies")
_SIM = (*_POLICIES, "workloads", "sim")


@dataclass(frozen=True)
class Room:
    """One package below ``molokini`` and what it may import."""

    name: str
    rooms: tuple[str, ...] = ()
    """Packages below ``molokini``."""
    libraries: tuple[str, ...] = ()
    """Of others, and those devices that are its business."""

    @property
    def family(self) -> str | None:
        """The policy of which this is a room, if it is one of a policy's."""
        return next((name for name in FAMILIES if self.name.startswith(f"{name}.")), None)


CORE = (
    Room("model"),
    Room("compiled", libraries=("numpy", "numba", "llvmlite")),
    Room("applications", _MODEL),
    Room("tables", _TABLES, ("numpy",)),
    Room("availability", _ROOM, ("numpy",)),
    Room("cycle", _CYCLE, ("numba",)),
    Room("matrix", _MATRIX),
    Room("shared", (*_MATRIX, "shared")),
    # The face for authors of policies: names from below, nothing of its own.
    Room("policy", (*_CYCLE, "shared")),
    Room("policies", _POLICIES, ("numpy",)),
    Room("accounting", _MODEL),
    Room("workloads", (*_APPLICATIONS, "accounting", "workloads"), ("numpy", "pyarrow", "scipy")),
    Room("sim", _SIM, ("numpy",)),
    # Beside the job-level engine: nothing of its tables.
    Room("process_sim", (*_MODEL, "compiled", "process_sim"), ("numpy", "numba", "pyarrow")),
    Room("metrics", (*_SIM, "metrics"), ("numpy", "scipy")),
    Room("plots", (*_SIM, "metrics", "plots"), ("numpy", "matplotlib")),
    Room("reports", (*_CYCLE, "shared", "workloads", "sim", "reports"), ("numpy",)),
)
"""From below to above: a pass is compiled -> tables -> availability -> cycle -> shared -> policies."""

_MAUI = "policies.maui"
_KNOWN = (*_CYCLE, "shared", f"{_MAUI}.configuration", f"{_MAUI}.knowledge")
_SELECTED = (*_KNOWN, f"{_MAUI}.nodes", f"{_MAUI}.selection")

MAUI = (
    Room(f"{_MAUI}.configuration", _KNOWN[:-1], ("numpy",)),
    Room(f"{_MAUI}.knowledge", _KNOWN),
    Room(f"{_MAUI}.nodes", _SELECTED[:-1]),
    Room(f"{_MAUI}.selection", _SELECTED),
    Room(f"{_MAUI}.starting", (*_SELECTED, f"{_MAUI}.starting")),
    Room(f"{_MAUI}.waking", (*_SELECTED, f"{_MAUI}.starting"), ("numpy",)),
    Room(f"{_MAUI}.insight", _SELECTED, ("numpy",)),
)
"""The rooms of the policy ``maui``, from below to above; the loose files put them together."""

_ALL_OF_CORE = tuple(room.name for room in CORE)

OTHERS = (
    Room("maui", ("model", "availability.node_rules", "policies.maui"), ("pydantic", "pydantic_core")),
    Room("parallel", ("model", "cycle.ports"), ("multiprocessing", "threading", "time", "rich")),
    Room(
        "experiments",
        (*_ALL_OF_CORE, "parallel"),
        ("numpy", "matplotlib", "pandas", "time"),
    ),
    Room("studies", (*_ALL_OF_CORE, "parallel"), ("numpy",)),
    Room(
        "agents.grpc_link",
        (*_APPLICATIONS, "agents", "proto"),
        ("grpc", "google.protobuf", "asyncio", "time"),
    ),
    Room("agents", (*_APPLICATIONS, "proto"), ("asyncio", "socket")),
    # In an interpreter of their own, which loads nothing else.
    Room("supervisor", libraries=("time",)),
    Room("slicing", ("supervisor",), ("time",)),
    Room("processes", ("model", "agents", "supervisor", "proto"), ("asyncio", "socket", "time")),
)
"""The roots beside the core whose imports are few; server, clients and app have rules of their own."""

_STATE = (*_CYCLE, "policies", "reports.wording", "server.journal.port")
_TURN = (*_STATE, "reports", "server.policies", "server.state", "server.audit", "server.crash")
_PERSISTENCE = (*_MODEL, "server.crash", "server.journal.port", "server.state", "server.turn")
_ACCOUNTING = (
    *(*_MODEL, "accounting", "server.crash", "server.readers"),
    *("server.journal.port", "server.journal.syncing"),
    *("server.persistence.history", "server.state"),
)
_LINK = (*_MODEL, "proto", "server.caller_errors", "server.translate", "server.state", "server.turn")
_QUERIES = (*_POLICIES, "workloads", "sim", "reports", "proto", "server")

_SECURITY = (*_MODEL, "cycle.calling", "proto", "server")
_SERVICES = (*_MODEL, "compiled.structs", "applications", "reports", "proto", "server")

_LOOP = ("numpy", "asyncio", "threading")

SERVER = (
    Room("server.config", _MODEL, ("pydantic", "pydantic_core")),
    Room("server.journal", (*_MODEL, "server.crash"), ("sqlite3", "asyncpg", "asyncio", "socket", "time")),
    Room("server.state", _STATE, ("numpy",)),
    Room("server.turn", (*_TURN, "server.journal.port"), _LOOP),
    Room("server.persistence", _PERSISTENCE, ("asyncio", "time")),
    Room("server.accounting", _ACCOUNTING, ("asyncio",)),
    Room("server.link", _LINK, ("asyncio", "time")),
    Room("server.time", (*_MODEL, "server.caller_errors", "server.link", "server.turn"), ("asyncio", "time")),
    # Answers are messages: a shape between would be copied field by field. They alone run the engine ahead.
    Room("server.queries", _QUERIES, ("numpy", "asyncio", "threading", "time")),
    Room("server.security", _SECURITY, ("grpc", "google.protobuf", "cryptography", "jwt", "time")),
    Room("server.services", _SERVICES, ("asyncio",)),
    # The one room that knows HTTP.
    Room("server.web", _SECURITY, ("aiohttp", "grpc", "google.protobuf", "asyncio", "socket", "ssl")),
    # Loose files: what is said of all, what a policy is called, and the server that is put together.
    Room("server", (*_SERVICES, "compiled.watching", "server", "policies"), ("asyncio", "time")),
)
"""The rooms of the server."""

_RUNS = (*_ALL_OF_CORE, "parallel", "experiments")
_LIVE = ("google.protobuf", "asyncio")
_COMMANDS = (*_LIVE, "typer", "rich", "threading", "time", "numba")

CLIENTS = (
    Room(
        "client",
        ("model", "proto"),
        ("grpc", "google.protobuf", "cryptography", "asyncio", "socket", "threading", "time"),
    ),
    Room("clients.show", (*_RUNS, "clients"), ("rich",)),
    Room("clients.maui", ("model", "workloads", "maui", "proto", "client", "clients")),
    Room(
        "clients.live",
        (
            *(
                "accounting",
                "model",
                "supervisor.patterns",
                "parallel.progress",
                "proto",
                "client",
                "clients",
            ),
            *("compat.table", "compat.tool"),
        ),
        _LIVE,
    ),
    # A cluster in the process of a test.
    Room(
        "testing",
        ("app", "clients", "compiled.compilation", "compat", "model", "processes", "proto", "server"),
        ("google.protobuf", "asyncio", "pytest", "subprocess", "threading"),
    ),
    # Quick to start: the standard library alone, and little of it.
    Room(
        "compat",
        ("client.calls", "client.errors", "client.plain_calls", "model.errors"),
        ("socket", "time"),
    ),
    Room("clients", (*_RUNS, "studies", "client", "compat.streams", "compat.tool", "proto"), _COMMANDS),
    Room(
        "app",
        (*_RUNS, "client", "clients", "server", "agents", "supervisor", "processes", "proto"),
        ("grpc", "grpc_health", "grpc_reflection", "google.protobuf", "numpy", "asyncio", "time"),
    ),
)
"""The Python client, the commands, and what puts all together."""

ROOMS = {room.name: room for room in (*CORE, *MAUI, *OTHERS, *SERVER, *CLIENTS)}
