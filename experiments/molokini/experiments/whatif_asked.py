"""What is asked about a present state, in words: as a command line, or a call of the server, has it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from molokini.experiments.logs import read_log
from molokini.experiments.whatif import Drain, Kept, Question
from molokini.model.dates import Clock, instant_of
from molokini.model.errors import BadInput, BadValue
from molokini.model.instants import is_calendar
from molokini.model.names import expand
from molokini.model.spans import seconds
from molokini.whatif.drawing import Arriving
from molokini.whatif.present import Present
from molokini.whatif.scenarios import MOST_NODES
from molokini.workloads.workload import Workload

USUAL_HOURS = 24.0
USUAL_SEEDS = 10
"""Draws where arrivals are drawn and the question does not say how often."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The words; each is checked by ``checked`` before there is a state, as far as that can be."""

    policy: Sequence[str] = ()
    maui_config: Sequence[str] = ()
    """Files."""
    drain: str | None = None
    reserve: str | None = None
    access: Sequence[str] = ()
    nodes: Sequence[str] = ()
    from_when: str | None = None
    for_time: str | None = None
    hours: float | None = None
    """None: a day, or to a day after what begins later."""
    arrivals: str = "none"
    seeds: int | None = None


@dataclass(frozen=True)
class Checked:
    """The same as values, but for what depends on the present instant."""

    asked: Asked
    question: Question
    drained: tuple[str, ...]
    reserved: int | tuple[str, ...] | None
    access: dict[str, tuple[str, ...]]
    for_s: float | None

    def about(self, present: Present) -> Question:
        """The question about *present*. Raises BadInput."""
        asked, now_s = self.asked, present.now_s
        clock = Clock(now_s=now_s, zero_s=0.0 if is_calendar(now_s) else None)
        from_s = instant_of("--from", asked.from_when, clock) if asked.from_when else now_s
        hours = self.question.hours
        end_s = max(now_s + hours * 3600.0, from_s + 1.0)
        to_s = from_s + self.for_s if self.for_s is not None else end_s
        if (self.drained or self.reserved is not None) and from_s > now_s + hours * 3600.0:
            if asked.hours is not None:
                least = (from_s - now_s) / 3600.0
                raise BadValue("--hours", hours, f"above {least:,.1f}, as --from is as far from now")
            hours = (to_s - now_s) / 3600.0 + USUAL_HOURS
        return replace(
            self.question,
            hours=hours,
            drains=(Drain(self.drained, from_s, to_s),) if self.drained else (),
            reserved=() if self.reserved is None else (Kept(self.reserved, from_s, to_s, self.access),),
        )


def checked(asked: Asked) -> Checked:
    """*asked* as values. Raises BadInput for what is wrong whatever the state."""
    seeds = asked.seeds
    if seeds is None:
        seeds = USUAL_SEEDS if asked.arrivals == Arriving.RESAMPLED else 0
    if asked.drain is None and asked.reserve is None:
        for name, given in (("--from", asked.from_when), ("--for", asked.for_time)):
            if given is not None:
                raise BadInput(f"{name} says when nodes are away: give --drain NODES or --reserve, too")
    if asked.access and asked.reserve is None:
        raise BadInput("--access says who may use what is reserved: give --reserve, too")
    # What costs no time to find out comes first; a log may take seconds to read.
    hours = USUAL_HOURS if asked.hours is None else asked.hours
    question = Question(hours=hours, seeds=seeds, policies=asked.policy, maui_configs=asked.maui_config)
    text = asked.reserve
    return Checked(
        asked,
        replace(question, nodes=tuple(map(_nodes, asked.nodes)), arrivals=_arrivals(asked.arrivals)),
        tuple(expand(asked.drain)) if asked.drain is not None else (),
        None if text is None else int(text) if text.isdecimal() else tuple(expand(text)),
        _access(asked.access),
        seconds("--for", _span(asked.for_time)) if asked.for_time is not None else None,
    )


def _nodes(text: str) -> int:
    """A number of nodes; whether a state can have so many is for later."""
    if not text.isdecimal() or not 1 <= int(text) <= MOST_NODES:
        raise BadValue("--nodes", text, f"a whole number from 1 to {MOST_NODES:,}")
    return int(text)


def _access(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Who may use a reservation, by kind."""
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        kind, colon, name = text.partition(":")
        if not colon or not kind or not name:
            raise BadValue("--access", text, "KIND:NAME, as user:ann")
        found[kind] = (*found.get(kind, ()), name)
    return found


def _span(text: str) -> str:
    """``12h`` and ``2d`` beside the usual forms."""
    units = {"h": 3600, "d": 86_400, "m": 60}
    if text[:-1].isdecimal() and text[-1:] in units:
        return str(int(text[:-1]) * units[text[-1]])
    return text


def _arrivals(text: str) -> Arriving | Workload:
    """The kind of arrivals, or the workload of the log *text*."""
    if text in tuple(Arriving):
        return Arriving(text)
    if not Path(text).exists():
        raise BadInput(f"--arrivals {text}: neither none nor resampled, and there is no such log")
    return read_log(text)
