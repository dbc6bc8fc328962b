"""Every configuration that the paper runs, by figure and table: which policies are compared, over which x."""

from dataclasses import dataclass
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
PERIODS = (
    900.0,
    950.0,
    1000.0,
    1050.0,
    1100.0,
    1150.0,
    1200.0,
    1250.0,
    1260.0,
    1263.0,
    1266.0,
    1269.0,
    1280.0,
    1300.0,
    1320.0,
    1340.0,
    1350.0,
    1358.0,
    1359.0,
    1400.0,
    1450.0,
    1500.0,
    1600.0,
    1700.0,
)
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


def periodic(policy: str, period: float, k: int = 0) -> Setting:
    """The periodic task of Figure 4g: D = E(sigma, 2)."""
    return Setting(
        policy,
        interarrival=period,
        gaps="periodic",
        sizes="fixed",
        dcratio=1e-6,
        deadline_least=execution(FIXED, 2),
        k=k,
    )


def controlled(policy: str, k: int = 0, *, table_k: int, time: float = TIME) -> Setting:
    """A scenario of Table 1: gaps anywhere in the range of *table_k*, D = E(sigma, K)."""
    return Setting(
        policy,
        gaps="uniform",
        gap_low=TABLE_1[table_k][0],
        gap_high=TABLE_1_UPPER,
        sizes="fixed",
        dcratio=1e-6,
        deadline_least=execution(FIXED, table_k),
        k=k,
        time=time,
    )


def leveraged(policy: str, spread: bool) -> Setting:
    """The scenario after Table 2: N = 64, D = E(sigma, 8), or *spread* from there to three times that."""
    least = execution(FIXED, 8)
    ratio = 2.0 * least / execution(FIXED, 64) if spread else 1e-6
    return Setting(
        policy,
        nodes=64,
        gaps="uniform",
        gap_low=COMMON[0],
        gap_high=COMMON[1],
        sizes="fixed",
        dcratio=ratio,
        deadline_least=least,
    )


def figure_4_settings(deadlines: str) -> list[Setting]:
    """All but the analysis (Figure 4g), whose deadlines are not drawn."""
    found = [s for policy in EDF_FOUR for s in _at_loads(policy, deadlines=deadlines)]
    for policy in ("edf-opr-an", "edf-epr-an"):
        found += [s for ratio in DC_RATIOS for s in _at_loads(policy, dcratio=ratio, deadlines=deadlines)]
    for policy in ("edf-opr-mn", "edf-epr-mn"):
        found += [s for cps in SPEEDS for s in _at_loads(policy, cps=cps, deadlines=deadlines)]
    for policy in (MN, AN):
        found += [
            overhead(policy, cms, load, deadlines) for cms in SENDING for load in (*OVERHEAD_LOADS, 0.0)
        ]
        found += [
            at_gap(policy, gap, dcratio=ratio, deadlines=deadlines) for ratio in (2.0, 10.0) for gap in GAPS
        ]
    return found + order_settings(deadlines, False)


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
    found = [base(MN, load, take=EARLIEST) for load in LOADS]
    found += [overhead(MN, cms, load, take=EARLIEST) for cms in SENDING for load in (*OVERHEAD_LOADS, 0.0)]
    return found + [at_gap(MN, gap, dcratio=ratio, take=EARLIEST) for ratio in (2.0, 10.0) for gap in GAPS]


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
