"""What Zhang and Sivasubramaniam 2001 claim (Z1 to Z22), as functions of our results."""

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from statistics import fmean

from molokini.studies.claims import Claim, Finding, Verdict
from molokini.studies.comparing import always_lower, never_higher
from molokini.studies.results import NotRun, Results
from molokini.studies.zhang2001_qos.cases import (
    HIGH,
    INTERVALS_US,
    LOADS,
    LOCALS,
    MIXES,
    SCHEMES,
    TWO_LEVEL,
    Apart,
    Local,
    Mixed,
    Window,
    varied,
)

KERNEL_S = 5e-6
"""A division begins with a check that fell into the synchronization, and the queue move of the process that
it takes the CPU from: 2 and 3 us of the kernel's, not of a class."""
_ROUNDING_S = 1e-9

Pairs = list[tuple[Mixed, Mixed]]


def _said(holds: bool, why: str, in_shape: bool = False) -> Finding:
    return Finding(Verdict.HOLDS if holds else Verdict.IN_SHAPE if in_shape else Verdict.FAILS, why)


def mean(results: Results, case: Hashable, metric: str) -> float | None:
    """The mean over the seeds in which it was measured, or None."""
    known = results.known(case, metric)
    return fmean(known) if known else None


def _pairs(
    one: str, other: str, mixes: Sequence[str] = tuple(MIXES), loads: Sequence[float] = LOADS
) -> Pairs:
    return [(Mixed(one, mix, load), Mixed(other, mix, load)) for mix in mixes for load in loads]


def _z1(results: Results) -> Finding:
    order = always_lower(results, [p for low in TWO_LEVEL for p in _pairs(low, "1gs")], "be_response_s")
    ratios = []
    for low in TWO_LEVEL:
        for one, other in _pairs(low, "1gs", loads=HIGH):
            a, b = mean(results, one, "be_response_s"), mean(results, other, "be_response_s")
            if a and b:
                ratios.append(b / a)
    least = min(ratios, default=0.0)
    holds = order.verdict is Verdict.HOLDS and least >= 1.5
    shape = order.verdict in (Verdict.HOLDS, Verdict.IN_SHAPE)
    return _said(
        holds, f"{order.why}; at the upper loads 1gs takes {least:.2f} times as long at least", shape
    )


def _z2(results: Results) -> Finding:
    pairs = _pairs("1gs", "2dcs-ps", ("a",))
    blocked = always_lower(results, pairs, "be_blocked_s")
    ready = always_lower(results, [(two, one) for one, two in pairs], "be_ready_s")
    shares = []
    for one, two in pairs:
        excess = (mean(results, one, "be_response_s") or 0) - (mean(results, two, "be_response_s") or 0)
        shares.append((mean(results, one, "be_queued_s") or 0) / excess if excess > 0 else 0.0)
    good = [blocked.verdict is Verdict.HOLDS, ready.verdict is Verdict.HOLDS, fmean(shares) > 0.5]
    told = ", ".join(f"{one:.2f}" for one in shares)
    why = f"blocked: {blocked.why}; ready: {ready.why}; queue's share of the excess by load: {told}"
    return _said(all(good), why, sum(good) >= 2)


def _z3(results: Results) -> Finding:
    every = [Mixed(scheme, mix, load) for scheme in TWO_LEVEL for mix in MIXES for load in LOADS]
    queued = sum(mean(results, case, "be_queued_s") or 0.0 for case in every)
    rejected = results.total(every, "rt_rejected")
    return _said(
        queued == 0 and rejected == 0, f"seconds in arrival queues {queued:g}, rejected {rejected:g}"
    )


def _z4(results: Results) -> Finding:
    response = always_lower(results, _pairs("2dcs-ps", "2dcs-tdm", ("a",)), "be_response_s")
    blocked = always_lower(results, _pairs("2dcs-ps", "2dcs-tdm", ("a",)), "be_blocked_s")
    verdict = response.verdict if blocked.verdict is response.verdict else Verdict.FAILS
    return Finding(verdict, f"response: {response.why}; blocked: {blocked.why}")


def _ratio(results: Results, mix: str, metric: str, top: str, bottom: str) -> list[float]:
    found = []
    for load in LOADS:
        a, b = (mean(results, Mixed(scheme, mix, load), metric) for scheme in (top, bottom))
        if a is not None and b:
            found.append(a / b)
    if not found:
        raise NotRun(f"{metric} of mix {mix} is undefined")
    return found


def _z5(results: Results) -> Finding:
    ratios = {mix: fmean(_ratio(results, mix, "be_response_s", "2dcs-tdm", "2dcs-ps")) for mix in MIXES}
    told = ", ".join(f"({mix}) {value:.3f}" for mix, value in ratios.items())
    higher = [ratios["a"] > ratios[mix] for mix in ("b", "c")]
    return _said(all(higher), f"response TDM over PS, mean over loads: {told}", any(higher))


def _z6(results: Results) -> Finding:
    found = {
        mix: fmean(
            mean(results, Mixed("2dcs-ps", mix, load), "class_switches_a_second") or 0 for load in LOADS
        )
        for mix in MIXES
    }
    told = ", ".join(f"({mix}) {value:.1f}" for mix, value in found.items())
    return _said(found["a"] > max(found["b"], found["c"]), f"class switches a second: {told}")


def _z7(results: Results) -> Finding:
    least = results.mean(Window("2dcs-tdm"), "least_s").mean
    why = (
        f"the least in any window of 3.002 s is {least:.9f} s, where a division begins with 5 us of the "
        "kernel (a check and a queue move)"
    )
    return _said(least >= 2.0 - KERNEL_S - _ROUNDING_S, why)


def _z8(results: Results) -> Finding:
    share = results.mean(Window("2dcs-ps"), "share").mean
    least = results.mean(Window("2dcs-ps"), "least_of_3_s").mean
    why = f"share {share:.4f}, least in 3 s {least:.6f} s; with a quantum of 10 ms for the real-time class"
    return _said(abs(share - 2 / 3) < 0.01 and least < 2.0, why)


def _z9(results: Results) -> Finding:
    return never_higher(results, _pairs("2dcs-tdm", "2dcs-ps"), "rt_miss_rate")


def _z10(results: Results) -> Finding:
    found = {mix: fmean(_ratio(results, mix, "rt_miss_rate", "2dcs-ps", "2dcs-tdm")) for mix in MIXES}
    told = ", ".join(f"({mix}) {value:.3f}" for mix, value in found.items())
    return _said(found["c"] > max(found["a"], found["b"]), f"miss rate PS over TDM, mean over loads: {told}")


def _z11(results: Results) -> Finding:
    return always_lower(
        results, [p for low in TWO_LEVEL for p in _pairs(low, "1gs", loads=LOADS[:1])], "rt_miss_rate"
    )


def _z12(results: Results) -> Finding:
    pairs = [p for high in TWO_LEVEL for p in _pairs("1gs", high, loads=LOADS[-1:])]
    found = always_lower(results, pairs, "rt_miss_rate")
    why = f"{found.why}; their conclusion (6), that 1gs misses more in general, is not what section 5.1 says"
    return Finding(found.verdict, why)


def _z13(results: Results) -> Finding:
    shares = [mean(results, Mixed("1gs", "a", load), "rt_rejected_share") or 0.0 for load in LOADS]
    rising = all(a <= b + 0.02 for a, b in pairwise(shares))
    told = ", ".join(f"{share:.2f}" for share in shares)
    return _said(shares[-1] >= 0.1 and rising, f"rejected by load, mix (a): {told}", shares[-1] >= 0.1)


def _z14(results: Results) -> Finding:
    pairs = [(Mixed(one, "b", load, True), Mixed(one, "b", load)) for one in SCHEMES for load in LOADS]
    return always_lower(results, pairs, "be_response_s")


def _z15(results: Results) -> Finding:
    before = {one: mean(results, Mixed(one, "b", 3.0), "rt_miss_rate") or 0.0 for one in TWO_LEVEL}
    after = {one: mean(results, Mixed(one, "b", 3.0, True), "rt_miss_rate") or 0.0 for one in TWO_LEVEL}
    told = ", ".join(f"{one} {before[one]:.1%} to {after[one]:.2%}" for one in TWO_LEVEL)
    high = all(0.6 <= value <= 0.8 for value in before.values())
    low = all(value < 0.01 for value in after.values())
    exact = all(value <= 0.003 for value in after.values())
    return _said(high and exact, f"at load 3.0: {told}", all(v >= 0.5 for v in before.values()) and low)


def _z16(results: Results) -> Finding:
    plain = max(mean(results, Mixed("1gs", "b", load, True), "rt_miss_rate") or 0.0 for load in LOADS)
    carried = mean(results, Mixed("1gs", "b", HIGH[-1], True, carry_over=True), "rt_miss_rate") or 0.0
    why = f"missed {plain:.4%} at most; {carried:.4%} where surplus frames count for the next period"
    return _said(plain == 0.0, why, carried == 0.0)


def _z17(results: Results) -> Finding:
    shares = {one: mean(results, Mixed(one, "b", 3.0, True), "rt_rejected_share") or 0.0 for one in SCHEMES}
    told = ", ".join(f"{one} {value:.1%}" for one, value in shares.items())
    near = max(shares.values()) - min(shares.values()) <= 0.1
    return _said(
        min(shares.values()) > 0.5 and near, f"rejected at load 3.0: {told}", min(shares.values()) > 0.5
    )


def _z18(results: Results) -> Finding:
    counted, every, told = 0, 0, []
    for case in varied():
        of = {
            scheme: Mixed(scheme, "a", case.load, nodes=case.nodes, minutes=case.minutes)
            for scheme in SCHEMES
        }
        response = {scheme: mean(results, of[scheme], "be_response_s") or 0.0 for scheme in SCHEMES}
        miss = {scheme: mean(results, of[scheme], "rt_miss_rate") or 0.0 for scheme in SCHEMES}
        good = (
            response["1gs"] > max(response[one] for one in TWO_LEVEL),
            response["2dcs-ps"] < response["2dcs-tdm"],
            miss["1gs"] <= min(miss[one] for one in TWO_LEVEL),
        )
        counted, every = counted + sum(good), every + len(good)
        told.append(f"{case.nodes} nodes, {case.minutes} min: {sum(good)} of {len(good)}")
    return _said(
        counted == every, f"orders of Z1, Z4, Z12 found: {'; '.join(told)}", counted >= 2 * every / 3
    )


def _z19(results: Results) -> Finding:
    found = [
        (mean(results, Apart(one, 0.4, 0.3, True), "rt_miss_rate") or 0.0)
        - (mean(results, Apart(one, 0.4, 0.0, True), "rt_miss_rate") or 0.0)
        for one in TWO_LEVEL
    ]
    return _said(max(found) < 0.01, "missed more: " + ", ".join(f"{value:+.3%}" for value in found))


def _z20(results: Results) -> Finding:
    response = {name: mean(results, Local(name), "be_response_s") or float("inf") for name in LOCALS}
    order = sorted(LOCALS, key=lambda name: response[name])
    told = ", ".join(f"{name} {response[name]:.1f}" for name in order)
    inside = [name in order[:3] for name in ("pb", "pb-sb")]
    return _said(all(inside), f"mean response, s: {told}", any(inside))


def _z21(results: Results) -> Finding:
    response = {k: mean(results, Local("pb", k), "be_response_s") or float("inf") for k in INTERVALS_US}
    told = ", ".join(f"{k / 1000:g} ms {value:.1f}" for k, value in response.items())
    best = min(response.values())
    return _said(response[1000] <= 1.1 * best, f"mean response, s: {told}", response[1000] <= 1.25 * best)


def _z22(results: Results) -> Finding:
    told, worse = [], []
    for io, skew in ((10, 0), (0, 50)):
        losses = []
        for scheme in ("1gs", "2dcs-ps"):
            base = mean(results, Apart(scheme, 0.0, 0.3, False, 0, 0), "be_response_s")
            hurt = mean(results, Apart(scheme, 0.0, 0.3, False, io, skew), "be_response_s")
            if base is None or hurt is None:
                raise NotRun("no best-effort job ended")
            losses.append(hurt / base)
        worse.append(losses[0] > losses[1])
        told.append(f"I/O {io}%, skew {skew}%: 1gs {losses[0]:.2f}, 2dcs-ps {losses[1]:.2f} times as long")
    return _said(all(worse), "; ".join(told), any(worse))


_ROWS: Sequence[tuple[str, str, str, Callable[[Results], Finding]]] = (
    ("z1", "5.1, figure 5(i)", "1GS has clearly the longest best-effort responses, in all mixes.", _z1),
    (
        "z2",
        "5.1",
        "Under 1GS best-effort jobs are blocked less and ready longer; their queue is most of the excess.",
        _z2,
    ),
    ("z3", "5.1", "Both two-level schemes have no arrival wait and reject nobody.", _z3),
    ("z4", "figure 5(a)(i)", "PS has shorter best-effort responses than TDM, because of less blocking.", _z4),
    ("z5", "figure 5(b,c)(i)", "That advantage shrinks where the mix departs from the fairness ratio.", _z5),
    ("z6", "5.1", "PS switches classes most often where the mix meets the ratio.", _z6),
    ("z7", "5.1", "TDM guarantees the real-time class its share in every window of a cycle.", _z7),
    ("z8", "5.1", "PS guarantees it only in the long run.", _z8),
    ("z9", "figure 5(ii)", "TDM misses a little less than PS.", _z9),
    ("z10", "figure 5(c)(ii)", "That difference is plainest at 1:9.", _z10),
    ("z11", "figure 5(ii)", "At low rates 1GS misses more than both others.", _z11),
    ("z12", "figure 5(ii)", "At high rates 1GS misses less than both, because it rejects.", _z12),
    ("z13", "figure 5(iii)", "1GS rejects a significant part of the real-time jobs.", _z13),
    ("z14", "figure 6", "Admission control tends to shorten best-effort responses.", _z14),
    (
        "z15",
        "figure 6",
        "With admission control misses of both two-level schemes fall from 70% to 0.1%.",
        _z15,
    ),
    ("z16", "figure 6", "1GS with admission control misses nothing.", _z16),
    (
        "z17",
        "figure 6(iii)",
        "More than half of the real-time jobs are rejected then, alike in all schemes.",
        _z17,
    ),
    ("z18", "appendix", "Other sizes and durations show the same trends.", _z18),
    ("z19", "6", "Idle time of one class serves the other without hurting it.", _z19),
    ("z20", "2.1 (cited)", "PB and PB-SB are the best of the nine local policies.", _z20),
    ("z21", "appendix (cited)", "1 ms is near the best interval of periodic boost.", _z21),
    ("z22", "4.2", "Skew and I/O hurt gang scheduling.", _z22),
)

CLAIMS = [Claim(name, place, text, check) for name, place, text, check in _ROWS]
