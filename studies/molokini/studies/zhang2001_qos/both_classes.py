"""What the paper claims of other settings, of idle time, and of local policies: Z18 to Z22."""

from dataclasses import replace

from molokini.studies.claims import Claims, Finding, Verdict
from molokini.studies.results import Interval, NotRun, Partly, Results, over
from molokini.studies.rule import Count, above, at_most, in_shape_if, together
from molokini.studies.zhang2001_qos.paired import MISSES, RESPONSE, combined, less, mean, quotients
from molokini.studies.zhang2001_qos.qos_cases import (
    GRAINS_US,
    HIGH,
    INTERVALS_US,
    IO_SKEW,
    LOCALS,
    TWO_LEVEL,
    Alone,
    Apart,
    Local,
    Mixed,
    varied,
)

SAID = Claims()

_TRENDS = (
    ("2dcs-tdm", "1gs", RESPONSE),
    ("2dcs-ps", "1gs", RESPONSE),
    ("2dcs-ps", "2dcs-tdm", RESPONSE),
    ("1gs", "2dcs-tdm", MISSES),
    ("1gs", "2dcs-ps", MISSES),
)
"""What Z1, Z4 and Z12 compare."""


def _trends(partly: Partly, case: Mixed) -> list[Interval]:
    return [
        partly.difference(replace(case, scheme=one), replace(case, scheme=two), metric)
        for one, two, metric in _TRENDS
    ]


@SAID("z18", "appendix", "Other sizes and durations show the same trends.")
def _z18(results: Results) -> Finding:
    """The comparisons of Z1, Z4 and Z12 come out as with 16 nodes and 3 minutes."""
    partly = results.partly()
    base = _trends(partly, Mixed("1gs", "a", HIGH[-1]))
    alike = contrary = every = 0
    told = []
    for case in varied():
        found = _trends(partly, case)
        two = list(zip(base, found, strict=True))
        same = sum((a.above and b.above) or (a.below and b.below) for a, b in two)
        other = sum((a.above and b.below) or (a.below and b.above) for a, b in two)
        alike, contrary, every = alike + same, contrary + other, every + len(found)
        told.append(f"{case.nodes} nodes, {case.minutes} min: {same} alike, {other} contrary")
    said = f"the five comparisons of Z1, Z4, Z12 at load {HIGH[-1]:g}, mix (a), beside 16 nodes and 3 min: "
    return Finding(Count(alike, contrary, every - alike - contrary).verdict, said + "; ".join(told))


@SAID("z19", "6", "Idle time of one class serves the other without hurting it.")
def _z19(results: Results) -> Finding:
    """With admission control less than a point more is missed beside best-effort jobs."""
    found = {
        one: results.partly().difference(Apart(one, 0.4, 0.3, True), Apart(one, 0.4, 0.0, True), MISSES)
        for one in TWO_LEVEL
    }
    told = ", ".join(f"{one} {value}" for one, value in found.items())
    every = together([at_most(value, 0.01) for value in found.values()])
    return Finding(every.verdict, f"missed more (share of all frames): {told}")


def _response(results: Results, case: Local) -> float:
    found = mean(results, case, RESPONSE)
    if found is None:
        raise NotRun("no best-effort job ran")
    return found


@SAID("z20", "2.1 (cited)", "PB and PB-SB are the best of the nine local policies.")
def _z20(results: Results) -> Finding:
    """No more than two others are better than either; in shape where both are of the best three by mean."""
    partly = results.partly()
    told, inside, better, perhaps = [], [], [], []
    for grain in GRAINS_US:
        mean_of = {name: _response(results, Local(name, grain_us=grain)) for name in LOCALS}
        order = sorted(LOCALS, key=mean_of.__getitem__)
        clear = []
        for name in ("pb", "pb-sb"):
            two = [(Local(one, grain_us=grain), Local(name, grain_us=grain)) for one in LOCALS if one != name]
            apart = [partly.difference(*both, RESPONSE) for both in two]
            inside.append(name in order[:3])
            better.append(sum(one.below for one in apart))
            perhaps.append(sum(not one.above for one in apart))
            clear.append(f"than {name} {better[-1]}")
        means = ", ".join(f"{name} {mean_of[name]:.1f}" for name in order)
        few = f"clearly better {', '.join(clear)}"
        told.append(f"{grain / 1000:g} ms a round: mean response, s: {means}; {few}")
    if max(better) > 2:
        verdict = Verdict.CONTRADICTED
    elif max(perhaps) <= 2:
        verdict = Verdict.HOLDS
    else:
        verdict = Verdict.IN_SHAPE if all(inside) and len(results.seeds) > 1 else Verdict.UNDECIDED
    return Finding(verdict, "; ".join(told))


@SAID("z21", "appendix (cited)", "1 ms is near the best interval of periodic boost.")
def _z21(results: Results) -> Finding:
    """Its mean response is within a tenth of the best; in shape within a quarter."""
    partly = results.partly()
    response = {k: _response(results, Local("pb", k)) for k in INTERVALS_US}
    told = ", ".join(f"{k / 1000:g} ms {value:.1f}" for k, value in response.items())
    ratio = over(response[1000], min(response.values()))
    why = f"mean response, s: {told}; 1 ms takes {ratio:.3f} times as long as the best"
    return Finding(together([_no_longer(partly, k) for k in INTERVALS_US]).verdict, why)


def _no_longer(partly: Partly, boost_us: int) -> Finding:
    """That responses with 1 ms are no more than a tenth longer than with *boost_us*; in shape a quarter."""
    tenth, quarter = (
        combined(partly, [(Local("pb"), RESPONSE, 1.0), (Local("pb", boost_us), RESPONSE, -most)], RESPONSE)
        for most in (1.1, 1.25)
    )
    return in_shape_if(at_most(tenth, 0.0), at_most(quarter, 0.0))


@SAID("z22", "4.2", "Skew and I/O hurt gang scheduling.")
def _z22(results: Results) -> Finding:
    """I/O, and skew, lengthen responses under 1GS by a larger factor than under PS."""
    partly = results.partly()
    told, found = [], []
    for io, skew in IO_SKEW:
        two = (Alone(scheme, io, skew) for scheme in ("1gs", "2dcs-ps"))
        losses = [quotients(results, one, Alone(one.scheme), RESPONSE) for one in two]
        more = less(partly, losses[0], losses[1], "response of best-effort jobs")
        means = [sum(one.values()) / len(one) for one in losses]
        found.append(more)
        times = f"1gs {means[0]:.2f}, 2dcs-ps {means[1]:.2f} times as long, {more} more"
        told.append(f"I/O {io}%, skew {skew}%: {times}")
    return above(found, "; ".join(told))
