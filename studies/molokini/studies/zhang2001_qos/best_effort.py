"""What the paper claims of best-effort jobs: Z1 to Z6, Z14."""

from statistics import fmean

from molokini.studies.claims import Finding, Verdict
from molokini.studies.comparing import ordered
from molokini.studies.results import Interval, NotRun, Partly, Results
from molokini.studies.rule import above, exactly, no_more_than_shape, together
from molokini.studies.zhang2001_qos.paired import (
    BLOCKED,
    RESPONSE,
    Pairs,
    combined,
    less,
    mean,
    pairs,
    quotients,
)
from molokini.studies.zhang2001_qos.qos_cases import (
    HIGH,
    LOADS,
    MIXES,
    SCHEMES,
    TWO_LEVEL,
    Mixed,
    other_reading,
)

CLEARLY = 1.5
"""*Clearly worse*: so many times as long."""


def z1(results: Results) -> Finding:
    """Lower at every load and mix; at the upper loads more than 1.5 times as long."""
    partly = results.partly()
    order = ordered(partly, [p for low in TWO_LEVEL for p in pairs(low, "1gs")], RESPONSE)
    high = [p for low in TWO_LEVEL for p in pairs(low, "1gs", loads=HIGH)]
    excess = [
        combined(partly, [(gang, RESPONSE, 1.0), (low, RESPONSE, -CLEARLY)], RESPONSE) for low, gang in high
    ]
    ratios = [fmean(quotients(results, gang, low, RESPONSE).values()) for low, gang in high]
    many = above(excess, f"over {CLEARLY:g} times")
    why = (
        f"{order.why}; at the upper loads 1gs takes {min(ratios):.2f} to {max(ratios):.2f} times as long, "
        f"{many.why}"
    )
    return no_more_than_shape(Finding(order.verdict, why), unless=many.verdict is Verdict.HOLDS)


def z2(results: Results) -> Finding:
    """At mix (a), against both others: blocked lower, ready higher, the queue over half of the difference."""
    partly = results.partly()
    found = [p for low in TWO_LEVEL for p in pairs("1gs", low, ("a",))]
    shares = [
        combined(
            partly,
            [(gang, "be_all_queued_s", 1.0), (gang, RESPONSE, -0.5), (low, RESPONSE, 0.5)],
            RESPONSE,
        )
        for gang, low in found
    ]
    return together(
        {
            "blocked": ordered(partly, found, BLOCKED),
            "ready": ordered(partly, [(low, gang) for gang, low in found], "be_all_ready_s"),
            "queue": above(shares, "over half of the excess"),
        }
    )


def z3(results: Results) -> Finding:
    """Exactly nothing, with both readings of the source."""
    plain = [Mixed(scheme, mix, load) for scheme in TWO_LEVEL for mix in MIXES for load in LOADS]
    every = [*plain, *(other_reading(case) for case in plain)]
    queued = sum(sum(results.known(case, "be_all_queued_s")) for case in every)
    rejected = results.total(every, "rt_rejected")
    return exactly(
        queued == 0 and rejected == 0,
        f"seconds in arrival queues {queued:g}, rejected {rejected:g}, in {len(every)} cases",
    )


def _z4_pairs(arrivals: bool) -> Pairs:
    found = pairs("2dcs-ps", "2dcs-tdm", ("a",))
    return [(other_reading(one), other_reading(two)) for one, two in found] if arrivals else found


def z4(results: Results) -> Finding:
    """At mix (a) both lower; the verdict is that of frames that are always there."""
    partly = results.partly()
    parts = {}
    for arrivals in (False, True):
        reading = "frames one by one" if arrivals else "frames always there"
        for name, metric in (("response", RESPONSE), ("blocked", BLOCKED)):
            parts[f"{reading}, {name}"] = ordered(partly, _z4_pairs(arrivals), metric)
    verdict = together(list(parts.values())[:2]).verdict
    return Finding(verdict, together(parts).why)


def _z5_quotients(results: Results, mix: str, load: float, arrivals: bool) -> dict[int, float]:
    tdm, ps = (Mixed(scheme, mix, load, arrivals=arrivals) for scheme in ("2dcs-tdm", "2dcs-ps"))
    return quotients(results, tdm, ps, RESPONSE)


def z5(results: Results) -> Finding:
    """TDM over PS, seed by seed: more at (a) than at (b) and at (c), at equal loads."""
    partly = results.partly()
    told, verdicts = [], []
    for arrivals in (False, True):
        found = _z5_differences(partly, arrivals)
        means = ", ".join(f"({mix}) {_z5_mean(results, mix, arrivals):.3f}" for mix in MIXES)
        reading = "one by one" if arrivals else "always there"
        one = above(found, f"frames {reading}: response TDM over PS {means}; (a) less (b), (c)")
        told.append(one.why)
        verdicts.append(one.verdict)
    return Finding(verdicts[0], "; ".join(told))


def _z5_mean(results: Results, mix: str, arrivals: bool) -> float:
    found = [value for load in LOADS for value in _z5_quotients(results, mix, load, arrivals).values()]
    if not found:
        raise NotRun(f"no best-effort job of mix {mix} ran")
    return fmean(found)


def _z5_differences(partly: Partly, arrivals: bool) -> list[Interval]:
    found = []
    for mix in ("b", "c"):
        for load in LOADS:
            met = _z5_quotients(partly, "a", load, arrivals)
            departs = _z5_quotients(partly, mix, load, arrivals)
            try:
                found.append(less(partly, met, departs, f"response of ({mix})"))
            except NotRun as missing:
                reason = missing
    if not found:
        raise reason
    return found


def z6(results: Results) -> Finding:
    """More at (a) than at (b) and at (c), at equal loads."""
    metric = "class_switches_a_second"
    told = {}
    for arrivals in (False, True):
        found = [
            (
                Mixed("2dcs-ps", mix, load, arrivals=arrivals),
                Mixed("2dcs-ps", "a", load, arrivals=arrivals),
            )
            for mix in ("b", "c")
            for load in LOADS
        ]
        reading = "frames one by one" if arrivals else "frames always there"
        told[reading] = ordered(results.partly(), found, metric)
    plain = {
        mix: fmean(mean(results, Mixed("2dcs-ps", mix, load), metric) or 0.0 for load in LOADS)
        for mix in MIXES
    }
    means = ", ".join(f"({mix}) {value:.0f}" for mix, value in plain.items())
    return Finding(told["frames always there"].verdict, f"a second {means}; {together(told).why}")


def z14(results: Results) -> Finding:
    """Lower at every load of mix (b), under each scheme."""
    found = [(Mixed(one, "b", load, True), Mixed(one, "b", load)) for one in SCHEMES for load in LOADS]
    return ordered(results.partly(), found, RESPONSE)
