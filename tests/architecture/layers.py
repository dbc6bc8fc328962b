"""The layers of the house and what each may import: one table, read from below to above.

A layer may always import itself and the standard library without its devices. What it may import beside that
stands in its row, so an arrow back is a line that is missing. Rows of a folder inside a layer come first.
"""

from dataclasses import dataclass

DEVICES = (
    *("grpc", "google.protobuf", "asyncio", "aiohttp", "pydantic", "pydantic_core", "sqlite3", "sqlalchemy"),
    *("subprocess", "socket", "threading", "multiprocessing", "time"),
)
"""What the core leaves to others: wires, clocks, databases, processes. A layer that may use one says so."""

FAMILIES = ("policies.maui", "policies.slurm")
"""Layers of one policy: a row that has ``policies`` has not these; it names them, or asks the site port."""

KINDLESS = ("sim", "cycle")
"""Layers that run jobs of any kind and name none: they ask ``CALL`` how long a placed job takes."""
CALL = "applications.placed"
SPOKEN = ("divid", "divis", "communicat", "chunk")
"""Words by which a kind is named beside those of ``JobKind`` and the files of ``applications``."""

_MODEL = ("model",)
_APPLICATIONS = (*_MODEL, "applications")
_TABLES = (*_APPLICATIONS, "compiled", "tables")
_AVAILABILITY = (*_TABLES, "availability")
_CYCLE = (*_AVAILABILITY, "cycle")
_MATRIX = (*_CYCLE, "matrix")
_POLICIES = (*_MATRIX, "shared", "policy", "policies")
_SIM = (*_POLICIES, "workloads", "sim")


@dataclass(frozen=True)
class Layer:
    """One package below ``molokini`` and what it may import."""

    name: str
    layers: tuple[str, ...] = ()
    """Packages below ``molokini``."""
    libraries: tuple[str, ...] = ()
    """Of others, and those devices that are its business."""

    @property
    def family(self) -> str | None:
        """The policy of which this is a layer, if it is one of a policy's."""
        return next((name for name in FAMILIES if self.name.startswith(f"{name}.")), None)


CORE = (
    Layer("model"),
    Layer("compiled", libraries=("numpy", "numba", "llvmlite")),
    Layer("applications", _MODEL),
    Layer("tables", _TABLES, ("numpy",)),
    Layer("availability", _AVAILABILITY, ("numpy",)),
    Layer("cycle", _CYCLE, ("numba",)),
    Layer("matrix", _MATRIX),
    Layer("shared", (*_MATRIX, "shared")),
    # The face for authors of policies: names from below, nothing of its own.
    Layer("policy", (*_CYCLE, "shared")),
    Layer("policies", _POLICIES, ("numpy",)),
    Layer("accounting", _MODEL),
    Layer("workloads", (*_APPLICATIONS, "accounting", "workloads"), ("numpy", "pyarrow", "scipy")),
    # Closed forms: they know distributions and no engine.
    Layer("queueing", ("model", "workloads", "queueing"), ("numpy", "scipy")),
    # Programs and their memory, without jobs' tables.
    Layer("memory", ("model", "compiled", "memory"), ("numpy", "numba")),
    Layer("sim", _SIM, ("numpy",)),
    # It runs policies ahead in the engine; the policy ``adaptive`` finds it by its name.
    Layer("choosing", (*_SIM, "choosing"), ("numpy",)),
    # Beside the job-level engine: nothing of its tables.
    # Rules of rates: what engine, server and slicers share.
    Layer("feedback", (*_MODEL, "compiled", "feedback")),
    Layer("process_sim", (*_MODEL, "compiled", "feedback", "process_sim"), ("numpy", "numba", "pyarrow")),
    Layer("metrics", (*_SIM, "metrics"), ("numpy", "scipy")),
    Layer("whatif", (*_SIM, "metrics", "whatif"), ("numpy",)),
    Layer("plots", (*_SIM, "metrics", "queueing", "memory", "whatif", "plots"), ("numpy", "matplotlib")),
    Layer("reports", (*_CYCLE, "shared", "workloads", "sim", "reports"), ("numpy",)),
)
"""From below to above: a pass is compiled -> tables -> availability -> cycle -> shared -> policies."""

_MAUI = "policies.maui"
_KNOWN = (*_CYCLE, "shared", f"{_MAUI}.configuration", f"{_MAUI}.knowledge")
_SELECTED = (*_KNOWN, f"{_MAUI}.nodes", f"{_MAUI}.selection")

MAUI = (
    Layer(f"{_MAUI}.configuration", _KNOWN[:-1], ("numpy",)),
    Layer(f"{_MAUI}.knowledge", _KNOWN),
    Layer(f"{_MAUI}.nodes", _SELECTED[:-1]),
    Layer(f"{_MAUI}.selection", _SELECTED),
    Layer(f"{_MAUI}.starting", (*_SELECTED, f"{_MAUI}.starting")),
    Layer(f"{_MAUI}.waking", (*_SELECTED, f"{_MAUI}.starting"), ("numpy",)),
    Layer(f"{_MAUI}.introspection", _SELECTED, ("numpy",)),
)
"""The layers of the policy ``maui``, from below to above; the loose files put them together."""

_SLURM = "policies.slurm"
_SLURM_ROOMS = (
    *("configuration", "knowledge", "nodes", "counting", "ranking", "limits", "planning"),
    "introspection",
)

SLURM = tuple(
    Layer(
        f"{_SLURM}.{room}",
        (*_CYCLE, "shared", *(f"{_SLURM}.{below}" for below in _SLURM_ROOMS[: place + 1])),
        ("numpy",) if room == "configuration" else (),
    )
    for place, room in enumerate(_SLURM_ROOMS)
)
"""The layers of the policy ``slurm``, from below to above; the loose files put them together."""

_ALL_OF_CORE = tuple(layer.name for layer in CORE)

OTHERS = (
    Layer("maui", ("model", "availability.node_rules", "policies.maui"), ("pydantic", "pydantic_core")),
    # Copied to login nodes alone, where Python may be old: the standard library and nothing else.
    Layer("slurm.collecting", (), ("subprocess", "time")),
    Layer("slurm", ("model", "policies.slurm", "slurm")),
    Layer(
        "parallel",
        ("model", "cycle.ports"),
        (
            *("multiprocessing", "threading", "time", "rich"),
            *("cloudpickle", "dask", "dask_jobqueue", "distributed"),
        ),
    ),
    Layer(
        "experiments",
        (*_ALL_OF_CORE, "parallel", "page"),
        ("numpy", "matplotlib", "pandas", "pyarrow", "time"),
    ),
    Layer("studies", (*_ALL_OF_CORE, "parallel"), ("numpy",)),
    # Files for browsers, and what wraps them up: the server and the commands hand them out.
    Layer("page", ("model",), ("numpy",)),
    Layer(
        "agents.grpc_link",
        (*_APPLICATIONS, "agents", "proto"),
        ("grpc", "google.protobuf", "asyncio", "time"),
    ),
    Layer("agents", (*_APPLICATIONS, "proto"), ("asyncio", "socket")),
    # In an interpreter of their own, which loads nothing else.
    Layer("supervisor", libraries=("time",)),
    Layer("slicing", ("supervisor", "feedback.edf"), ("time",)),
    Layer(
        "processes",
        ("model", "feedback.admission", "feedback.edf", "agents", "supervisor", "proto"),
        ("asyncio", "socket", "time"),
    ),
)
"""The roots beside the core whose imports are few; server, clients and app have rules of their own."""

_STATE = (*_CYCLE, "feedback", "policies", "reports.wording", "server.journal.port")
_TURN = (*_STATE, "reports", "server.policies", "server.state", "server.audit", "server.crash")
_PERSISTENCE = (*_MODEL, "server.crash", "server.journal.port", "server.state", "server.turn")
_ACCOUNTING = (
    *(*_MODEL, "accounting", "server.crash", "server.readers"),
    *("server.journal.port", "server.journal.syncing"),
    *("server.persistence.history", "server.state"),
)
_LINK = (
    *_MODEL,
    "feedback",
    "proto",
    "server.caller_errors",
    "server.translate",
    "server.state",
    "server.turn",
)
_QUERIES = (*_POLICIES, "workloads", "sim", "whatif", "reports", "proto", "server")

_SECURITY = (*_MODEL, "cycle.calling", "proto", "server")
_SERVICES = (*_MODEL, "feedback", "compiled.structs", "applications", "reports", "proto", "server")

_WIKI = (
    *(*_MODEL, "server.caller_errors", "server.config.addresses", "server.config.wiki", "server.cooperative"),
    *("server.security.permissions", "server.security.roles", "server.server", "server.state", "server.turn"),
)

_LOOP = ("numpy", "asyncio", "threading")

SERVER = (
    Layer("server.config", _MODEL, ("pydantic", "pydantic_core")),
    Layer("server.journal", (*_MODEL, "server.crash"), ("sqlite3", "asyncpg", "asyncio", "socket", "time")),
    Layer("server.state", _STATE, ("numpy",)),
    Layer("server.turn", (*_TURN, "server.journal.port"), _LOOP),
    Layer("server.persistence", _PERSISTENCE, ("asyncio", "time")),
    Layer("server.accounting", _ACCOUNTING, ("asyncio",)),
    Layer("server.link", _LINK, ("asyncio", "time")),
    Layer(
        "server.time", (*_MODEL, "server.caller_errors", "server.link", "server.turn"), ("asyncio", "time")
    ),
    # Answers are messages: a shape between would be copied field by field. They alone run the engine ahead.
    Layer("server.queries", _QUERIES, ("asyncio", "numpy", "time")),
    Layer("server.security", _SECURITY, ("grpc", "google.protobuf", "cryptography", "jwt", "time")),
    Layer("server.services", _SERVICES, ("asyncio",)),
    # The one layer that knows HTTP.
    Layer(
        "server.web",
        # Where a job writes is named by patterns, which the supervisor fills.
        (*_SECURITY, "page", "supervisor.patterns"),
        ("aiohttp", "grpc", "google.protobuf", "prometheus_client", "asyncio", "socket", "ssl", "time"),
    ),
    # A conversation in text; what is asked for there goes to the turn as any command does.
    Layer("server.wiki", (*_WIKI, "server.security.private_files", "server.time.clock"), ("asyncio", "time")),
    # In the place of agents: reports in, orders out.
    Layer("server.foreign_rm", (*_WIKI, "server.wiki", "server.time"), ("asyncio", "time")),
    # Loose files: what is said of all, what a policy is called, and the server that is put together.
    Layer(
        "server", (*_SERVICES, "compiled.watching", "server", "policies"), ("asyncio", "threading", "time")
    ),
)
"""The layers of the server."""

_RUNS = (*_ALL_OF_CORE, "parallel", "experiments")
_LIVE = ("google.protobuf", "asyncio")
_COMMANDS = (*_LIVE, "typer", "rich", "threading", "time", "numba")

CLIENTS = (
    Layer(
        "client",
        ("model", "proto"),
        ("grpc", "google.protobuf", "cryptography", "asyncio", "socket", "threading", "time"),
    ),
    Layer("clients.show", (*_RUNS, "clients", "compat.maui", "compat.tool"), ("rich",)),
    Layer("clients.maui", ("model", "workloads", "maui", "proto", "client", "clients")),
    Layer("clients.slurm", ("model", "workloads", "slurm", "clients")),
    Layer(
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
    Layer(
        "testing",
        ("app", "clients", "compiled.compilation", "compat", "model", "processes", "proto", "server"),
        ("google.protobuf", "asyncio", "pytest", "subprocess", "threading"),
    ),
    # Quick to start: the standard library alone, and little of it.
    Layer(
        "compat",
        ("client.calls", "client.errors", "client.plain_calls", "model.errors"),
        ("socket", "time"),
    ),
    Layer("clients", (*_RUNS, "studies", "client", "compat.streams", "compat.tool", "proto"), _COMMANDS),
    Layer(
        "app",
        (*_RUNS, "client", "clients", "server", "agents", "supervisor", "processes", "proto"),
        ("grpc", "grpc_health", "grpc_reflection", "google.protobuf", "numpy", "asyncio", "time"),
    ),
)
"""The Python client, the commands, and what puts all together."""

LAYERS = {layer.name: layer for layer in (*CORE, *MAUI, *SLURM, *OTHERS, *SERVER, *CLIENTS)}
