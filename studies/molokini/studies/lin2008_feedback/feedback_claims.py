"""What Lin, Sundararaj and Dinda 2008 claim, held against simulated runs: C1 to C42."""

from itertools import pairwise

from molokini.studies.claims import Claims, Finding, open_claim
from molokini.studies.lin2008_feedback import drift_claims, real_claims, resource_claims
from molokini.studies.lin2008_feedback.feedback_cases import (
    GANG_MS,
    MANY,
    PERIODS_MS,
    RATIOS,
    TARGETS,
    THRESHOLDS,
    Run,
    beside,
    coarse,
    grid,
    idle,
    in_turns,
    loaded,
    many,
    searched,
)
from molokini.studies.results import Results, interval
from molokini.studies.rule import above, at_least, at_most, each_within, exactly, together, weakest, within

SAID = Claims()


@SAID(
    "C1", "section 1", "On shared nodes without coordination a program goes as fast as its most delayed rank."
)
def _c1(results: Results) -> Finding:
    """A busy loop on one of four nodes takes half of the rate."""
    pair = [results.samples(loaded(False, load, True), "mean") for load in (True, False)]
    found = interval([100 * (1 - a / b) for a, b in zip(*pair, strict=True)])
    return within(found, 30.0, 60.0, f"the rate falls by {found} percent")


@SAID("C2", "section 1", "A program that has its nodes alone leaves CPUs idle while it communicates.")
def _c2(results: Results) -> Finding:
    """It does as far as communicating needs no processor; how far that is real programs say."""
    shares = {
        outside: [results.mean(idle(ratio, outside), "idle_share") for ratio in RATIOS]
        for outside in (0.5, 0.0)
    }
    told = "; ".join(
        f"{outside:.0%} of communicating outside: {', '.join(f'{one.mean:.1%}' for one in found)}"
        for outside, found in shares.items()
    )
    more = [results.difference(idle(b, 0.5), idle(a, 0.5), "idle_share") for a, b in pairwise(RATIOS)]
    return above([shares[0.5][0], *more], f"idle shares at {', '.join(RATIOS)}: {told}")


@SAID("C3", "sections 1, 5.5", "In the common case the only traffic is one report an iteration.")
def _c3(results: Results) -> Finding:
    return together(
        {ratio: at_most(results.mean(Run(ratio=ratio), "orders_an_iteration"), 0.1) for ratio in RATIOS}
    )


@SAID("C4", "sections 1, 7", "To slow the CPU slows communication, too.")
def _c4(results: Results) -> Finding:
    found = [results.mean(Run(ratio="1:5", outside=share, control=False), "bias") for share in (0.0, 0.5)]
    told = f"bias {found[0]} points; {found[1]} where half of communicating needs no slice"
    return within(found[0], -3.0, 3.0, told)


@SAID("C5", "section 2", "Gang scheduling costs more synchronisation, more so at a fine grain.")
def _c5(results: Results) -> Finding:
    """Messages to and from nodes: changes of rows against reports and orders, of the same two programs."""
    found = {
        period: [results.mean(in_turns(period, gang), "messages_a_second") for gang in (True, False)]
        for period in GANG_MS
    }
    differences = [
        results.difference(in_turns(period, True), in_turns(period, False), "messages_a_second")
        for period in GANG_MS
    ]
    told = "; ".join(
        f"{period} ms: {gang.mean:.3g} and {ours.mean:.3g}" for period, (gang, ours) in found.items()
    )
    return above(differences, f"messages a second by quantum and period, gang rows and feedback: {told}")


@SAID("C6", "section 3", "Almost all deadlines are met, at high utilisation, too.")
def _c6(results: Results) -> Finding:
    found = {f"{k} at 10%": at_most(results.mean(many(k), "misses"), 0.0001) for k in MANY}
    return together({**found, "30% and 40%": at_most(results.mean(beside(30, 40), "misses"), 0.0001)})


@SAID("C11", "section 4.2", "At the same utilisation other grains give other rates; finer may be better.")
def _c11(results: Results) -> Finding:
    found = [
        results.difference(grid(ratio, 50, PERIODS_MS[0]), grid(ratio, 50, PERIODS_MS[-1]), "mean")
        for ratio in ("5:1", "1:1", "1:2", "1:5")
    ]
    return above(found, f"20 ms less 500 ms at 50%: {', '.join(map(str, found))} points")


@SAID("C12", "section 4.2", "Several schedules are good.")
def _c12(results: Results) -> Finding:
    good = {
        ratio: [p for p in PERIODS_MS if abs(results.mean(grid(ratio, 50, p), "bias").mean) <= 3.0]
        for ratio in ("5:1", "1:1", "1:2", "1:5")
    }
    told = "; ".join(f"{ratio}: periods of {', '.join(map(str, found))} ms" for ratio, found in good.items())
    return exactly(all(len(found) >= 2 for found in good.values()), told)


@SAID("C13", "sections 4.2, 5.4", "The utilisation always is the target.")
def _c13(results: Results) -> Finding:
    worst = max(results.mean(Run(ratio=ratio), "share_error").high for ratio in RATIOS)
    return exactly(worst < 1e-4, f"S/P is off by {worst:.2g} points at most")


@SAID("C14", "section 4.2", "The linear search is good enough.")
def _c14(results: Results) -> Finding:
    cases = [Run(ratio=ratio, targets=(target,)) for ratio in RATIOS for target in TARGETS]
    found = [value for case in cases for value in results.samples(case, "worst_response")]
    return exactly(
        sorted(found)[len(found) // 2] <= 5 and max(found) <= 95,
        f"median {sorted(found)[len(found) // 2]:g} reports, largest {max(found):g}",
    )


@SAID("C15", "section 5.2, figure 2", "At 1:2 there are pairs for every rate on the line rate = utilisation.")
def _c15(results: Results) -> Finding:
    found = {
        f"{target}%": min(
            (results.mean(grid("1:2", target, p), "bias") for p in PERIODS_MS), key=lambda one: abs(one.mean)
        )
        for target in (30, 50, 70)
    }
    return together({name: within(one, -3.0, 3.0, f"best bias {one}") for name, one in found.items()})


@SAID("C16", "section 5.2", "The looser a program is coupled the easier it is to control.")
def _c16(results: Results) -> Finding:
    found = results.difference(grid("5:1", 50, 500), grid("1:5", 50, 500), "bias")
    return above([found], f"bias of 5:1 less that of 1:5 at 500 ms: {found} points")


@SAID("C20", "section 5.4, figure 4", "Three ratios reach their targets quickly and keep them.")
def _c20(results: Results) -> Finding:
    cases = [Run(ratio=ratio, targets=(target,)) for ratio in RATIOS for target in TARGETS]
    return together(
        [
            each_within([results.mean(case, "worst_response") for case in cases], 0, 3, "reports"),
            each_within([results.mean(case, "within") for case in cases], 0.9, 1.0, "share within"),
        ]
    )


@SAID("C22", "section 5.4, figure 5", "A threshold below one point is unstable.")
def _c22(results: Results) -> Finding:
    found = {one: results.mean(coarse(one, "1:1"), "steady").mean for one in THRESHOLDS}
    told = ", ".join(f"{one:g}: {share:.0%}" for one, share in found.items())
    limit = next((one for one in THRESHOLDS if found[one] >= 0.9), 99.0)
    return exactly(
        0 < limit <= 2, f"runs that stay within, by threshold, an iteration of five periods: {told}"
    )


@SAID("C23", "section 5.4, figure 5", "The oscillation degrades gracefully.")
def _c23(results: Results) -> Finding:
    case = coarse(0.5, "1:1")
    return together(
        [
            within(results.mean(case, "bias"), -3.0, 3.0, "bias, points"),
            at_most(results.mean(case, "range"), 10.0, "range, points"),
        ]
    )


@SAID("C24", "section 5.4, figure 6", "A changed target is met in about two iterations.")
def _c24(results: Results) -> Finding:
    return at_most(results.mean(Run(targets=(50, 30, 60, 20, 40)), "worst_response"), 3.0)


@SAID(
    "C25", "section 5.4", "Four responses, one at 5:1, two at 1:1 and one at 1:5, take 30.68 s in the mean."
)
def _c25(results: Results) -> Finding:
    """Two iterations, that is; seconds are the machine's."""
    found = [
        results.samples(Run(ratio=ratio, targets=(50, 30, 60, 20, 40)), "response")
        for ratio in ("5:1", "1:1", "1:1", "1:5")
    ]
    mean = interval([sum(four) / 4 for four in zip(*found, strict=True)])
    return at_most(mean, 3.0, f"{mean} iterations in the mean; seconds are the machine's")


@SAID("C26", "section 5.5, figure 7", "Response and limit hardly depend on the ratio.")
def _c26(results: Results) -> Finding:
    found = [
        results.mean(Run(ratio=ratio, targets=(50, 30, 60, 20, 40)), "response").mean for ratio in RATIOS
    ]
    return exactly(max(found) <= 1.25 * min(found), f"reports: {', '.join(f'{one:.2f}' for one in found)}")


@SAID("C27", "section 5.6, figure 8", "Four changes of the target are each followed at once.")
def _c27(results: Results) -> Finding:
    return each_within(
        [results.mean(Run(ratio=ratio, targets=(50, 30, 60, 20, 40)), "worst_response") for ratio in RATIOS],
        0,
        3,
    )


@SAID("C28", "section 5.7, figure 9", "Contention on one node leaves the rate where it is.")
def _c28(results: Results) -> Finding:
    plain = loaded(True, False, True)
    with_, without = (
        results.difference(loaded(True, True, priority), plain, "mean") for priority in (True, False)
    )
    return together(
        {
            "with priority": within(with_, -3.0, 3.0, f"{with_} points"),
            "without it falls": at_most(without, -3.0, f"{without} points"),
        }
    )


@SAID("C29", "section 5.8, figure 10", "An uneven program is held at its target.")
def _c29(results: Results) -> Finding:
    return within(results.mean(Run(targets=(50,), uneven=True), "bias"), -3.0, 3.0)


@SAID("C30", "section 5.9, figure 11", "Two programs at 30% and 40% are soon within the threshold, and stay.")
def _c30(results: Results) -> Finding:
    return together(
        [
            at_least(results.mean(beside(30, 40), "within"), 0.9),
            at_least(results.mean(beside(30, 40), "other_within"), 0.9),
        ]
    )


@SAID("C31", "section 5.9, figure 12", "k programs at 10% each have their targets in the mean.")
def _c31(results: Results) -> Finding:
    return each_within([results.mean(many(k), "worst_mean") for k in MANY], 0.0, 3.0, "points off")


@SAID("C39", "sections 1, 7", "Programs are isolated from each other.")
def _c39(results: Results) -> Finding:
    return at_least(results.mean(Run(targets=(30, 50, 20, 40), beside=(40,)), "other_within"), 0.9)


@SAID("C19", "section 5.3", "Feedback is needed.")
def _c19(results: Results) -> Finding:
    """Its three reasons: the right pair depends on the program, misses let slices drift, targets change."""
    parts = {"C12": _c12, "C17": drift_claims.c17, "C26": _c26}
    found = {name: check(results) for name, check in parts.items()}
    told = ", ".join(f"{name} {one.verdict}" for name, one in found.items())
    return Finding(weakest([one.verdict for one in found.values()]), f"it follows from others: {told}")


@SAID("ours", "beyond the paper", "A search by a model, or by halves, needs fewer orders than the sweep.")
def _searches(results: Results) -> Finding:
    found = [
        results.difference(searched("sweep"), searched(other), "orders") for other in ("halving", "model")
    ]
    return above(found, f"orders of the sweep less those of halving, of the model: {found[0]}, {found[1]}")


_OPEN = {
    "C41": (
        "section 6",
        "Deadlines can be served by rates.",
        "an idea in the paper, without a rule or figures; molokini submit --deadline --work --rate does "
        "it by a rule of ours, and a comparison would need a workload of jobs with deadlines",
    ),
    "C42": (
        "section 6",
        "A schedule for each thread needs a larger search.",
        "a statement about a design that neither the paper nor we have built: it would need a controller "
        "with a pair for each process",
    ),
}
_OTHERS = (drift_claims, real_claims, resource_claims)
_JUDGED = [*SAID.made, *(one for others in _OTHERS for one in others.SAID.made)]
CLAIMS = sorted(
    [*_JUDGED, *(open_claim(name, *said) for name, said in _OPEN.items())],
    key=lambda one: int(one.name[1:]) if one.name[1:].isdigit() else 99,
)
