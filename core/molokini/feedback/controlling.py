"""The controller of one application: reports come in, orders of a (period, slice) go out.

It knows no clock and no wire. A server journals what it decides, and makes it again from the journal. The
process-level engine decides by the same functions (``searching``).

Source: Lin, Sundararaj, Dinda (2008), section 4.2: U = target always (of what the application uses alone, as
in section 5.8); a rate that is off changes the period alone.
"""

from dataclasses import dataclass, replace

from molokini.feedback.edf import WHOLE, slice_of
from molokini.feedback.searching import Search, Verdict, is_too_short, judged, most_steps, next_period
from molokini.model.errors import BadValue, Conflict

MS = 1_000_000


@dataclass(frozen=True)
class Rules:
    """How an application is controlled; durations in ns, shares in millionths."""

    threshold: int = 30_000
    """Rates within so much of the target are left alone: 3 points."""
    first_period: int = 200 * MS
    step: int = 2 * MS
    least_period: int = 10 * MS
    least_slice: int = MS
    search: int = Search.SWEEP
    settle: int = 0
    """Reports after an order, or a change of the target, that are not judged: they mix two schedules."""

    def check(self) -> None:
        """Raise BadValue or Conflict for rules under which nothing can be controlled."""
        if self.threshold <= 0:
            raise BadValue("threshold", self.threshold / 10_000, "above 0 percentage points")
        if self.first_period <= self.least_period:
            raise Conflict(
                "first period",
                f"{self.first_period / 1e9:g} s is not longer than the least, {self.least_period / 1e9:g} s; "
                "give a longer one",
            )
        if not 0 < self.step <= self.first_period - self.least_period:
            most = (self.first_period - self.least_period) / 1e9
            raise BadValue("step", self.step / 1e9, f"above 0 and at most {most:g} s")

    def check_target(self, target: int, cap: int, use: int = WHOLE) -> None:
        """Raise BadValue for a *target* (millionths) that no schedule below *cap* gives.

        *use*: what the application uses alone of its busiest processor, millionths.
        """
        most = min(WHOLE, cap * WHOLE // use)
        if not 0 < target <= most:
            raise BadValue("rate", f"{target / 10_000:g}%", f"above 0% and at most {most / 10_000:g}%")
        if slice_of(self.first_period, share_of(target, use)) <= self.least_slice:
            least = self.least_slice * 100 / self.first_period * WHOLE / use
            raise BadValue(
                "rate",
                f"{target / 10_000:g}%",
                f"above {least:g}%, whose slice a node can keep in a period of {self.first_period / 1e9:g} s",
            )


@dataclass(frozen=True)
class Control:
    """Where the control of an application is."""

    rules: Rules
    target: int
    """Millionths of the full rate."""
    period: int
    steps: int = 0
    stuck_at: int = -1
    orders: int = 0
    """So far, the first included: the number of the last."""
    unjudged: int = 0
    within: bool = False
    use: int = WHOLE
    """What the application uses alone of its busiest processor, millionths."""

    @classmethod
    def begun(cls, rules: Rules, target: int, use: int = WHOLE) -> "Control":
        """At the admission: the first period."""
        return cls(rules, target, rules.first_period, orders=1, unjudged=rules.settle, use=use)

    @property
    def share(self) -> int:
        """Of each processor, millionths: always the target, of what the application uses alone."""
        return share_of(self.target, self.use)

    @property
    def slice(self) -> int:
        """Of each period, ns."""
        return slice_of(self.period, self.share)

    @property
    def is_stuck(self) -> bool:
        """Whether the target was found not to be reachable at this share."""
        return self.stuck_at >= 0

    def by(self, rules: Rules) -> "Control":
        """By other *rules* from now on; at the first period where the present one is too short for them."""
        too_short = is_too_short(self.period, self.share, rules.least_period, rules.least_slice)
        return replace(self, rules=rules, period=rules.first_period if too_short else self.period)

    def aimed(self, target: int) -> "Control":
        """With another target: its share is ordered at once, at the same period where the slice allows it."""
        period = self.period
        if slice_of(period, share_of(target, self.use)) <= self.rules.least_slice:
            period = self.rules.first_period
        return replace(
            self,
            target=target,
            period=period,
            steps=0,
            stuck_at=-1,
            orders=self.orders + 1,
            unjudged=self.rules.settle,
            within=False,
        )

    def reported(self, rate: int) -> "Control":
        """After a report of *rate* (millionths of the full rate). A new order has another number."""
        if self.unjudged:
            return replace(self, unjudged=self.unjudged - 1)
        rules = self.rules
        most = most_steps(rules.first_period, rules.step, rules.least_period)
        found = judged(rate, self.target, rules.threshold, self.steps, most, self.stuck_at)
        if found == Verdict.WITHIN:
            return replace(self, steps=0, stuck_at=-1, within=True)
        if found == Verdict.NOTHING:
            return self
        if found == Verdict.GIVE_UP:
            return replace(self, stuck_at=rate, within=False)
        steps = 1 if self.stuck_at >= 0 else self.steps + 1
        period = next_period(
            rules.search,
            self.period,
            rate - self.target,
            self.share,
            rules.threshold,
            rules.first_period,
            rules.step,
            rules.least_period,
            rules.least_slice,
        )
        return replace(
            self,
            period=period,
            steps=steps,
            stuck_at=-1,
            orders=self.orders + 1,
            unjudged=rules.settle,
            within=False,
        )


def share_of(target: int, use: int) -> int:
    """The share of a processor that gives *target* to what uses *use* of it alone; all millionths."""
    return target * use // WHOLE


def rate_of(iterations_a_second: float, full: float) -> int:
    """Millionths of the full rate; both in iterations a second."""
    return round(WHOLE * iterations_a_second / full)
