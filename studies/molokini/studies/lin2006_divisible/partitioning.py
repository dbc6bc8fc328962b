"""Claims of section 5.1: the optimal partitioning rule against equal chunks."""

from typing import Any

from molokini.applications.divisible import fractions
from molokini.studies.claims import Claim, Figure, Finding
from molokini.studies.comparing import (
    Pair,
    alike,
    falls_with,
    mean_difference,
    never_higher,
    ordered,
)
from molokini.studies.lin2006_divisible.experiments import (
    DC_RATIOS,
    SPEEDS,
    base,
    cases,
    figure_4_settings,
    pairs,
    variations,
)
from molokini.studies.lin2006_divisible.setting import RAISE, REJECTED, costs
from molokini.studies.results import Results
from molokini.studies.rule import by_intervals, exactly

LIGHT = 0.7
"""The largest SystemLoad at which no more comes than all nodes can do: sizes of 0 or less are drawn again."""
NEAR = 0.01
"""Reject ratios that differ by no more lie on one another in a figure from 0 to 1."""


def claims(deadlines: str = RAISE) -> list[Claim]:
    """The claims on Figures 4a to 4c, under a reading of the deadlines."""
    more = {"deadlines": deadlines}

    def lower(opr: str, epr: str, *changes: dict[str, Any]) -> Any:
        compared = [pair for change in changes for pair in pairs(opr, epr, **more, **change)]
        return lambda results: ordered(results, compared, REJECTED)

    extreme = [{"cps": 10.0}, {"cps": 10000.0}]
    ratios = [{"dcratio": 2.0}, {"dcratio": 10.0}, {"dcratio": 100.0}]
    loosest = pairs("edf-opr-an", "edf-epr-an", dcratio=100.0, **more)
    light = [pair for pair in loosest if pair[0].load <= LIGHT]
    slowest = pairs("edf-opr-mn", "edf-epr-mn", cps=10000.0, **more)
    return [
        Claim(
            "opr-mn",
            "5.1.2, Figure 4a",
            "In the basic model EDF-OPR-MN always rejects less than EDF-EPR-MN.",
            lower("edf-opr-mn", "edf-epr-mn", {}),
        ),
        Claim(
            "opr-an",
            "5.1.2, Figure 4a",
            "In the basic model EDF-OPR-AN always rejects less than EDF-EPR-AN.",
            lower("edf-opr-an", "edf-epr-an", {}),
        ),
        Claim(
            "dcratio-lower",
            "5.1.3, Figure 4b",
            "With DCRatio 2, 10 and 100 EDF-OPR-AN rejects less than EDF-EPR-AN.",
            lower("edf-opr-an", "edf-epr-an", *ratios),
        ),
        Claim(
            "dcratio-closer",
            "5.1.3, Figure 4b",
            "As DCRatio grows (2, 3, 10, 20, 100), EDF-EPR-AN comes closer to EDF-OPR-AN.",
            lambda results: _closer(results, ("edf-opr-an", "edf-epr-an"), "dcratio", DC_RATIOS, more),
        ),
        Claim(
            "dcratio-same",
            "5.1.3, Figure 4b",
            "With DCRatio 100 EDF-EPR-AN and EDF-OPR-AN perform almost the same.",
            lambda results: alike(results, loosest, REJECTED, NEAR),
            readings={"where nodes can do what comes": lambda results: alike(results, light, REJECTED, NEAR)},
        ),
        Claim(
            "speed-lower",
            "5.1.4, Figure 4c",
            "With C_ps 10 and 10,000 EDF-OPR-MN rejects less than EDF-EPR-MN.",
            lower("edf-opr-mn", "edf-epr-mn", *extreme),
        ),
        Claim(
            "speed-closer",
            "5.1.4, Figure 4c",
            "As C_ps grows from 10 to 10,000, the two differ less and less.",
            lambda results: _closer(results, ("edf-opr-mn", "edf-epr-mn"), "cps", SPEEDS, more),
        ),
        Claim(
            "speed-same",
            "5.1.4, Figure 4c",
            "With C_ps 10,000 the curves of EDF-OPR-MN and EDF-EPR-MN almost lie on one another.",
            lambda results: alike(results, slowest, REJECTED, NEAR),
        ),
    ]


def appendix_claims() -> list[Claim]:
    """What is said of the other pairs and parameters, Figures 6 to 18 in the appendix."""
    sizes = [{"nodes": nodes, "cms": cms} for nodes in (32, 64) for cms in (1.0, 2.0, 4.0)]
    sending = [{"cms": cms} for cms in (1.0, 2.0, 4.0, 8.0)]
    data = [{"sigma": s, "cms": c} for s in (100.0, 400.0, 800.0) for c in (1.0, 2.0, 4.0, 8.0)]
    changed = [*sizes, *sending, *data]
    others = [("fifo-opr-mn", "fifo-epr-mn"), ("fifo-opr-an", "fifo-epr-an"), ("mwf-opr-mn", "mwf-epr-mn")]
    found = [
        Claim(
            f"changed-{two[0][4:]}",
            "5.1.2, Figures 6, 10, 11, 12",
            f"So it is with N 32 and 64, C_ms 1 to 8, Avg sigma 100 to 800: {two[0].upper()} always rejects "
            f"less than {two[1].upper()}.",
            lambda results, two=two: ordered(results, _all(two, changed), REJECTED),  # type: ignore[misc]
        )
        for two in (("edf-opr-mn", "edf-epr-mn"), ("edf-opr-an", "edf-epr-an"))
    ]
    found += [
        Claim(
            f"pair-{two[0]}",
            f"5.1, Figures {figures}",
            f"The other pairs are like that: {two[0].upper()} rejects less than {two[1].upper()}, whatever "
            "the parameters.",
            lambda results, two=two: ordered(results, _all(two, variations(False)), REJECTED),  # type: ignore[misc]
        )
        for two, figures in zip(others, ("13 to 15", "13 to 15", "16 to 18"), strict=True)
    ]
    return [
        *found,
        Claim(
            "always",
            "5.1.4, conclusion",
            "Whatever the parameters, algorithms with OPR always perform better than those with EPR.",
            lambda results: ordered(results, everything(), REJECTED),
        ),
        Claim(
            "never-more",
            "5.1.4, conclusion",
            "Put more carefully: for no parameters of the paper OPR rejects more than EPR beyond the "
            "interval.",
            lambda results: never_higher(results, everything(), REJECTED),
        ),
    ]


def model_claims() -> list[Claim]:
    """What section 5 says of runs and loads, and 5.1.4 of fractions."""
    return [
        Claim(
            "system-load",
            "5, Workload Generation",
            "SystemLoad is the number of tasks times E(Avg sigma, N) over the simulated time.",
            _system_load,
        ),
        Claim(
            "long-enough",
            "5, metric",
            "10,000,000 time units are long enough (read as: over ten seeds the 95% interval of a reject "
            "ratio is no wider than 0.01 to either side).",
            _long_enough,
        ),
        Claim(
            "fractions",
            "5.1.4, analysis",
            "Where C_ms / C_ps goes to 0, OPR's fractions go to 1/n each.",
            lambda _: _fractions(),
        ),
    ]


def everything() -> list[Pair]:
    """OPR against EPR for every parameter set of the paper, all else equal."""
    found = []
    for two, full in (
        (("edf-opr-mn", "edf-epr-mn"), True),
        (("edf-opr-an", "edf-epr-an"), True),
        (("fifo-opr-mn", "fifo-epr-mn"), False),
        (("fifo-opr-an", "fifo-epr-an"), False),
        (("mwf-opr-mn", "mwf-epr-mn"), False),
    ):
        found += _all(two, variations(full))
    return list(dict.fromkeys(found))


def _all(two: tuple[str, str], changes: list[dict[str, Any]]) -> list[Pair]:
    return list(dict.fromkeys(pair for change in changes for pair in pairs(*two, **change)))


def _closer(
    results: Results, two: tuple[str, str], parameter: str, values: tuple[float, ...], more: dict[str, Any]
) -> Finding:
    opr, epr = two
    steps = []
    for value in values:
        compared = pairs(epr, opr, **{parameter: value}, **more)
        steps.append((f"{value:g}", mean_difference(results, compared, REJECTED)))
    found = falls_with(steps)
    return Finding(found.verdict, f"EPR less OPR, mean over the ten loads, at {found.why}")


def _system_load(results: Results) -> Finding:
    figures, near = [], True
    for load in (0.1, 0.5, 1.0):
        ours = results.mean(base("edf-opr-an", load), "nominal_load")
        counted = results.mean(base("edf-opr-an", load), "counted_load")
        near = near and counted.low <= load <= counted.high
        figures += [Figure(f"SystemLoad {load:g}, counted", load, counted)]
        assert abs(ours.mean - load) < 1e-9
    delivered = results.mean(base("edf-opr-an", 0.5), "delivered_load")
    why = (
        "the counted load agrees with the one asked for; what really came, with sizes of 0 or less drawn "
        f"again, is more: at 0.5 it is {delivered}"
    )
    return by_intervals(near, why, figures, in_shape=True)


def _long_enough(results: Results) -> Finding:
    settings = sorted(set(figure_4_settings(RAISE)), key=repr)
    wide = [results.mean(setting, REJECTED) for setting in settings]
    widest = max((one.high - one.low) / 2 for one in wide)
    within = sum((one.high - one.low) / 2 <= NEAR for one in wide)
    why = f"{within} of {len(wide)} cases of Figure 4; the widest half is {widest:.4f}"
    return by_intervals(within == len(wide), why, in_shape=within >= 0.9 * len(wide))


def _fractions() -> Finding:
    away = []
    for cps in SPEEDS:
        shares = fractions("opr", 200.0, 16, costs(1.0, cps))
        away.append(max(abs(16 * share - 1) for share in shares))
    told = ", ".join(f"C_ps {cps:g}: {share:.2%}" for cps, share in zip(SPEEDS, away, strict=True))
    falling = away == sorted(away, reverse=True) and away[-1] < 0.01
    return exactly(falling, f"largest distance of a fraction from 1/16, as a share of it: {told}")


def guarantee(results: Results) -> Finding:
    """No admitted task of any run was late."""
    settings = cases()
    late = results.total(settings, "missed")
    tasks = results.total(settings, "jobs")
    return exactly(not late, f"{late:,.0f} of {tasks:,.0f} tasks, those of all runs, were admitted and late")
