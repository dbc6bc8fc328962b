"""Claims of section 5.3: FIFO, EDF and MWF."""

from collections.abc import Callable

from molokini.studies.claims import Claims, Finding
from molokini.studies.comparing import Pair, falls_with, mean_difference, ordered, rises_with, tally
from molokini.studies.lin2006_divisible import experiments
from molokini.studies.lin2006_divisible.experiments import SENDING, How, order_xs
from molokini.studies.lin2006_divisible.setting import REDRAW, REJECTED
from molokini.studies.results import Results
from molokini.studies.rule import Count, somewhere, together

HOWS = (
    How("DCRatio 10", loose=True),
    How("DCRatio 2"),
    How("DCRatio 2, pairs drawn again", REDRAW),
)
SAID = Claims()
FIFO, EDF, MWF = "fifo-opr-mn", "edf-opr-mn", "mwf-opr-mn"


def _two(one: str, other: str, cms: float, how: How) -> list[Pair]:
    both = (
        [experiments.ordered(policy, cms, x, how.deadlines, how.loose) for x in order_xs(how.loose)]
        for policy in (one, other)
    )
    return list(zip(*both, strict=True))


def _lower(one: str, other: str, *cms: float) -> Callable[[Results, How], Finding]:
    """That one order rejects less than another, for these C_ms."""

    def check(results: Results, how: How) -> Finding:
        return ordered(
            results, [pair for one_cms in cms for pair in _two(one, other, one_cms, how)], REJECTED
        )

    return check


_H, _J, _ALL = "5.3, Figure 4h", "5.3, Figure 4j", "5.3, Figures 4h to 4j, 19, 20"
SAID("edf-below-mwf", _H, "With C_ms 2 EDF-OPR-MN rejects less than MWF-OPR-MN.", HOWS)(_lower(EDF, MWF, 2.0))


@SAID("mwf-gains", _ALL, "As C_ms grows from 1 to 20, MWF-OPR-MN gains on EDF-OPR-MN.", HOWS)
def _gains(results: Results, how: How) -> Finding:
    steps = [(f"{cms:g}", mean_difference(results, _two(EDF, MWF, cms, how), REJECTED)) for cms in SENDING]
    found = rises_with(steps)
    return Finding(found.verdict, f"EDF less MWF, mean over loads or gaps, at C_ms {found.why}")


SAID("mwf-below-edf", _J, "With C_ms 20 MWF-OPR-MN rejects less than EDF-OPR-MN.", HOWS)(
    _lower(MWF, EDF, 20.0)
)
SAID("mwf-below-fifo", _J, "With C_ms 20 MWF-OPR-MN rejects less than FIFO-OPR-MN.", HOWS)(
    _lower(MWF, FIFO, 20.0)
)
SAID("edf-below-fifo", _ALL, "For every C_ms from 1 to 20 EDF-OPR-MN rejects less than FIFO-OPR-MN.", HOWS)(
    _lower(EDF, FIFO, *SENDING)
)


@SAID(
    "mwf-above-fifo",
    _H,
    "There are settings, like C_ms 2, in which MWF-OPR-MN rejects more than FIFO-OPR-MN.",
    HOWS,
)
def _some_above(results: Results, how: How) -> Finding:
    found = tally(results, _two(MWF, FIFO, 2.0, how), REJECTED)
    return somewhere(Count(found.higher, found.lower, found.unclear), f"MWF against FIFO: {found}")


@SAID("alike", _H, "As interarrival times grow, the three can no longer be told apart.", HOWS)
def _alike(results: Results, how: How) -> Finding:
    """The largest distance between two of the three, as the interarrival time grows."""
    steps = []
    for x in order_xs(how.loose):
        at = [
            tuple(experiments.ordered(policy, 2.0, x, how.deadlines, how.loose) for policy in two)
            for two in ((EDF, FIFO), (EDF, MWF), (MWF, FIFO))
        ]
        apart = [
            [abs(value) for value in mean_difference(results, [(one, other)], REJECTED)] for one, other in at
        ]
        steps.append((f"{x:g}", [max(of_seed) for of_seed in zip(*apart, strict=True)]))
    found = falls_with(steps)
    return Finding(found.verdict, f"largest distance of two of them, C_ms 2, at {found.why}")


@SAID(
    "depends",
    "5.3, summary",
    "Which order is best depends on the system and the load: each of EDF and MWF is somewhere clearly better "
    "than the other.",
    HOWS,
)
def _depends(results: Results, how: How) -> Finding:
    found = tally(results, [pair for cms in SENDING for pair in _two(EDF, MWF, cms, how)], REJECTED)
    each = [
        somewhere(Count(right, wrong, found.unclear), "")
        for right, wrong in ((found.lower, found.higher), (found.higher, found.lower))
    ]
    return Finding(together(each).verdict, f"EDF against MWF over C_ms 1 to 20: {found}")
