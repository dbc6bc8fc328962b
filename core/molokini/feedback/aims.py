"""The target rate of a running job, as a server keeps it: what was asked for, and where its control is."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from molokini.feedback.controlling import Control, Rules, rate_of, share_of
from molokini.feedback.deadlines import Goal
from molokini.feedback.edf import WHOLE
from molokini.feedback.targets import target_of

LAST = 20
"""In the last of so many parts of the work a rate is not lowered."""
LEAST_KEPT = 0.5
"""A job that achieves less of its targets is held up by something that no target mends."""
LEAST_USE = 10_000
"""Of its processor a job is taken to use so much at least, millionths: as may be given."""


class UseFrom(StrEnum):
    """From where it is known what a job uses alone of its busiest processor."""

    GIVEN = "given"
    """The user has said it, or nothing has been said: all of the processor."""
    MEASURING = "measuring"
    """It is measured before the control begins. Until then it counts as all of the processor."""
    MEASURED = "measured"
    UNTOLD = "untold"
    """It was to be measured, and no agent told processor time: all of it."""


@dataclass(frozen=True)
class Aim:
    """What was asked for of a job, and the control once the full rate is known."""

    rate: str
    """As the user wrote it; empty: as fast as it can, whatever it was submitted with."""
    full: float = 0.0
    """The full rate, iterations a second; 0: not known yet."""
    rules: Rules = field(default_factory=Rules)
    control: Control | None = None
    cores: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By node: the cores that it has there, counted from 0. Without a node in it nothing is known of it."""
    goal: Goal | None = None
    """Work and a deadline, for which the target is chosen within bounds; None: the target was asked for."""
    use: int = WHOLE
    """What the job uses alone of its busiest processor, millionths."""
    use_from: UseFrom = UseFrom.GIVEN

    @property
    def target(self) -> int:
        """Millionths of the full rate; 0 where it depends on the full rate, and that is not known."""
        if self.goal is not None:
            return self.control.target if self.control is not None else 0
        if not self.rate:
            return 0
        asked = target_of("rate", self.rate)
        return asked.of(self.full) if asked.share or self.full > 0 else 0

    @property
    def share(self) -> int:
        """What the target takes of each processor, millionths."""
        return share_of(self.target, self.use)

    def begun(self, full: float, done: int = 0, now_s: float = 0.0) -> "Aim":
        """Controlled from now on, with this full rate. The target may be refused (``check_target``).

        *done*: iterations by *now_s*, by which the target for a goal is chosen.
        """
        known = replace(self, full=full)
        target = known.target if self.goal is None else self.goal.chosen(self.goal.needed(done, now_s, full))
        return replace(known, control=Control.begun(self.rules, target, self.use))

    def using(self, use: int) -> "Aim":
        """With another figure, which is given, for what the job uses alone."""
        control = replace(self.control, use=use) if self.control is not None else None
        return replace(self, use=use, use_from=UseFrom.GIVEN, control=control)

    def measuring(self) -> "Aim":
        """What the job uses alone is to be measured before its control begins."""
        assert self.control is None
        return replace(self, use=WHOLE, use_from=UseFrom.MEASURING)

    def measured(self, use: int | None) -> "Aim":
        """What the job uses alone was measured, if that was asked for; None: no agent reported its time."""
        if self.use_from is not UseFrom.MEASURING:
            return self
        if use is None:
            return replace(self, use_from=UseFrom.UNTOLD)
        return replace(self, use=min(WHOLE, max(LEAST_USE, use)), use_from=UseFrom.MEASURED)

    def at(self, rate: str) -> "Aim":
        """With another target: its control goes on from where it is, and a goal counts no more."""
        asked = replace(self, rate=rate, goal=None)
        if self.control is None:
            known = self.full > 0 and self.use_from is not UseFrom.MEASURING
            return asked.begun(self.full) if known else asked
        return replace(asked, control=self.control.aimed(asked.target))

    def towards(self, done: int, now_s: float, kept: float = 1.0) -> "Aim":
        """With the target that its goal needs after *done* iterations by *now_s*.

        *kept*: the part of its targets that was achieved of late.
        """
        if self.goal is None or self.control is None:
            return self
        present = self.control.target
        needed = self.goal.needed(done, now_s, self.full * min(1.0, max(LEAST_KEPT, kept)))
        found = self.goal.changed(present, needed, self.rules.threshold)
        # What is lowered again and again would end at the last moment.
        is_end = LAST * (self.goal.work - done) < self.goal.work
        if found == present or (found < present and is_end):
            return self
        return replace(self, control=self.control.aimed(found))

    def within(self, room: int) -> "Aim":
        """With a target for which nodes have *room*, not below the bounds of its goal."""
        if self.goal is None or self.control is None or self.control.share <= room:
            return self
        target = max(self.goal.least, room * WHOLE // self.use)
        return replace(self, control=replace(self.control, target=target))

    def rate_of(self, iterations_a_second: float) -> int:
        """Millionths of the full rate; 0 where that is not known."""
        return rate_of(iterations_a_second, self.full) if self.full > 0 else 0

    def as_json(self) -> dict[str, Any]:
        """As the journal has it."""
        found = {**asdict(self), "cores": {node: list(cores) for node, cores in self.cores.items()}}
        if not self.cores:
            del found["cores"]
        if self.goal is None:
            del found["goal"]
        if self.use == WHOLE:
            del found["use"]
        if self.use_from is UseFrom.GIVEN:
            del found["use_from"]
        if self.control is not None:
            del found["control"]["rules"], found["control"]["use"]
        return found

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> "Aim":
        """What ``as_json`` has written."""
        rules = Rules(**written["rules"])
        use = written.get("use", WHOLE)
        control = Control(rules=rules, use=use, **written["control"]) if written["control"] else None
        cores = {node: tuple(cores) for node, cores in written.get("cores", {}).items()}
        goal = Goal(**written["goal"]) if "goal" in written else None
        use_from = UseFrom(written.get("use_from", UseFrom.GIVEN))
        return cls(written["rate"], written["full"], rules, control, cores, goal, use, use_from)
