"""The curves of figures 5 and 6, and the nine local policies, from our results."""

from collections.abc import Sequence

from molokini.metrics.curves import Curve, Panel
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table
from molokini.studies.zhang2001_qos.cases import INTERVALS_US, LOADS, LOCALS, MIXES, SCHEMES, Local, Mixed
from molokini.studies.zhang2001_qos.claims import mean

_METRICS = (
    ("be_response_s", "best-effort response (s)"),
    ("rt_miss_rate", "frames missed (share)"),
    ("rt_rejected_share", "real-time jobs rejected (share)"),
)


def _panels(results: Results, mix: str, admissions: Sequence[bool]) -> list[Panel]:
    rates = ":".join(str(rate) for rate in MIXES[mix])
    found = []
    for metric, label in _METRICS:
        curves = []
        for place, scheme in enumerate(SCHEMES):
            for admission in admissions:
                points = [
                    (load, mean(results, Mixed(scheme, mix, load, admission), metric)) for load in LOADS
                ]
                known = [(x, y) for x, y in points if y is not None]
                if known:
                    name = f"{scheme}{', admission' if admission else ''}"
                    curves.append(
                        Curve(
                            name, [x for x, _ in known], [y for _, y in known], style=place, dashed=admission
                        )
                    )
        if curves:
            found.append(Panel(f"arrival rates {rates}", "offered load", label, curves))
    return found


def pictures(results: Results) -> list[Picture]:
    """Figures 5 (a) to (c) and 6."""
    found = [
        Picture(
            f"figure-5{mix}",
            f"Figure 5({mix}): arrival rates {':'.join(str(rate) for rate in MIXES[mix])}",
            "Without admission control.",
            _panels(results, mix, (False,)),
            3,
        )
        for mix in MIXES
    ]
    return [
        *found,
        Picture(
            "figure-6",
            "Figure 6: with and without admission control",
            "Rates 9:1.",
            _panels(results, "b", (False, True)),
            3,
        ),
    ]


def tables(results: Results) -> list[Table]:
    """The nine local policies on best-effort jobs alone, and the intervals of periodic boost."""
    rows = []
    for name in LOCALS:
        values = [
            mean(results, Local(name), metric) for metric in ("be_response_s", "share_spin", "share_switch")
        ]
        rows.append([name, *("-" if value is None else f"{value:.4g}" for value in values)])
    columns = ["policy", "mean response (s)", "spinning (share of CPU time)", "switching"]
    intervals = [
        [f"{k / 1000:g}", f"{mean(results, Local('pb', k), 'be_response_s') or 0:.4g}"] for k in INTERVALS_US
    ]
    return [
        Table("local policies, best-effort jobs alone", "section 2.1", columns, rows),
        Table(
            "the interval of periodic boost", "appendix", ["interval (ms)", "mean response (s)"], intervals
        ),
    ]
