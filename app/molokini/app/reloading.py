"""SIGHUP: the configuration file is read again, and what may change while a server runs is changed.

What is not right in the file, or cannot be had now, is logged and changes nothing at all. Queues,
policy and nodes change by journalled facts, as if an administrator had changed them.
"""

import asyncio
import logging
import signal
from collections.abc import Callable

from molokini.app.serving import LOCAL_AGENT, LiveServer, node_offers, queue_of, settings_of
from molokini.model.actors import Origin
from molokini.model.errors import BadValue, MolokiniError
from molokini.model.facts import NodesAdded
from molokini.model.names import expand
from molokini.model.site import CONFIGURATION
from molokini.server.config import Config
from molokini.server.config.changes import Changes, changed
from molokini.server.config.cluster import Nodes
from molokini.server.server import Settings
from molokini.server.state.node_names import NodeRecord, NodeStatus
from molokini.server.turn.command import Command
from molokini.server.turn.operating import DrainNodes, RemoveQueue, SetPolicy, SetQueue
from molokini.server.turn.reporting import AddNodes, ReturnNodes
from molokini.server.turn.running_policy import RunningPolicy

log = logging.getLogger("molokini.app")

BY = Origin.CONFIGURATION
GONE = "no longer in the configuration"


def reload_on_hangup(live: LiveServer, load: Callable[[], Config]) -> None:
    """Let SIGHUP make *live* go on by what *load* reads then."""
    reloader = Reloader(live, load)
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reloader.hang_up)


class Reloader:
    """Takes over one configuration after the other; of two at once the second waits."""

    def __init__(self, live: LiveServer, load: Callable[[], Config]) -> None:
        self._live, self._load = live, load
        self._one = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def hang_up(self) -> None:
        """Begin to reload."""
        task = asyncio.create_task(self.reload(), name="reload")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def reload(self) -> None:
        """Read the file and go on by it, or say in the log why not."""
        async with self._one:
            try:
                new = self._load()
                changes = changed(self._live.config, new)
                settings = settings_of(new)
                commands = self._commands(changes, new, settings)
            except MolokiniError as error:
                log.error("configuration not reloaded, nothing has changed: %s", error)
                return
            if changes.restart:
                log.warning("changes that wait for a restart: %s", ", ".join(changes.restart))
            await self._carry_out(commands)
            self._take_over(new, settings, changes)
            told = list(changes.reload)
            if any(isinstance(one, SetPolicy) for one in commands) and "policy.maui_config" not in told:
                told.append("what policy.maui_config says")
            log.info("configuration reloaded; changed: %s", ", ".join(told) or "nothing")

    def _commands(self, changes: Changes, new: Config, settings: Settings) -> list[Command]:
        """What has to go through the reactor; raises for what cannot be, before anything is changed."""
        commands: list[Command] = []
        if "nodes" in changes.reload:
            commands += self._node_commands(new)
        if "queues" in changes.reload:
            commands += self._queue_commands(new, settings)
        wanted = (settings.policy, dict(settings.parameters))
        # The file that configures Maui may say something else although its name has not changed.
        again = CONFIGURATION in settings.parameters and self._live.core.state.policy != wanted
        if again or any(name.startswith("policy.") for name in changes.reload):
            RunningPolicy(settings.policy, settings.parameters)
            commands.append(SetPolicy(settings.policy, dict(settings.parameters), BY))
        return commands

    def _node_commands(self, new: Config) -> list[Command]:
        """Nodes that are gone run out, new ones join; one that is there keeps its size. Raises BadValue."""
        known, wanted = self._live.core.state.machine.by_name, _names(new.nodes)
        before = _names(self._live.config.nodes)
        for one in new.nodes:
            for name in expand(one.names):
                if name in known:
                    _check_size(known[name], one)
        commands: list[Command] = []
        if gone := [name for name in before if name not in wanted and name in known]:
            commands.append(DrainNodes(gone, BY, GONE))
        if back := [name for name in wanted if name in known and _is_gone(known[name])]:
            commands.append(ReturnNodes(back, BY))
        offers = [
            NodesAdded(
                LOCAL_AGENT,
                names,
                one.processors,
                one.memory_kb,
                dict(one.generic),
                one.features,
                one.cluster,
            )
            for one in new.nodes
            if (names := tuple(name for name in expand(one.names) if name not in known))
        ]
        if offers:
            commands.append(AddNodes(offers))
        return commands

    def _queue_commands(self, new: Config, settings: Settings) -> list[Command]:
        state = self._live.core.state
        added = _names(new.nodes)
        commands: list[Command] = []
        for queue in settings.queues:
            queue.check()
            for name in queue.nodes:
                if name not in added:
                    state.machine.node(name)
            if state.queues.get(queue.name) != queue:
                commands.append(SetQueue(queue, BY))
        kept = {queue.name for queue in settings.queues}
        before = {queue_of(one).name for one in self._live.config.queues}
        commands += [RemoveQueue(name, BY) for name in before - kept if name in state.queues]
        return commands

    async def _carry_out(self, commands: list[Command]) -> None:
        reactor = self._live.core.reactor
        for command in commands:
            try:
                if isinstance(command, SetPolicy):
                    # Not by its first pass, for which all callers and agents would wait.
                    await self._live.core.compile_aside(RunningPolicy(command.name, command.parameters))
                await reactor.post(command)
            except MolokiniError as error:
                log.error("the change of %s in the configuration failed: %s", type(command).__name__, error)
            else:
                if isinstance(command, SetPolicy):
                    reactor.change_policy(command.name, command.parameters)

    def _take_over(self, new: Config, settings: Settings, changes: Changes) -> None:
        live = self._live
        live.core.reconfigure(settings)
        live.security.apply(new)
        if "log.level" in changes.reload:
            logging.getLogger("molokini").setLevel(new.log.level.upper())
        live.config = new
        if new.nodes and not live.emulating:
            live.emulate(node_offers(new))


def _is_gone(node: NodeRecord) -> bool:
    """Whether a configuration that did not name *node* any longer has drained it, and nothing else has."""
    return node.status is NodeStatus.DRAINING and node.drained == (BY, GONE)


def _check_size(node: NodeRecord, wanted: Nodes) -> None:
    """BadValue where *node* is to become another: what runs there, and what was promised, counts on it."""
    for field in ("processors", "memory_kb", "generic", "features", "cluster"):
        has, wants = getattr(node, field), getattr(wanted, field)
        if has != (tuple(wants) if field == "features" else wants):
            raise BadValue(
                f"nodes.{field}",
                wants,
                f"{has!r} for {node.name}: a node that is there keeps its size; leave it out, so that it is "
                "drained, and add a node of another name",
            )


def _names(nodes: tuple[Nodes, ...]) -> set[str]:
    return {name for one in nodes for name in expand(one.names)}
