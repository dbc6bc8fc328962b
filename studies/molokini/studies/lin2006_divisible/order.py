"""Claims of section 5.3: FIFO, EDF and MWF."""

from molokini.studies.claims import Claim, Finding
from molokini.studies.comparing import (
    Pair,
    falls_with,
    mean_difference,
    ordered,
    rises_with,
    tally,
)
from molokini.studies.lin2006_divisible import experiments
from molokini.studies.lin2006_divisible.experiments import SENDING, order_xs
from molokini.studies.lin2006_divisible.setting import RAISE, REJECTED
from molokini.studies.results import Results
from molokini.studies.rule import Count, somewhere, together

FIFO, EDF, MWF = "fifo-opr-mn", "edf-opr-mn", "mwf-opr-mn"


def claims(deadlines: str = RAISE, loose: bool = False) -> list[Claim]:
    """The claims on Figures 4h to 4j, 19 and 20, under a reading of the deadlines and of the setting."""

    def two(one: str, other: str, cms: float) -> list[Pair]:
        both = (
            [experiments.ordered(policy, cms, x, deadlines, loose) for x in order_xs(loose)]
            for policy in (one, other)
        )
        return list(zip(*both, strict=True))

    every = [pair for cms in SENDING for pair in two(EDF, FIFO, cms)]
    return [
        Claim(
            "edf-below-mwf",
            "5.3, Figure 4h",
            "With C_ms 2 EDF-OPR-MN rejects less than MWF-OPR-MN.",
            lambda results: ordered(results, two(EDF, MWF, 2.0), REJECTED),
        ),
        Claim(
            "mwf-gains",
            "5.3, Figures 4h to 4j, 19, 20",
            "As C_ms grows from 1 to 20, MWF-OPR-MN gains on EDF-OPR-MN.",
            lambda results: _gains(results, [(f"{cms:g}", two(EDF, MWF, cms)) for cms in SENDING]),
        ),
        Claim(
            "mwf-below-edf",
            "5.3, Figure 4j",
            "With C_ms 20 MWF-OPR-MN rejects less than EDF-OPR-MN.",
            lambda results: ordered(results, two(MWF, EDF, 20.0), REJECTED),
        ),
        Claim(
            "mwf-below-fifo",
            "5.3, Figure 4j",
            "With C_ms 20 MWF-OPR-MN rejects less than FIFO-OPR-MN.",
            lambda results: ordered(results, two(MWF, FIFO, 20.0), REJECTED),
        ),
        Claim(
            "edf-below-fifo",
            "5.3, Figures 4h to 4j, 19, 20",
            "For every C_ms from 1 to 20 EDF-OPR-MN rejects less than FIFO-OPR-MN.",
            lambda results: ordered(results, every, REJECTED),
        ),
        Claim(
            "mwf-above-fifo",
            "5.3, Figure 4h",
            "There are settings, like C_ms 2, in which MWF-OPR-MN rejects more than FIFO-OPR-MN.",
            lambda results: _some_above(results, two(MWF, FIFO, 2.0)),
        ),
        Claim(
            "alike",
            "5.3, Figure 4h",
            "As interarrival times grow, the three can no longer be told apart.",
            lambda results: _alike(results, deadlines, loose),
        ),
        Claim(
            "depends",
            "5.3, summary",
            "Which order is best depends on the system and the load: each of EDF and MWF is somewhere "
            "clearly better than the other.",
            lambda results: _depends(results, [p for cms in SENDING for p in two(EDF, MWF, cms)]),
        ),
    ]


def _gains(results: Results, by_cms: list[tuple[str, list[Pair]]]) -> Finding:
    found = rises_with([(name, mean_difference(results, compared, REJECTED)) for name, compared in by_cms])
    return Finding(found.verdict, f"EDF less MWF, mean over loads or gaps, at C_ms {found.why}")


def _some_above(results: Results, compared: list[Pair]) -> Finding:
    found = tally(results, compared, REJECTED)
    return somewhere(Count(found.higher, found.lower, found.unclear), f"MWF against FIFO: {found}")


def _alike(results: Results, deadlines: str, loose: bool) -> Finding:
    """The largest distance between two of the three, as the interarrival time grows."""
    steps = []
    for x in order_xs(loose):
        at = [tuple(experiments.ordered(policy, 2.0, x, deadlines, loose) for policy in two) for two in _TWOS]
        apart = [
            [abs(value) for value in mean_difference(results, [(one, other)], REJECTED)] for one, other in at
        ]
        steps.append((f"{x:g}", [max(of_seed) for of_seed in zip(*apart, strict=True)]))
    found = falls_with(steps)
    return Finding(found.verdict, f"largest distance of two of them, C_ms 2, at {found.why}")


_TWOS = ((EDF, FIFO), (EDF, MWF), (MWF, FIFO))


def _depends(results: Results, compared: list[Pair]) -> Finding:
    found = tally(results, compared, REJECTED)
    each = [
        somewhere(Count(right, wrong, found.unclear), "")
        for right, wrong in ((found.lower, found.higher), (found.higher, found.lower))
    ]
    return Finding(together(each).verdict, f"EDF against MWF over C_ms 1 to 20: {found}")
