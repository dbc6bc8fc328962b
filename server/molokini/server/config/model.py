"""The whole configuration as one frozen value, and what its tables must agree on."""

from typing import Any, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from molokini.server.config.addresses import is_loopback, port_of
from molokini.server.config.cluster import Nodes, Queue
from molokini.server.config.fields import Section
from molokini.server.config.guards import Limits, Security
from molokini.server.config.models import Communication, Divisible
from molokini.server.config.names import expanded
from molokini.server.config.places import Place
from molokini.server.config.sections import (
    LISTEN,
    Accounting,
    Agents,
    Clock,
    History,
    Log,
    Policy,
    Server,
    Stop,
    Web,
)
from molokini.server.config.wiki import Manager, Wiki

DISAGREEMENT = "disagreement"
"""The type of the validation error that names its own key, value and range."""


def _default_queue() -> tuple[Queue, ...]:
    return (Queue(name="default"),)


def _table(section: type[Section]) -> Any:
    return Field(default_factory=section, description=(section.__doc__ or "").strip())


class Config(Section):
    """The whole configuration of a server."""

    server: Server = _table(Server)
    web: Web = _table(Web)
    clock: Clock = _table(Clock)
    policy: Policy = _table(Policy)
    nodes: tuple[Nodes, ...] = Field(default=(), description=(Nodes.__doc__ or "").strip())
    queues: tuple[Queue, ...] = Field(
        default_factory=_default_queue, min_length=1, description=(Queue.__doc__ or "").strip()
    )
    divisible: Divisible = _table(Divisible)
    communication: Communication = _table(Communication)
    limits: Limits = _table(Limits)
    security: Security = _table(Security)
    agents: Agents = _table(Agents)
    history: History = _table(History)
    accounting: Accounting = _table(Accounting)
    wiki: Wiki = _table(Wiki)
    manager: Manager = _table(Manager)
    stop: Stop = _table(Stop)
    log: Log = _table(Log)

    @model_validator(mode="after")
    def _agreed(self) -> Self:
        for check in _CHECKS:
            check(self)
        return self


def _refuse(place: Place, value: object, allowed: str) -> None:
    raise PydanticCustomError(
        DISAGREEMENT, "tables disagree", {"place": place, "value": value, "allowed": allowed}
    )


def _address(config: Config) -> None:
    mode = config.security.mode
    for table, listen in (("server", config.server.listen), ("web", config.web.listen)):
        if table == "web" and not listen:
            continue
        if not 0 <= port_of(listen) <= 65535:
            _refuse((table, "listen"), listen, LISTEN)
        if mode in ("token", "open") and not is_loopback(listen):
            _refuse(
                (table, "listen"),
                listen,
                f"a loopback address while security.mode is {mode!r}; tls and mtls take others",
            )


def _certificates(config: Config) -> None:
    security = config.security
    needed = {"tls": ("certificate", "key"), "mtls": ("certificate", "key", "ca")}
    for name in needed.get(security.mode, ()):
        if getattr(security, name) is None:
            _refuse(("security", name), None, f"given where security.mode is {security.mode!r}")


def _lease(config: Config) -> None:
    agents = config.agents
    if agents.lease_s < 2 * agents.heartbeat_s:
        _refuse(
            ("agents", "lease_s"),
            agents.lease_s,
            f"at least twice agents.heartbeat_s ({agents.heartbeat_s:g})",
        )


def _unique_nodes(config: Config) -> None:
    seen: set[str] = set()
    for number, nodes in enumerate(config.nodes):
        names = expanded(nodes.names)
        if len(set(names)) < len(names) or not seen.isdisjoint(names):
            _refuse(("nodes", number, "names"), nodes.names, "names that no other node has")
        seen.update(names)


def _unique_queues(config: Config) -> None:
    seen: set[str] = set()
    for number, queue in enumerate(config.queues):
        if queue.name in seen:
            _refuse(("queues", number, "name"), queue.name, "a name that no other queue has")
        seen.add(queue.name)


def _rate(config: Config) -> None:
    if config.clock.kind != "scaled" and config.clock.rate != 1.0:
        _refuse(("clock", "rate"), config.clock.rate, f"left out where clock.kind is {config.clock.kind!r}")


def _serials(config: Config) -> None:
    for serial in config.security.revoked:
        try:
            int(serial, 16)
        except ValueError:
            _refuse(("security", "revoked"), serial, "a hexadecimal number, as text")


def _messages(config: Config) -> None:
    inside_s, between_s = config.communication.inside_s, config.communication.between_s
    if inside_s is not None and between_s is not None and between_s < inside_s:
        _refuse(("communication", "between_s"), between_s, f"at least communication.inside_s ({inside_s:g})")


def _wiki(config: Config) -> None:
    wiki, manager = config.wiki, config.manager
    for table, address in (("wiki", wiki.listen), ("wiki", wiki.events), ("manager", manager.address)):
        if address and not 0 <= port_of(address) <= 65535:
            key = {wiki.listen: "listen", wiki.events: "events"}.get(address, "address")
            _refuse((table, key), address, LISTEN)
    if wiki.listen and not is_loopback(wiki.listen) and wiki.algorithm not in ("HMAC", "HMAC64"):
        _refuse(
            ("wiki", "listen"), wiki.listen, "a loopback address; the algorithms HMAC and HMAC64 take others"
        )
    if wiki.listen and wiki.algorithm == "NONE" and config.security.mode != "open":
        _refuse(("wiki", "algorithm"), "NONE", "one with a key, unless security.mode is 'open'")
    for table, on, section in (("wiki", wiki.listen, wiki), ("manager", manager.address, manager)):
        if on and section.key_file is None and section.algorithm != "NONE":
            _refuse((table, "key_file"), None, f"given for the algorithm {section.algorithm}")
    if manager.address and config.nodes:
        _refuse(
            ("manager", "address"), manager.address, "empty where there are [[nodes]]: its nodes are its own"
        )


_CHECKS = (
    *(_address, _certificates, _lease, _unique_nodes, _unique_queues, _rate, _serials),
    *(_messages, _wiki),
)
