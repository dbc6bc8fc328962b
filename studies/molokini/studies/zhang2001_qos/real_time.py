"""What the paper claims of real-time jobs: Z7 to Z13, Z15 to Z17."""

from statistics import fmean

from molokini.process_sim.scenario import Frames
from molokini.studies.claims import Claims, Figure, Finding, untestable
from molokini.studies.comparing import ordered, rises_with
from molokini.studies.results import NotRun, Results
from molokini.studies.rule import above, at_least, at_most, exactly, no_more_than_shape, together, within
from molokini.studies.zhang2001_qos.paired import MISSES, interval_of, less, mean, pairs
from molokini.studies.zhang2001_qos.qos_cases import (
    LOADS,
    MIXES,
    OVERLOAD,
    SCHEMES,
    SOURCES,
    TWO_LEVEL,
    Mixed,
    Window,
    carried,
    loads_of,
)

SAID = Claims()

_FIGURES = "figures 5a, 5b, 5c"
KERNEL_S = 5e-6
"""A division begins with a check that fell into the synchronization, and the queue move of the process that
it takes the CPU from: 2 and 3 us of the kernel's, not of a class."""
_ROUNDING_S = 1e-9
_NO_MISSES = 1e-9


@SAID("z7", "5.1", "TDM guarantees the real-time class its share in every window of a cycle.")
def _z7(results: Results) -> Finding:
    """Exactly, beside a greedy real-time process on one node."""
    least = results.mean(Window("2dcs-tdm"), "least_s").mean
    why = (
        f"the least in any window of 3.002 s is {least:.9f} s, where a division begins with 5 us of the "
        "kernel (a check and a queue move)"
    )
    return exactly(least >= 2.0 - KERNEL_S - _ROUNDING_S, why)


@SAID("z8", "5.1", "PS guarantees it only in the long run.")
def _z8(results: Results) -> Finding:
    """The share within 1% of 2/3, and less in some window of 3 s."""
    share = results.mean(Window("2dcs-ps"), "share").mean
    least = results.mean(Window("2dcs-ps"), "least_of_3_s").mean
    why = f"share {share:.4f}, least in 3 s {least:.6f} s; with a quantum of 10 ms for the real-time class"
    return exactly(abs(share - 2 / 3) < 0.01 and least < 2.0, why)


@SAID("z9", _FIGURES, "TDM misses a little less than PS.", SOURCES)
def _z9(results: Results, source: Frames) -> Finding:
    """Lower at every load and mix."""
    return ordered(results.partly(), pairs("2dcs-tdm", "2dcs-ps", source=source), MISSES)


def _relative(results: Results, mix: str, source: Frames) -> dict[int, float]:
    """By seed: what PS misses more than TDM, as a share of what both miss, over all loads."""
    found: dict[int, float] = {}
    for seed in results.seeds:
        cases = ([Mixed(one, mix, load, source=source) for load in LOADS] for one in TWO_LEVEL)
        tdm, ps = (sum(results.by_seed(case, MISSES).get(seed, 0.0) for case in every) for every in cases)
        if tdm + ps > _NO_MISSES:
            found[seed] = (ps - tdm) / (tdm + ps)
    return found


@SAID("z10", "figure 5c(ii)", "That difference is plainest at 1:9.", SOURCES)
def _z10(results: Results, source: Frames) -> Finding:
    """The relative difference is larger at (c) than at (a) and at (b)."""
    by_mix = {mix: _relative(results, mix, source) for mix in MIXES}
    told = ", ".join(f"({mix}) {fmean(one.values()):+.4f}" for mix, one in by_mix.items() if one)
    why = f"PS less TDM, as a share of what both miss: {told or 'no frame is missed'}"
    try:
        found = [less(results.partly(), by_mix["c"], by_mix[mix], "misses of mix (c)") for mix in ("a", "b")]
    except NotRun as missing:
        return untestable(f"{missing}: with 1:9 hardly a frame is missed; {why}")
    return above(found, why)


@SAID("z11", _FIGURES, "At low rates 1GS misses more than both others.", SOURCES)
def _z11(results: Results, source: Frames) -> Finding:
    """Lower under both others at the lowest load, all mixes."""
    found = [p for low in TWO_LEVEL for p in pairs(low, "1gs", loads=LOADS[:1], source=source)]
    return ordered(results.partly(), found, MISSES)


@SAID("z12", _FIGURES, "At high rates 1GS misses less than both, because it rejects.", SOURCES)
def _z12(results: Results, source: Frames) -> Finding:
    """Lower than both others at the highest load, all mixes."""
    found = [p for high in TWO_LEVEL for p in pairs("1gs", high, loads=LOADS[-1:], source=source)]
    order = ordered(results.partly(), found, MISSES)
    why = f"{order.why}; their conclusion (6), that 1gs misses more in general, is not what section 5.1 says"
    return Finding(order.verdict, why)


@SAID("z13", _FIGURES, "1GS rejects a significant part of the real-time jobs.", SOURCES)
def _z13(results: Results, source: Frames) -> Finding:
    """A tenth or more at the highest load of mixes (a) and (b), and more with the load."""
    rejected = "rt_rejected_share"
    last = {mix: Mixed("1gs", mix, LOADS[-1], source=source) for mix in ("a", "b")}
    shares = {f"({mix})": interval_of(results, case, rejected) for mix, case in last.items()}
    # Where no real-time job arrived none was rejected.
    by_load = [
        (f"{load:g}", results.by_seed(Mixed("1gs", "a", load, source=source), rejected)) for load in LOADS
    ]
    rising = rises_with([(name, [one.get(k, 0.0) for k in results.seeds]) for name, one in by_load])
    found = together([*(at_least(share, 0.1) for share in shares.values()), rising])
    told = ", ".join(f"{mix} {share}" for mix, share in shares.items())
    return Finding(found.verdict, f"at load {LOADS[-1]:g}: {told}; by load, mix (a): {rising.why}")


@SAID(
    "z15",
    "figure 6",
    "With admission control misses of both two-level schemes fall from 70% to 0.1%.",
    SOURCES,
)
def _z15(results: Results, source: Frames) -> Finding:
    """60 to 80% before at the overload; after, below 1% in shape, up to 0.3% to hold."""
    before, after = (
        {
            one: interval_of(results, Mixed(one, "b", OVERLOAD, control, source=source), MISSES)
            for one in TWO_LEVEL
        }
        for control in (False, True)
    )
    told = ", ".join(f"{one} {before[one].mean:.1%} to {after[one].mean:.3%}" for one in TWO_LEVEL)
    figures = [
        Figure(f"{one}, frames missed, {name}", published, of[one])
        for one in TWO_LEVEL
        for name, published, of in (("no control", 0.7, before), ("admission", 0.001, after))
    ]
    reached = [within(value, 0.6, 0.8) for value in before.values()]
    low = [at_most(value, 0.003, slack=0.007) for value in after.values()]
    why = f"at load {OVERLOAD:g} ({loads_of('b', OVERLOAD)[0]:.1f} of it real time): {told}"
    return Finding(together([*reached, *low]).verdict, why, figures)


@SAID("z16", "figure 6", "1GS with admission control misses nothing.", SOURCES)
def _z16(results: Results, source: Frames) -> Finding:
    """Exactly nothing, under every seed; in shape where nothing is if surplus frames are carried over."""
    cases = [Mixed("1gs", "b", load, True, source=source) for load in (*LOADS, OVERLOAD)]
    missed = max((value for case in cases for value in results.known(case, MISSES)), default=None)
    if missed is None:
        raise NotRun("no real-time job was admitted")
    surplus, warm = (mean(results, carried(source, periods), MISSES) for periods in (0, 1))
    why = f"missed {missed:.4%} at most under any seed"
    if surplus is not None and warm is not None:
        why += f"; {surplus:.4%} where surplus frames count for the next period, {warm:.4%} with a first "
        why += "period that is not judged"
    return exactly(missed == 0.0, why, in_shape=surplus == 0.0)


@SAID(
    "z17",
    "figure 6(iii)",
    "More than half of the real-time jobs are rejected then, alike in all schemes.",
    SOURCES,
)
def _z17(results: Results, source: Frames) -> Finding:
    """More than half at the overload; alike: each two within ten points of each other."""
    cases = [Mixed(one, "b", OVERLOAD, True, source=source) for one in SCHEMES]
    shares = [interval_of(results, case, "rt_rejected_share") for case in cases]
    told = ", ".join(f"{one} {share.mean:.1%}" for one, share in zip(SCHEMES, shares, strict=True))
    most = together([at_least(share, 0.5) for share in shares])
    apart = [results.difference(cases[0], other, "rt_rejected_share") for other in cases[1:]]
    near = together([within(one, -0.1, 0.1) for one in apart])
    found = Finding(most.verdict, f"rejected at load {OVERLOAD:g}: {told}; {near.why}")
    return no_more_than_shape(found, unless=near.verdict.value == "holds")
