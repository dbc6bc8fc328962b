"""Nodes of the resource manager: those that are new join, and none takes jobs that it says takes none."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace

from molokini.model.facts import NodesAdded
from molokini.server.foreign_rm.foreign_records import AGENT, can_be_named, node_told, takes_work, whole
from molokini.server.state.node_names import NodeStatus
from molokini.server.state.state import State
from molokini.server.turn.command import Command, Draft, RetryNextTurn
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.reporting import AddNodes, ReturnNodes
from molokini.server.wiki.answers import Fields

log = logging.getLogger("molokini.server.foreign_rm")


class Nodes:
    """What was told of nodes, and what follows for ours."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.since_s = 0
        """The last change that is known: later ones are asked for."""
        self._wondered = False
        self._said: dict[str, Fields] = {}

    def commands(self, records: Mapping[str, Fields]) -> Iterator[Command]:
        """What *records* change."""
        known = self._state.machine.by_name
        # In a list of nodes brackets mean several.
        strange = [name for name in records if not can_be_named(name) or "[" in name]
        if strange and not self._wondered:
            self._wondered = True
            log.warning("node %.60r of the resource manager has a name that no command can carry", strange[0])
        records = {name: said for name, said in records.items() if name not in strange}
        for name, said in records.items():
            self._said[name] = {**self._said.get(name, {}), **said} if len(said) <= 1 else said
            self.since_s = max(self.since_s, whole(said, "UPDATETIME"))
        new = [node_told(name, self._said[name]) for name in records if name not in known]
        if new:
            yield AddNodes(_together(new))
        names = {name: takes_work(self._said[name]) for name in records}
        for name, takes in names.items():
            drained = name in known and known[name].status is not NodeStatus.UP
            if not takes and not drained:
                yield _Drain(name, _why(self._said[name]))
            elif takes and drained and known[name].drained and (known[name].drained or ("",))[0] == AGENT:
                yield ReturnNodes([name], AGENT)


class _Drain(DrainNodes):
    """Of a node that may join in the same turn."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__([name], AGENT, reason)

    def check(self, state: State, draft: Draft) -> None:
        """As for any node, once it has joined."""
        if self.names[0] not in state.machine.by_name and draft.adds_nodes:
            raise RetryNextTurn
        super().check(state, draft)


def _why(said: Fields) -> str:
    state, reason = said.get("STATE", "no state"), said.get("CAT", "")
    return (f"{state} at the resource manager" + (f": {reason}" if reason else ""))[:500]


def _together(new: list[NodesAdded]) -> list[NodesAdded]:
    """Neighbours that are alike in one fact; in the order in which they came, which their numbers keep."""
    found: list[NodesAdded] = []
    for one in new:
        if found and replace(found[-1], names=one.names) == one:
            found[-1] = replace(one, names=(*found[-1].names, *one.names))
        else:
            found.append(one)
    return found
