"""What the paper claims of other settings, of idle time, and of local policies: Z18 to Z22."""

from collections.abc import Sequence
from dataclasses import replace

from molokini.studies.claims import Finding
from molokini.studies.comparing import EXCEPTIONS, TENDENCY
from molokini.studies.results import Interval, NotRun, Partly, Results, over
from molokini.studies.zhang2001_qos.cases import (
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
from molokini.studies.zhang2001_qos.paired import (
    MISSES,
    RESPONSE,
    clear,
    combined,
    less,
    mean,
    quotients,
    said,
    undecided,
)

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


def z18(results: Results) -> Finding:
    """The comparisons of Z1, Z4 and Z12 come out as with 16 nodes and 3 minutes."""
    partly = results.partly()
    base = _trends(partly, Mixed("1gs", "a", HIGH[-1]))
    alike = contrary = every = 0
    told = []
    for case in varied():
        found = _trends(partly, case)
        same = sum((a.above and b.above) or (a.below and b.below) for a, b in zip(base, found, strict=True))
        other = sum((a.above and b.below) or (a.below and b.above) for a, b in zip(base, found, strict=True))
        alike, contrary, every = alike + same, contrary + other, every + len(found)
        told.append(f"{case.nodes} nodes, {case.minutes} min: {same} alike, {other} contrary")
    why = (
        f"the five comparisons of Z1, Z4, Z12 at load {HIGH[-1]:g}, mix (a), beside 16 nodes and 3 min: "
        + "; ".join(told)
    )
    if not clear(base):
        return undecided(results, why)
    return said(alike == every, why, alike >= TENDENCY * every and contrary <= EXCEPTIONS * every)


def z19(results: Results) -> Finding:
    """With admission control less than a point more is missed beside best-effort jobs."""
    found = {
        one: results.partly().difference(Apart(one, 0.4, 0.3, True), Apart(one, 0.4, 0.0, True), MISSES)
        for one in TWO_LEVEL
    }
    told = ", ".join(f"{one} {value}" for one, value in found.items())
    return said(
        all(value.high < 0.01 for value in found.values()), f"missed more (share of all frames): {told}"
    )


def _response(results: Results, case: Local) -> float:
    found = mean(results, case, RESPONSE)
    if found is None:
        raise NotRun("no best-effort job ran")
    return found


def _clearly_better(partly: Partly, case: Local, others: Sequence[Local]) -> list[str]:
    return [one.name for one in others if partly.difference(one, case, RESPONSE).below]


def z20(results: Results) -> Finding:
    """Both among the best three by mean response; in shape where hardly another is clearly better."""
    partly = results.partly()
    told, inside, near = [], [], []
    for grain in GRAINS_US:
        cases = {name: Local(name, grain_us=grain) for name in LOCALS}
        order = sorted(LOCALS, key=lambda name, of=cases: _response(results, of[name]))  # type: ignore[misc]
        means = ", ".join(f"{name} {_response(results, cases[name]):.1f}" for name in order)
        better = {
            name: _clearly_better(partly, cases[name], [cases[one] for one in LOCALS if one != name])
            for name in ("pb", "pb-sb")
        }
        inside += [name in order[:3] for name in better]
        near += [len(one) < 3 for one in better.values()]
        clear = ", ".join(f"than {name} {len(one)}" for name, one in better.items())
        told.append(f"{grain / 1000:g} ms a round: mean response, s: {means}; clearly better {clear}")
    return said(all(inside), "; ".join(told), all(near))


def z21(results: Results) -> Finding:
    """Its mean response is within a tenth of the best; in shape within a quarter."""
    partly = results.partly()
    response = {k: _response(results, Local("pb", k)) for k in INTERVALS_US}
    told = ", ".join(f"{k / 1000:g} ms {value:.1f}" for k, value in response.items())
    ratio = over(response[1000], min(response.values()))
    worse = [
        k
        for k in INTERVALS_US
        if combined(partly, [(Local("pb"), RESPONSE, 1.0), (Local("pb", k), RESPONSE, -1.1)], RESPONSE).above
    ]
    why = f"mean response, s: {told}; 1 ms takes {ratio:.3f} times as long as the best"
    return said(ratio <= 1.1 and not worse, why, ratio <= 1.25)


def z22(results: Results) -> Finding:
    """I/O, and skew, lengthen responses under 1GS by a larger factor than under PS."""
    partly = results.partly()
    told, found = [], []
    for io, skew in IO_SKEW:
        losses = [
            quotients(
                results,
                Alone(scheme, io, skew),
                Alone(scheme),
                RESPONSE,
            )
            for scheme in ("1gs", "2dcs-ps")
        ]
        more = less(partly, losses[0], losses[1], "response of best-effort jobs")
        means = [sum(one.values()) / len(one) for one in losses]
        found.append(more)
        told.append(
            f"I/O {io}%, skew {skew}%: 1gs {means[0]:.2f}, 2dcs-ps {means[1]:.2f} times as long, {more} more"
        )
    if not clear(found):
        return undecided(results, "; ".join(told))
    return said(
        all(one.above for one in found),
        "; ".join(told),
        any(one.above for one in found) and not any(one.below for one in found),
    )
