"""A live server as a process: configuration, journal, security, services, and a stop that is bounded."""

import asyncio
import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import ServiceDescriptor
from grpc import aio
from grpc_health.v1 import health, health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2

from molokini.agents.agent import EmulatedAgent
from molokini.agents.session import Agent, PutOff, RegistrationRefused
from molokini.app.memory_link import join
from molokini.app.starting import Starting
from molokini.model.errors import Conflict
from molokini.model.instants import instant
from molokini.model.names import expand
from molokini.model.site import CONFIGURABLE, CONFIGURATION, DESCRIBED, DESCRIPTION
from molokini.proto.v1 import agent_service_pb2, cluster_service_pb2, job_service_pb2, token_service_pb2
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.accounting.books import Books
from molokini.server.config import Config
from molokini.server.descriptors import watch_descriptors
from molokini.server.journal.opening import open_journal
from molokini.server.policies import check_parameters, configurable, configuration_of, policy_called
from molokini.server.readers import Readers
from molokini.server.security.decoding import OF_USERS, add_services
from molokini.server.security.serving import Security, server_security
from molokini.server.server import Server, Settings
from molokini.server.services.agents import AgentService
from molokini.server.services.cluster_service import ClusterService
from molokini.server.services.events import event_of
from molokini.server.services.job_service import JobService
from molokini.server.services.token_service import TokenService
from molokini.server.state.loads import COSTS
from molokini.server.state.queues import Queue
from molokini.server.time.clock import ClockKind
from molokini.server.turn.bounding import GiveUp, PassBound
from molokini.server.turn.checks import Limits

if TYPE_CHECKING:
    from molokini.server.foreign_rm.bridge import Bridge
    from molokini.server.web.gateway import Gateway
    from molokini.server.wiki.port import WikiPort

log = logging.getLogger("molokini.app")

ENDPOINT = "endpoint"
WEB_ENDPOINT = "web-endpoint"
"""Of the gateway over HTTP, where there is one."""
WIKI_ENDPOINT = "wiki-endpoint"
"""Of the port for an outside scheduler, where there is one."""
SOCKET = "socket"
ENDLESS = "endless-policy"
"""In the folder of the state: which policy did not return, for the next start."""
LOCAL_AGENT = "emulated"
DEFAULT_ESTIMATE_S = 3600.0
"""Of jobs that do not say, in queues that do not say."""


class LiveServer:
    """Everything that ``molokini serve`` and ``molokini up`` run."""

    def __init__(self, config: Config, folder: Path, core: Server, security: Security) -> None:
        self.config, self.folder, self.core, self.security = config, folder, core, security
        self.server: aio.Server = security.new_server()
        self.port = 0
        self.opened = False
        """Whether callers are served."""
        self.starting = Starting(folder)
        self.gateway: Gateway | None = None
        self.wiki: WikiPort | None = None
        self.bridge: Bridge | None = None
        self.around: Callable[[object], object] = lambda servicer: servicer
        """What is put around the servicers of users before they serve."""
        self._agent: asyncio.Task[None] | None = None
        self._running: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._told = asyncio.Event()

    @staticmethod
    async def open(config: Config) -> "LiveServer":
        """Recover the state that *config* names and get ready to serve."""
        starting = Starting(state_folder(config))
        starting.tell()
        try:
            return await LiveServer._opened(config, starting)
        except BaseException:
            starting.over()
            raise

    @staticmethod
    async def started(config: Config) -> "LiveServer":
        """A server on the state that *config* names, which serves already; the process is its own."""
        live = await LiveServer.open(config)
        # What was recovered stays: the collector of this process need not look at it again and again.
        gc.freeze()
        gc.set_threshold(100_000, 50, 100)
        try:
            await live.start()
        except BaseException:
            await live.stop()
            raise
        return live

    @staticmethod
    async def _opened(config: Config, starting: Starting) -> "LiveServer":
        # A policy or a parameter that there is not leaves no trace. Nothing is compiled before the journal is
        # open: where there is none, that is said at once.
        settings = settings_of(config)
        journal = await open_journal(config.server.journal, config.server.new)
        folder = state_folder(config)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        starting.tell()
        endless = folder / ENDLESS
        core = await Server.open(journal, settings, _said_in(endless))
        endless.unlink(missing_ok=True)
        core.reactor.bound = core.reactor.running_policy.bound = PassBound(
            config.policy.longest_pass_s, _end_of(endless)
        )
        made = LiveServer(config, folder, core, server_security(config, folder))
        if config.accounting.folder is not None:
            try:
                readers = Readers.of("accounting.group", config.accounting.group)
                books = Books(config.accounting.folder, folder, readers)
                core.keep_accounts(books, config.accounting.format)
            except BaseException:
                await journal.close()
                raise
        made.starting = starting
        return made

    async def start(self) -> int:
        """Listen, begin to take turns, and return the port when the policy is compiled.

        The server answers agents before that: a compilation may take longer than their leases. It refuses
        calls of users, with the sentence of a server that is starting.
        """
        jobs, cluster = JobService(self.core), ClusterService(self.core)
        trusting = self.config.security.mode == "open"
        agents = AgentService(self.core.hub, trusting)
        services: dict[ServiceDescriptor, object] = {
            _described(job_service_pb2, "JobService"): self.around(jobs),
            _described(cluster_service_pb2, "ClusterService"): self.around(cluster),
            _described(agent_service_pb2, "AgentService"): agents,
            _described(token_service_pb2, "TokenService"): TokenService(self.core.reactor, self.security),
        }
        names = [service.full_name for service in services]
        checker = health.aio.HealthServicer()
        said = [*names, health.SERVICE_NAME, reflection.SERVICE_NAME]
        services[_described(health_pb2, "Health")] = checker
        services[_described(reflection_pb2, "ServerReflection")] = reflection.aio.ReflectionServicer(said)
        add_services(self.server, services, lambda: self.opened)
        self.port = self.security.bind(self.server)
        await self.server.start()
        self.gateway = await self._gateway(services)
        self.wiki = await self._wiki_port()
        if self.core.clock.kind is ClockKind.REAL:
            self._running = self.core.start()
        with self.core.compiling.told(f"policy {self.core.reactor.running_policy.policy.declaration.name}"):
            await self.core.reactor.compile_policy()
        self.opened = True
        for name in ("", *names):
            await checker.set(name, health_pb2.HealthCheckResponse.SERVING)
        # A clock that is turned, or jumps, begins only now: no pass may come later than its instant.
        self._running = self._running or self.core.start()
        if self.wiki is not None:
            await self.wiki.pause()
        self.bridge = await self._bridged()
        self._watching = asyncio.create_task(watch_descriptors(), name="file descriptors")
        host = self.config.server.listen.rpartition(":")[0]
        _write(self.folder / ENDPOINT, f"{host}:{self.port}\n")
        if self.gateway.port:
            host = self.config.web.listen.rpartition(":")[0]
            _write(self.folder / WEB_ENDPOINT, f"{host}:{self.gateway.port}\n")
        if self.wiki is not None:
            host = self.config.wiki.listen.rpartition(":")[0]
            _write(self.folder / WIKI_ENDPOINT, f"{host}:{self.wiki.port}\n")
        self.starting.over()
        return self.port

    async def _gateway(self, services: Mapping[ServiceDescriptor, object]) -> "Gateway":
        """The same services for users, as JSON."""
        from molokini.server.web.gateway import Gateway  # takes a while, and the port answers already

        made = Gateway(
            self.security,
            {service: one for service, one in services.items() if service.full_name in OF_USERS},
            self.core,
            event_of,
            lambda: self.opened,
        )
        web = self.config.web
        await made.start((web.socket or self.folder / SOCKET) if web.gateway else None, web.listen)
        return made

    async def _wiki_port(self) -> "WikiPort | None":
        """The port for an outside scheduler, where the configuration has one."""
        wiki = self.config.wiki
        if not wiki.listen:
            return None
        from molokini.server.wiki.port import WikiPort, shared_of  # few have it

        shared = shared_of(wiki.algorithm, wiki.key_file, wiki.skew_s)
        made = WikiPort(self.core, wiki, shared, lambda: self.opened)
        await made.start()
        return made

    async def _bridged(self) -> "Bridge | None":
        """The bridge to another resource manager, at which it has looked, where there is to be one."""
        manager = self.config.manager
        if not manager.address:
            return None
        from molokini.server.foreign_rm.bridge import Bridge
        from molokini.server.wiki.client import WikiClient
        from molokini.server.wiki.port import shared_of

        shared = shared_of(manager.algorithm, manager.key_file, manager.skew_s)
        made = Bridge(self.core, manager, WikiClient(manager.address, shared, manager.user))
        try:
            await made.start()
        except BaseException:
            await made.stop()
            raise
        return made

    def clock_note(self) -> str:
        """What to print where the configuration names no clock, but the state does; else empty."""
        if self.core.settings.clock is not None or self.core.clock.kind is ClockKind.REAL:
            return ""
        clock = self.core.clock
        return f"the clock of this state is {clock.name}, and continues at {instant(clock.now())}"

    def emulate(self, offers: Sequence[NodeOffer]) -> None:
        """Let an agent in this process stand for the nodes of *offers*."""
        follows = self.core.clock.kind is not ClockKind.REAL
        agent = EmulatedAgent(LOCAL_AGENT, offers, follows_clock=follows, monotonic=time.monotonic)
        # What pretended to run ended with the server process that had this state before.
        self.stand(agent, lambda holder: True)

    def stand(self, agent: Agent, follows: Callable[[str], bool]) -> None:
        """Let *agent* be a part of this process.

        *follows* says of the boot id of the one that had the name, in an earlier process of this server,
        whether nothing of it can run beside this agent; else its lease has to run out first.
        """

        async def talk() -> None:
            if follows(self.core.hub.holders.of(agent.name, self.core.state)):
                await self.core.hub.forget(agent.name)
            try:
                while not self.core.reactor.stopping:
                    wait_s = 0.1
                    try:
                        await join(agent, self.core.hub)
                    except RegistrationRefused:
                        # Sent away by an administrator, it comes again: these nodes are the server's own.
                        if not agent.welcomed:
                            raise
                    except PutOff as refusal:
                        wait_s = max(wait_s, refusal.retry_s)
                    await asyncio.sleep(wait_s)
            finally:
                agent.stop()

        self._agent = asyncio.create_task(talk(), name="agent")

    @property
    def emulating(self) -> bool:
        """Whether an agent in this process stands for nodes."""
        return self._agent is not None

    async def ready(self, nodes: int) -> None:
        """Wait until so many nodes have joined."""
        while len(self.core.state.machine.nodes) < nodes:
            if self._agent is not None and self._agent.done():
                self._agent.result()
            await asyncio.sleep(0.002)

    def heed_signals(self) -> None:
        """From now on SIGTERM and SIGINT end ``until_told``: to be called before a ready line."""
        loop = asyncio.get_running_loop()
        for one in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(one, self._told.set)

    async def until_told(self) -> None:
        """Serve until SIGTERM or SIGINT, or until the reactor fails."""
        assert self._running is not None
        waiting = asyncio.create_task(self._told.wait())
        await asyncio.wait([waiting, self._running], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._running.done():
            # What is on disk is the truth: stop at once, and start again from it.
            self._running.result()

    async def stop(self) -> None:
        """Refuse what is new, finish what was taken, and be gone within the bound."""
        bound_s = self.config.stop.bound_s
        if self.bridge is not None:
            await self.bridge.stop()
        self.core.reactor.stopping = True
        if self._watching is not None:
            self._watching.cancel()
        self.starting.over()
        for name in (ENDPOINT, WEB_ENDPOINT, WIKI_ENDPOINT):
            (self.folder / name).unlink(missing_ok=True)
        grace_s = min(1.0, bound_s / 2)
        over_http = [self.gateway.stop(grace_s)] if self.gateway is not None else []
        if self.wiki is not None:
            over_http.append(self.wiki.stop())
        await asyncio.gather(self.server.stop(grace_s), *over_http)
        await self.core.stop(bound_s / 2)
        if self._agent is not None:
            self._agent.cancel()
            await asyncio.gather(self._agent, return_exceptions=True)


def tell_starting() -> None:
    """Say on a terminal that a server starts: compiling and recovering may take many seconds."""
    if sys.stderr.isatty():
        print("molokini is starting; it says when it is ready", file=sys.stderr, flush=True)


def _end_of(endless: Path) -> GiveUp:
    """What ends a process in which a policy does not return, and leaves word of it."""

    def end(origin: str) -> None:
        _write(endless, f"{origin}\n")
        said = f"molokini: policy {origin} does not return; after the next start fcfs decides"
        print(said, file=sys.stderr, flush=True)
        os._exit(1)

    return end


def _said_in(endless: Path) -> str:
    try:
        return endless.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _described(module: Any, name: str) -> ServiceDescriptor:
    found: ServiceDescriptor = module.DESCRIPTOR.services_by_name[name]
    return found


def state_folder(config: Config) -> Path:
    """The folder for keys, tokens and the endpoint: the journal's own, or beside us for a database."""
    return Path("molokini-state" if "://" in config.server.journal else config.server.journal)


def settings_of(config: Config) -> Settings:
    """The settings of the core by *config*."""
    limits, parameters = config.limits, _parameters(config)
    policy = policy_called(config.policy.name, config.policy.folder)
    check_parameters(policy, parameters, 0, 0)
    kind = ClockKind(config.clock.kind) if "kind" in config.clock.model_fields_set else None
    return Settings(
        policy=policy,
        policy_folder=config.policy.folder,
        parameters=parameters,
        clock=kind,
        rate=config.clock.rate if kind is ClockKind.SCALED else 1.0,
        queues=[queue_of(one) for one in config.queues],
        limits=Limits(
            script_bytes=limits.script_bytes,
            environment_bytes=limits.environment_bytes,
            environment_variables=limits.environment_variables,
            array_elements=limits.array_elements,
            dependencies=limits.dependencies,
            jobs_per_user=limits.jobs_per_user or 2**31,
            costs=tuple(getattr(config.divisible, name) for name in COSTS),
            message_inside_s=config.communication.inside_s,
            message_between_s=config.communication.between_s,
        ),
        heartbeat_s=config.agents.heartbeat_s,
        # No agent stands for the nodes of another resource manager, and none can fall silent.
        lease_s=0.0 if config.manager.address else config.agents.lease_s,
        margin_s=config.agents.margin_s,
        jump_after_s=config.clock.jump_after_ms / 1000,
        page_size=limits.page_size,
        privacy=config.security.privacy,
        finished_jobs=config.history.finished_jobs,
        finished_s=config.history.finished_s,
        snapshot_every=config.server.snapshot_every,
        name=config.server.name,
        release=release(),
    )


def _parameters(config: Config) -> dict[str, str]:
    """The policy's, the text of its configuration among them. Raises BadFile."""
    parameters = {name: str(value) for name, value in config.policy.parameters.items()}
    file = config.policy.maui_config
    if file is not None:
        if not configurable(config.policy.name) or config.policy.name == DESCRIBED:
            told = f"policy {config.policy.name} has no such file; {CONFIGURABLE} has one"
            raise Conflict(f"policy.{CONFIGURATION}", told)
        parameters[CONFIGURATION] = configuration_of(config.policy.name, file)
    described = config.policy.slurm_conf
    if described is None and config.policy.slurm_accounts:
        told = f"{config.policy.slurm_accounts[0]} belongs to a configuration: give policy.{DESCRIPTION}"
        raise Conflict("policy.slurm_accounts", told)
    if described is not None:
        if config.policy.name != DESCRIBED:
            told = f"policy {config.policy.name} has no such file; {DESCRIBED} has one"
            raise Conflict(f"policy.{DESCRIPTION}", told)
        beside = [str(described.parent / name) for name in config.policy.slurm_accounts]
        parameters[CONFIGURATION] = configuration_of(config.policy.name, described, beside)
    return parameters


def node_offers(config: Config) -> list[NodeOffer]:
    """The nodes of the configuration."""
    return [
        NodeOffer(
            names=one.names,
            processors=one.processors,
            memory_kb=one.memory_kb,
            generic=one.generic,
            features=one.features,
            cluster=one.cluster,
        )
        for one in config.nodes
    ]


def queue_of(one: object) -> Queue:
    """A queue of the configuration as the state keeps it."""
    stored = one.model_dump()  # type: ignore[attr-defined]
    made = Queue.from_json(stored)
    if not made.default_estimate_s:
        made = replace(made, default_estimate_s=DEFAULT_ESTIMATE_S)
    return replace(made, nodes=tuple(name for pattern in made.nodes for name in expand(pattern)))


def release() -> str:
    """The installed version."""
    try:
        return version("molokini")
    except PackageNotFoundError:
        return "0"


def _write(path: Path, text: str) -> None:
    scratch = path.with_name(f"{path.name}.{os.getpid()}.part")
    with open(Readers().open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8") as file:
        file.write(text)
    scratch.replace(path)
