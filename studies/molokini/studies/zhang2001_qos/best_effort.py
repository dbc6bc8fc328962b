"""What the paper claims of best-effort jobs: Z1 to Z6, Z14."""

from statistics import fmean

from molokini.process_sim.scenario import Frames
from molokini.studies.claims import Claims, Finding
from molokini.studies.comparing import ordered
from molokini.studies.results import NotRun, Results
from molokini.studies.rule import above, exactly, together
from molokini.studies.zhang2001_qos.paired import (
    BLOCKED,
    QUEUED,
    READY,
    RESPONSE,
    combined,
    less,
    mean,
    pairs,
    quotients,
)
from molokini.studies.zhang2001_qos.qos_cases import HIGH, LOADS, MIXES, SCHEMES, SOURCES, TWO_LEVEL, Mixed

SAID = Claims()


@SAID(
    "z1",
    "5.1, figures 5a(i), 5b, 5c",
    "1GS has significantly the longest best-effort responses, in all mixes.",
    SOURCES,
)
def _z1(results: Results, source: Frames) -> Finding:
    """Longer beyond the interval at every load and mix; how much longer is told."""
    found = [p for low in TWO_LEVEL for p in pairs(low, "1gs", source=source)]
    order = ordered(results.partly(), found, RESPONSE)
    each = [quotients(results, gang, one, RESPONSE) for one, gang in found if one.load in HIGH]
    ratios = [fmean(one.values()) for one in each if one]
    times = f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "no known number of"
    told = f"two-level against 1gs: {order.why}; at the upper loads 1gs takes {times} times as long"
    return Finding(order.verdict, told)


@SAID(
    "z2",
    "5.1",
    "Under 1GS best-effort jobs are blocked less and ready longer; their queue is most of the excess.",
    SOURCES,
)
def _z2(results: Results, source: Frames) -> Finding:
    """At mix (a), against both others: blocked lower, ready higher, the queue over half of the difference."""
    partly = results.partly()
    found = [p for low in TWO_LEVEL for p in pairs("1gs", low, ("a",), source=source)]
    shares = [
        combined(partly, [(gang, QUEUED, 1.0), (gang, RESPONSE, -0.5), (low, RESPONSE, 0.5)], RESPONSE)
        for gang, low in found
    ]
    return together(
        {
            "blocked, 1gs against two-level": ordered(partly, found, BLOCKED),
            "ready, two-level against 1gs": ordered(partly, [(low, gang) for gang, low in found], READY),
            "queue": above(shares, "over half of the excess"),
        }
    )


@SAID("z3", "5.1", "Both two-level schemes have no arrival wait and reject no job.")
def _z3(results: Results) -> Finding:
    """Exactly nothing, with every source."""
    every = [case for source in SOURCES for pair in pairs(*TWO_LEVEL, source=source) for case in pair]
    queued = sum(sum(results.known(case, QUEUED)) for case in every)
    rejected = results.total(every, "rt_rejected")
    why = f"seconds in arrival queues {queued:g}, rejected {rejected:g}, in {len(every)} cases"
    return exactly(queued == 0 and rejected == 0, why)


@SAID(
    "z4", "figure 5a(i)", "PS has shorter best-effort responses than TDM, because of less blocking.", SOURCES
)
def _z4(results: Results, source: Frames) -> Finding:
    """At mix (a) both lower."""
    found = pairs("2dcs-ps", "2dcs-tdm", ("a",), source=source)
    named = (("response", RESPONSE), ("blocked", BLOCKED))
    return together({name: ordered(results.partly(), found, metric) for name, metric in named})


@SAID(
    "z5",
    "figures 5b, 5c",
    "That advantage shrinks where the mix departs from the fairness ratio.",
    SOURCES,
)
def _z5(results: Results, source: Frames) -> Finding:
    """TDM over PS, seed by seed: more at (a) than at (b) and at (c), at equal loads."""
    over = {
        (one.mix, one.load): quotients(results, one, other, RESPONSE)
        for one, other in pairs(*TWO_LEVEL, source=source)
    }
    means = []
    for mix in MIXES:
        known = [value for load in LOADS for value in over[mix, load].values()]
        if not known:
            raise NotRun(f"no best-effort job of mix {mix} ran")
        means.append(f"({mix}) {fmean(known):.3f}")
    found = []
    for mix in ("b", "c"):
        for load in LOADS:
            try:
                found.append(less(results.partly(), over["a", load], over[mix, load], f"response of ({mix})"))
            except NotRun as missing:
                reason = missing
    if not found:
        raise reason
    return above(found, f"response TDM over PS {', '.join(means)}; (a) less (b), (c)")


@SAID("z6", "5.1", "PS switches classes most often where the mix meets the ratio.", SOURCES)
def _z6(results: Results, source: Frames) -> Finding:
    """More at (a) than at (b) and at (c), at equal loads."""
    by_mix = {mix: [Mixed("2dcs-ps", mix, load, source=source) for load in LOADS] for mix in MIXES}
    metric = "class_switches_a_second"
    found = [pair for mix in ("b", "c") for pair in zip(by_mix[mix], by_mix["a"], strict=True)]
    means = ", ".join(
        f"({mix}) {fmean(mean(results, case, metric) or 0.0 for case in cases):.0f}"
        for mix, cases in by_mix.items()
    )
    order = ordered(results.partly(), found, metric)
    return Finding(order.verdict, f"a second {means}; (b), (c) against (a): {order.why}")


@SAID("z14", "figure 6", "Admission control tends to shorten best-effort responses.", SOURCES)
def _z14(results: Results, source: Frames) -> Finding:
    """Lower at every load of mix (b), under each scheme; what *tends* holds where most are clear."""
    found = [
        (Mixed(one, "b", load, True, source=source), Mixed(one, "b", load, source=source))
        for one in SCHEMES
        for load in LOADS
    ]
    return ordered(results.partly(), found, RESPONSE)
