"""What the paper claims of real-time jobs: Z7 to Z13, Z15 to Z17."""

from statistics import fmean

from molokini.studies.claims import Figure, Finding, Verdict
from molokini.studies.comparing import ordered, rises_with
from molokini.studies.results import NotRun, Results
from molokini.studies.rule import (
    above,
    at_least,
    at_most,
    exactly,
    no_more_than_shape,
    together,
    weakest,
    within,
)
from molokini.studies.zhang2001_qos.paired import MISSES, interval_of, less, mean, pairs
from molokini.studies.zhang2001_qos.qos_cases import (
    HIGH,
    LOADS,
    MIXES,
    OVERLOAD,
    SCHEMES,
    TWO_LEVEL,
    Mixed,
    Window,
    other_reading,
)

KERNEL_S = 5e-6
"""A division begins with a check that fell into the synchronization, and the queue move of the process that
it takes the CPU from: 2 and 3 us of the kernel's, not of a class."""
_ROUNDING_S = 1e-9
_NO_MISSES = 1e-9


def z7(results: Results) -> Finding:
    """Exactly, beside a greedy real-time process on one node."""
    least = results.mean(Window("2dcs-tdm"), "least_s").mean
    why = (
        f"the least in any window of 3.002 s is {least:.9f} s, where a division begins with 5 us of the "
        "kernel (a check and a queue move)"
    )
    return exactly(least >= 2.0 - KERNEL_S - _ROUNDING_S, why)


def z8(results: Results) -> Finding:
    """The share within 1% of 2/3, and less in some window of 3 s."""
    share = results.mean(Window("2dcs-ps"), "share").mean
    least = results.mean(Window("2dcs-ps"), "least_of_3_s").mean
    why = f"share {share:.4f}, least in 3 s {least:.6f} s; with a quantum of 10 ms for the real-time class"
    return exactly(abs(share - 2 / 3) < 0.01 and least < 2.0, why)


def z9(results: Results) -> Finding:
    """Lower at every load and mix."""
    partly = results.partly()
    plain = ordered(partly, pairs("2dcs-tdm", "2dcs-ps"), MISSES)
    other = ordered(
        partly,
        [(other_reading(one), other_reading(two)) for one, two in pairs("2dcs-tdm", "2dcs-ps")],
        MISSES,
    )
    return Finding(plain.verdict, f"{plain.why}; frames one by one: {other.why}")


def _relative(results: Results, mix: str) -> dict[int, float]:
    """By seed: what PS misses more than TDM, as a share of what both miss, over all loads."""
    found: dict[int, float] = {}
    for seed in results.seeds:
        sums = []
        for scheme in ("2dcs-ps", "2dcs-tdm"):
            every = [results.by_seed(Mixed(scheme, mix, load), MISSES).get(seed, 0.0) for load in LOADS]
            sums.append(sum(every))
        if sum(sums) > _NO_MISSES:
            found[seed] = (sums[0] - sums[1]) / sum(sums)
    return found


def z10(results: Results) -> Finding:
    """The relative difference is larger at (c) than at (a) and at (b)."""
    partly = results.partly()
    by_mix = {mix: _relative(results, mix) for mix in MIXES}
    told = ", ".join(f"({mix}) {fmean(one.values()):+.4f}" for mix, one in by_mix.items() if one)
    why = f"PS less TDM, as a share of what both miss: {told or 'no frame is missed'}"
    try:
        found = [less(partly, by_mix["c"], by_mix[mix], "misses of mix (c)") for mix in ("a", "b")]
    except NotRun as missing:
        return Finding(Verdict.UNTESTABLE, f"{missing}: with 1:9 hardly a frame is missed; {why}")
    return above(found, why)


def z11(results: Results) -> Finding:
    """Lower under both others at the lowest load, all mixes."""
    found = [p for low in TWO_LEVEL for p in pairs(low, "1gs", loads=LOADS[:1])]
    return ordered(results.partly(), found, MISSES)


def z12(results: Results) -> Finding:
    """Lower than both others at the highest load, all mixes."""
    found = [p for high in TWO_LEVEL for p in pairs("1gs", high, loads=LOADS[-1:])]
    order = ordered(results.partly(), found, MISSES)
    why = f"{order.why}; their conclusion (6), that 1gs misses more in general, is not what section 5.1 says"
    return Finding(order.verdict, why)


def z13(results: Results) -> Finding:
    """A tenth or more at the highest load of mixes (a) and (b), and more with the load."""
    rejected = "rt_rejected_share"
    last = {mix: interval_of(results, Mixed("1gs", mix, LOADS[-1]), rejected) for mix in ("a", "b")}
    rising = rises_with([(f"{load:g}", _all(results, Mixed("1gs", "a", load), rejected)) for load in LOADS])
    told = ", ".join(f"({mix}) {one}" for mix, one in last.items())
    why = f"at load {LOADS[-1]:g}: {told}; by load, mix (a): {rising.why}"
    high = together([at_least(one, 0.1) for one in last.values()])
    return Finding(weakest([high.verdict, rising.verdict]), why)


def _all(results: Results, case: Mixed, metric: str) -> list[float]:
    """One value a seed; where no real-time job arrived none was rejected."""
    found = results.by_seed(case, metric)
    return [found.get(seed, 0.0) for seed in results.seeds]


def z15(results: Results) -> Finding:
    """60 to 80% before at the overload; after, below 1% in shape, up to 0.3% to hold."""
    before = {one: interval_of(results, Mixed(one, "b", OVERLOAD), MISSES) for one in TWO_LEVEL}
    after = {one: interval_of(results, Mixed(one, "b", OVERLOAD, True), MISSES) for one in TWO_LEVEL}
    told = ", ".join(f"{one} {before[one].mean:.1%} to {after[one].mean:.3%}" for one in TWO_LEVEL)
    figures = [
        Figure(f"{one}, frames missed, {name}", published, of[one])
        for one in TWO_LEVEL
        for name, published, of in (("no control", 0.7, before), ("admission", 0.001, after))
    ]
    reached = [within(value, 0.6, 0.8) for value in before.values()]
    low = [at_most(value, 0.003, slack=0.007) for value in after.values()]
    return Finding(
        together([*reached, *low]).verdict,
        f"at load {OVERLOAD:g} ({_rt_load():.1f} of it real time): {told}",
        figures,
    )


def _rt_load() -> float:
    from molokini.studies.zhang2001_qos.qos_cases import loads_of

    return loads_of("b", OVERLOAD)[0]


def z16(results: Results) -> Finding:
    """Exactly nothing, under every seed."""
    cases = [Mixed("1gs", "b", load, True) for load in (*LOADS, OVERLOAD)]
    missed = max((value for case in cases for value in results.known(case, MISSES)), default=None)
    if missed is None:
        raise NotRun("no real-time job was admitted")
    carried = mean(results, Mixed("1gs", "b", HIGH[-1], True, carry_over=True), MISSES)
    why = f"missed {missed:.4%} at most under any seed"
    if carried is not None:
        why += f"; {carried:.4%} where surplus frames count for the next period"
    return exactly(missed == 0.0, why, in_shape=carried == 0.0)


def z17(results: Results) -> Finding:
    """More than half at the overload, and within ten points of each other."""
    shares = {
        one: interval_of(results, Mixed(one, "b", OVERLOAD, True), "rt_rejected_share") for one in SCHEMES
    }
    told = ", ".join(f"{one} {share.mean:.1%}" for one, share in shares.items())
    most = together([at_least(share, 0.5) for share in shares.values()])
    means = [share.mean for share in shares.values()]
    near = max(means) - min(means) <= 0.1
    found = Finding(most.verdict, f"rejected at load {OVERLOAD:g}: {told}")
    return no_more_than_shape(found, unless=near)
