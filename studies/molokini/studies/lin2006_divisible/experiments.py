"""Every configuration that the paper runs, by figure and table: which policies are compared, over which x."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from molokini.studies.lin2006_divisible.setting import (
    EARLIEST,
    LATEST,
    LOADS,
    RAISE,
    REDRAW,
    TIME,
    Setting,
    execution,
)


@dataclass(frozen=True)
class How:
    """A reading of what the paper leaves open."""

    name: str
    deadlines: str = RAISE
    take: str = LATEST
    loose: bool = False
    """Section 5.3 with DCRatio 10 and mean gaps, for the ten loads."""

    def __str__(self) -> str:
        return self.name


EDF_FOUR = ("edf-opr-mn", "edf-epr-mn", "edf-opr-an", "edf-epr-an")
FIFO_FOUR = ("fifo-opr-mn", "fifo-epr-mn", "fifo-opr-an", "fifo-epr-an")
MWF_TWO = ("mwf-opr-mn", "mwf-epr-mn")
ORDERS = ("fifo-opr-mn", "edf-opr-mn", "mwf-opr-mn")
MN, AN = "edf-opr-mn", "edf-opr-an"

DC_RATIOS = (2.0, 3.0, 10.0, 20.0, 100.0)
SPEEDS = (10.0, 50.0, 100.0, 500.0, 1000.0, 5000.0, 10000.0)
"""C_ps in section 5.1.4."""
SENDING = tuple(float(cms) for cms in range(1, 21))
"""C_ms in section 5.3."""
GAPS = (250.0, 500.0, 750.0, 1000.0, 1250.0, 1500.0, 1750.0, 2000.0, 2500.0, 3000.0, 4000.0, 6000.0, 8000.0)
"""1/lambda in Figures 4e and 4f, whose range the text does not give but for a crossing at about 1000."""
OVERHEAD_LOADS = (0.2, 0.5, 0.8)
OVERHEAD_GAP = 2718.0
"""1/lambda of Figure 4d where it is kept: load 0.5 in the basic model."""

FIXED = 200.0
"""sigma of the analysis in section 5.2.2."""
_HUNDREDS = (*range(900, 1251, 50), 1300, *range(1400, 1501, 50), 1600, 1700)
_NEAR_THE_ENDS = (1260, 1263, 1266, 1269, 1280, 1320, 1340, 1350, 1358, 1359)
PERIODS = tuple(float(period) for period in sorted((*_HUNDREDS, *_NEAR_THE_ENDS)))
TABLE_1 = {1: (1263.0, 0.0184), 2: (1269.0, 0.0263), 4: (1282.0, 0.0251), 8: (1307.0, 0.0187)}
"""K: the range's lower end, and the reject ratio of EDF-OPR-AN, as printed."""
TABLE_1_UPPER = 1359.0
TABLE_2 = {1: 316.0, 2: 318.0, 3: 335.0, 4: 321.0, 5: 350.0, 6: 357.0, 7: 366.0, 8: 327.0}
"""K: the range's lower end, as printed."""
TABLE_2_UPPER = 425.0
SHORT = 1_000_000.0
"""A length of runs under which Table 1 comes near to what is printed, time units."""
COMMON = (366.0, 425.0)
"""The subrange that all K of Table 2 have in common, as printed."""


def base(policy: str, load: float, **more: Any) -> Setting:
    """The basic model, changed by *more*."""
    return Setting(policy, load=load, **more)


def pairs(opr: str, epr: str, **more: Any) -> list[tuple[Setting, Setting]]:
    """Two algorithms on the same tasks, at each load."""
    return [(base(opr, load, **more), base(epr, load, **more)) for load in LOADS]


def variations(full: bool) -> list[dict[str, Any]]:
    """What section 5.1 changes in the basic model, itself included; *full*: all that EDF is run with.

    FIFO and MWF are run with fewer (Figures 13 to 18).
    """
    fours, threes = (1.0, 2.0, 4.0, 8.0), (1.0, 2.0, 4.0)
    found: list[dict[str, Any]] = [{"dcratio": 2.0, "cms": cms} for cms in fours]
    sending = fours if full else (1.0,)
    found += [{"dcratio": ratio, "cms": cms} for ratio in DC_RATIOS[1:] for cms in sending]
    found += [{"cps": cps} for cps in SPEEDS if cps != 100.0]
    if full:
        found += [{"nodes": nodes, "cms": cms} for nodes in (32, 64) for cms in threes]
    found += [{"sigma": s, "cms": cms} for s in (100.0, 400.0, 800.0) for cms in sending]
    return found


def at_gap(policy: str, gap: float, **more: Any) -> Setting:
    """The basic model with a mean gap instead of a load."""
    return Setting(policy, interarrival=gap, **more)


def _fixed(policy: str, nodes_enough: int, **more: Any) -> Setting:
    """Tasks of one size, with D = E(sigma, K) for so many nodes."""
    least = execution(FIXED, nodes_enough)
    return replace(Setting(policy, sizes="fixed", dcratio=1e-6, deadline_least=least), **more)


def periodic(policy: str, period: float, k: int = 0) -> Setting:
    """The periodic task of Figure 4g: D = E(sigma, 2)."""
    return _fixed(policy, 2, interarrival=period, gaps="periodic", k=k)


def controlled(policy: str, k: int = 0, *, table_k: int, time: float = TIME) -> Setting:
    """A scenario of Table 1: gaps anywhere in the range of *table_k*, D = E(sigma, K)."""
    gaps = {"gaps": "uniform", "gap_low": TABLE_1[table_k][0], "gap_high": TABLE_1_UPPER}
    return _fixed(policy, table_k, k=k, time=time, **gaps)


def leveraged(policy: str, spread: bool) -> Setting:
    """The scenario after Table 2: N = 64, D = E(sigma, 8), or *spread* from there to three times that."""
    ratio = 2.0 * execution(FIXED, 8) / execution(FIXED, 64) if spread else 1e-6
    gaps = {"gaps": "uniform", "gap_low": COMMON[0], "gap_high": COMMON[1]}
    return _fixed(policy, 8, nodes=64, dcratio=ratio, **gaps)


def figure_4_settings(deadlines: str) -> list[Setting]:
    """All but the analysis (Figure 4g), whose deadlines are not drawn."""
    more = {"deadlines": deadlines}
    found = [s for policy in EDF_FOUR for s in _at_loads(policy, **more)]
    found += [s for p in EDF_FOUR[2:] for ratio in DC_RATIOS for s in _at_loads(p, dcratio=ratio, **more)]
    found += [s for p in EDF_FOUR[:2] for cps in SPEEDS for s in _at_loads(p, cps=cps, **more)]
    return found + _few_and_all((MN, AN), **more) + order_settings(deadlines, False)


def _few_and_all(policies: Sequence[str], **more: str) -> list[Setting]:
    """Figures 4d to 4f."""
    return [
        setting
        for policy in policies
        for setting in (
            *(overhead(policy, cms, load, **more) for cms in SENDING for load in (*OVERHEAD_LOADS, 0.0)),
            *(at_gap(policy, gap, dcratio=ratio, **more) for ratio in (2.0, 10.0) for gap in GAPS),
        )
    ]


def order_settings(deadlines: str, loose: bool) -> list[Setting]:
    """Section 5.3."""
    xs = order_xs(loose)
    return [ordered(p, cms, x, deadlines, loose) for p in ORDERS for cms in SENDING for x in xs]


def order_xs(loose: bool) -> tuple[float, ...]:
    """Loads, from the largest, or mean gaps, from the smallest."""
    return GAPS if loose else LOADS[::-1]


def ordered(policy: str, cms: float, x: float, deadlines: str = RAISE, loose: bool = False) -> Setting:
    """A setting of section 5.3: the basic model at a load, or *loose*, DCRatio 10 at a mean gap.

    The text names neither; with deadlines as short as the basic model's there is hardly any order to choose.
    """
    if loose:
        return at_gap(policy, x, dcratio=10.0, cms=cms, deadlines=deadlines)
    return base(policy, x, cms=cms, deadlines=deadlines)


def _at_loads(policy: str, **more: Any) -> list[Setting]:
    return [base(policy, load, **more) for load in LOADS]


def overhead(policy: str, cms: float, load: float, deadlines: str = RAISE, take: str = LATEST) -> Setting:
    """Figure 4d: C_ms grows, at a load, or (0) at a mean gap that stays."""
    kept = {"load": load} if load else {"interarrival": OVERHEAD_GAP}
    return Setting(policy, cms=cms, deadlines=deadlines, take=take, **kept)  # type: ignore[arg-type]


def earliest_settings() -> list[Setting]:
    """Section 5.2.1 where MN takes the nodes that were released earliest; AN takes all in any case."""
    return [base(MN, load, take=EARLIEST) for load in LOADS] + _few_and_all((MN,), take=EARLIEST)


def appendix_settings() -> list[Setting]:
    """Figures 6 to 18."""
    found = []
    for policies, full in ((EDF_FOUR, True), (FIFO_FOUR, False), (MWF_TWO, False)):
        for more in variations(full):
            found += [s for policy in policies for s in _at_loads(policy, **more)]
    return found


def analysis_settings() -> list[Setting]:
    """Section 5.2.2: Figure 4g, Table 1, and the scenario after Table 2."""
    found = [s for period in PERIODS for s in (periodic("edf-opr-k", period, 2), periodic(AN, period))]
    for k in TABLE_1:
        found += [controlled("edf-opr-k", k, table_k=k), controlled(AN, table_k=k)]
        found.append(controlled(AN, table_k=k, time=SHORT))
    four = ("edf-opr-mn", "edf-opr-an", "fifo-opr-mn", "fifo-opr-an")
    return found + [leveraged(policy, spread) for spread in (False, True) for policy in four]


def cases() -> list[Setting]:
    """Every run of the study but for seeds, each once."""
    found = [*figure_4_settings(RAISE), *figure_4_settings(REDRAW), *order_settings(RAISE, True)]
    found += earliest_settings()
    return list(dict.fromkeys([*found, *analysis_settings(), *appendix_settings()]))
