"""The rule of verdicts: what intervals say of a claim (docs/studies/verdicts.md).

A claim about one number is held against its interval: all of it inside what is claimed, all of it outside, or
neither. A claim about many comparisons counts those that are clear either way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, sqrt

from molokini.metrics import t_quantile
from molokini.studies.claims import Figure, Finding, Verdict
from molokini.studies.results import Interval, interval

TENDENCY = 2 / 3
"""A share of the comparisons from which on there is a tendency ..."""

EXCEPTIONS = 0.1
"""... if no larger share clearly says the contrary."""

MOST_SEEDS = 100_000
"""A rule that needs more seeds is of no practical use."""

_TWO_SIDED = 0.975

_WEAKEST = (
    Verdict.CONTRADICTED,
    Verdict.UNTESTABLE,
    Verdict.UNDECIDED,
    Verdict.IN_SHAPE,
    Verdict.HOLDS,
)


@dataclass(frozen=True)
class Count:
    """How many comparisons of a claim say what, by their intervals."""

    right: int
    """All of the interval is as claimed."""
    wrong: int
    """None of it is."""
    unclear: int = 0
    equal: int = 0
    """Both are the same under every seed, and not because nothing happened: neither 0 nor undefined."""

    @property
    def compared(self) -> int:
        """Comparisons that could have told."""
        return self.right + self.wrong + self.unclear

    @property
    def verdict(self) -> Verdict:
        """What they say together; where nothing differs, whether anything happened at all."""
        if not self.compared:
            return Verdict.CONTRADICTED if self.equal else Verdict.UNTESTABLE
        if self.right == self.compared:
            return Verdict.HOLDS
        if self.wrong > EXCEPTIONS * self.compared:
            return Verdict.CONTRADICTED
        return Verdict.IN_SHAPE if self.right >= TENDENCY * self.compared else Verdict.UNDECIDED


def counted(found: Sequence[Interval]) -> Count:
    """How many of *found* lie above 0, as claimed, and below; those that are 0 tell nothing."""
    right, wrong = sum(one.above for one in found), sum(one.below for one in found)
    return Count(right, wrong, len(found) - right - wrong - sum(one.is_nothing for one in found))


def above(found: Sequence[Interval], why: str = "", figures: Sequence[Figure] = ()) -> Finding:
    """That each of *found* is above 0."""
    count = counted(found)
    told = f"clearly above in {count.right} of {count.compared}, clearly below in {count.wrong}"
    return Finding(count.verdict, _joined(why, told, needed(count.verdict, found)), figures)


def below(found: Sequence[Interval], why: str = "", figures: Sequence[Figure] = ()) -> Finding:
    """That each of *found* is below 0."""
    count = counted(found)
    count = Count(count.wrong, count.right, count.unclear)
    told = f"clearly below in {count.right} of {count.compared}, clearly above in {count.wrong}"
    return Finding(count.verdict, _joined(why, told, needed(count.verdict, found)), figures)


def each_within(
    found: Sequence[Interval], low: float, high: float, why: str = "", figures: Sequence[Figure] = ()
) -> Finding:
    """That each of *found* lies from *low* to *high*."""
    verdicts = [within(one, low, high).verdict for one in found]
    count = Count(*(verdicts.count(one) for one in (Verdict.HOLDS, Verdict.CONTRADICTED, Verdict.UNDECIDED)))
    told = f"clearly inside in {count.right} of {count.compared}, clearly outside in {count.wrong}"
    return Finding(count.verdict, _joined(why, told, needed(count.verdict, found, (low, high))), figures)


def somewhere(count: Count, why: str) -> Finding:
    """That at least one comparison is as claimed."""
    if count.right:
        return Finding(Verdict.HOLDS, why)
    if not count.compared:
        return Finding(Verdict.UNTESTABLE, _joined(why, "nothing differs"))
    return Finding(Verdict.UNDECIDED if count.unclear else Verdict.CONTRADICTED, why)


def within(
    ours: Interval,
    low: float,
    high: float,
    why: str = "",
    slack: float | tuple[float, float] = 0.0,
    figures: Sequence[Figure] = (),
) -> Finding:
    """That a number lies from *low* to *high*; in shape where it lies beside that by no more than *slack*.

    *slack*: below *low* and above *high*, where it is not the same on both sides.
    """
    beside = slack if isinstance(slack, tuple) else (slack, slack)
    verdict = _of_range(ours, (low, high), (low - beside[0], high + beside[1]))
    limits = [low - beside[0], high + beside[1]]
    return Finding(verdict, _joined(why or str(ours), _seeds(verdict, ours, limits)), figures)


def at_most(ours: Interval, high: float, why: str = "", slack: float = 0.0) -> Finding:
    """That a number is no more than *high*; in shape where it is by no more than *slack*."""
    return within(ours, -inf, high, why, slack)


def at_least(ours: Interval, low: float, why: str = "", slack: float = 0.0) -> Finding:
    """That a number is no less than *low*; in shape where it is by no more than *slack*."""
    return within(ours, low, inf, why, slack)


def crosses(
    at: Sequence[float | None],
    low: float,
    high: float,
    why: str = "",
    slack: float | tuple[float, float] = 0.0,
) -> Finding:
    """That two curves cross between *low* and *high*; *at*: where they do, by seed, None where they do not.

    Where they cross under no seed that is contradicted; where they do under half of them or less, undecided.
    """
    known = [one for one in at if one is not None]
    if not at:
        return Finding(Verdict.UNTESTABLE, _joined(why, "nothing was compared"))
    if len(at) == 1:
        return Finding(Verdict.UNDECIDED, _joined(why, "one seed has no interval"))
    if not known:
        return Finding(Verdict.CONTRADICTED, _joined(why, "they cross under no seed"))
    if 2 * len(known) <= len(at):
        return Finding(Verdict.UNDECIDED, _joined(why, f"they cross under {len(known)} of {len(at)} seeds"))
    ours = interval(known)
    return within(ours, low, high, _joined(why, f"they cross at {ours}"), slack)


def exactly(holds: bool, why: str, figures: Sequence[Figure] = (), in_shape: bool = False) -> Finding:
    """What is so or not so under every seed: it was computed, or counted, and has no interval."""
    verdict = Verdict.HOLDS if holds else Verdict.IN_SHAPE if in_shape else Verdict.CONTRADICTED
    return Finding(verdict, why, figures, exact=True)


def by_intervals(holds: bool, why: str, figures: Sequence[Figure] = (), in_shape: bool = False) -> Finding:
    """The same of what the caller has read off intervals; one seed has none, and decides nothing."""
    return replace(exactly(holds, why, figures, in_shape), exact=False)


def weakest(verdicts: Sequence[Verdict]) -> Verdict:
    """Of a claim in parts: contradicted where one is, tested and decided where all are."""
    return min(verdicts, key=_WEAKEST.index, default=Verdict.UNTESTABLE)


def together(parts: Mapping[str, Finding] | Sequence[Finding]) -> Finding:
    """All parts of a claim, by name or not: the weakest verdict, every reason and figure."""
    if isinstance(parts, Mapping):
        findings: Sequence[Finding] = list(parts.values())
        told = [f"{name}: {part.why}" for name, part in parts.items()]
    else:
        findings, told = parts, [part.why for part in parts]
    figures = [figure for part in findings for figure in part.figures]
    exact = all(part.exact for part in findings)
    return Finding(weakest([part.verdict for part in findings]), "; ".join(told), figures, exact)


def no_more_than_shape(finding: Finding, unless: bool) -> Finding:
    """*finding*, which holds in shape at most *unless* a figure is met, too."""
    if unless or finding.verdict is not Verdict.HOLDS:
        return finding
    return Finding(Verdict.IN_SHAPE, finding.why, finding.figures)


def in_shape_if(tight: Finding, loose: Finding) -> Finding:
    """What *tight* says, where it holds; else what *loose* says, where holding is in shape."""
    if tight.verdict is Verdict.HOLDS:
        return tight
    verdict = Verdict.IN_SHAPE if loose.verdict is Verdict.HOLDS else loose.verdict
    return Finding(verdict, tight.why, tight.figures)


def of_readings(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict for several readings of a claim: it is in shape where it holds under some of them."""
    if any(one in (Verdict.HOLDS, Verdict.IN_SHAPE) for one in verdicts) and len(set(verdicts)) > 1:
        return Verdict.IN_SHAPE
    return weakest(verdicts)


def seeds_for(ours: Interval, limit: float = 0.0) -> int | None:
    """With how many seeds the interval would exclude *limit*, if the mean stayed; None: with none."""
    if ours.is_of_one_seed or ours.mean == limit:
        return None
    far, width = abs(ours.mean - limit), (ours.high - ours.low) / 2
    deviation = width * sqrt(ours.samples) / t_quantile(_TWO_SIDED, ours.samples - 1)
    count = max(ours.samples, ceil((t_quantile(_TWO_SIDED, MOST_SEEDS) * deviation / far) ** 2))
    while count <= MOST_SEEDS and t_quantile(_TWO_SIDED, count - 1) * deviation > far * sqrt(count):
        count += 1
    return count if count <= MOST_SEEDS else None


def needed(verdict: Verdict, found: Sequence[Interval], limits: Sequence[float] = (0.0,)) -> str:
    """With how many seeds most of *found* would exclude all *limits*, if *verdict* is that they do not."""
    if verdict is not Verdict.UNDECIDED:
        return "nothing differs" if verdict is Verdict.UNTESTABLE else ""
    told = [_enough(one, limits) for one in found if not one.is_nothing]
    return _with(found[0].samples, sorted(told)[ceil(TENDENCY * len(told)) - 1] if told else inf)


def _enough(ours: Interval, limits: Sequence[float]) -> float:
    """With how many seeds *ours* would exclude those of *limits* that lie inside of it."""
    inside = [limit for limit in limits if ours.low < limit < ours.high and limit not in (-inf, inf)]
    return max((seeds_for(ours, limit) or inf for limit in inside), default=ours.samples)


def _of_range(ours: Interval, claimed: tuple[float, float], shape: tuple[float, float]) -> Verdict:
    if ours.is_of_one_seed:
        return Verdict.UNDECIDED
    if claimed[0] <= ours.low and ours.high <= claimed[1]:
        return Verdict.HOLDS
    if shape[0] <= ours.low and ours.high <= shape[1]:
        return Verdict.IN_SHAPE
    apart = ours.high < shape[0] or ours.low > shape[1]
    return Verdict.CONTRADICTED if apart else Verdict.UNDECIDED


def _seeds(verdict: Verdict, ours: Interval, limits: Sequence[float]) -> str:
    return _with(ours.samples, _enough(ours, limits)) if verdict is Verdict.UNDECIDED else ""


def _with(seeds: int, enough: float) -> str:
    if seeds == 1:
        return "one seed has no interval"
    more = "no number of seeds would tell" if enough == inf else f"about {enough:,.0f} would tell"
    return f"undecided with {seeds} seeds, {more} if means stayed"


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
