"""What Lin, Sundararaj and Dinda 2008 claim, held against simulated runs: C1 to C42."""

from molokini.studies.claims import Claims, Finding, open_claim
from molokini.studies.lin2008_feedback.feedback_cases import (
    DISKS,
    GANG_MS,
    MANY,
    PERIODS_MS,
    RATIOS,
    TARGETS,
    THRESHOLDS,
    Run,
    beside,
    coarse,
    drifting,
    idle,
    in_turns,
    loaded,
    many,
    searched,
)
from molokini.studies.lin2008_feedback.real_figures import by_real, recorded
from molokini.studies.results import Results, interval
from molokini.studies.rule import above, at_least, at_most, each_within, exactly, together, within

SAID = Claims()
ONLY_REAL = ("C8", "C9")
"""Claims that real figures judge."""
REAL = "it is about real nodes; tests/slicing measures it there"


def grid(ratio: str, target: int, period_ms: int) -> Run:
    """Without control, in short rounds."""
    return Run(ratio=ratio, targets=(target,), control=False, period_ms=period_ms, rounds=100)


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
    found = {ratio: results.mean(idle(ratio), "idle_share") for ratio in RATIOS}
    told = ", ".join(f"{ratio}: {one}" for ratio, one in found.items())
    return at_least(
        found["1:5"], 0.01, f"idle shares {told}; sending and receiving are CPU time in this model"
    )


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


@SAID("C17", "section 5.3, figure 3", "Without control the rate drifts; with it it does not.")
def _c17(results: Results) -> Finding:
    off, on = (results.mean(drifting(control), "smooth_range") for control in (False, True))
    found = results.difference(drifting(False), drifting(True), "smooth_range")
    return above([found], f"range of the mean of five iterations: {off} points without, {on} with control")


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


@SAID("C32", "section 5.9, figure 12", "More programs oscillate more, gracefully.")
def _c32(results: Results) -> Finding:
    found = results.difference(many(MANY[-1]), many(MANY[0]), "outside")
    return above([found], f"share outside, nine programs less two: {found}")


@SAID("C34", "section 5.10, figure 13", "With little writing the rate is held; above it is a bit too fast.")
def _c34(results: Results) -> Finding:
    found = [results.mean(Run(ratio="1:0", disk=share, control=False), "bias") for share in DISKS]
    told = ", ".join(f"{share:.0%}: {one.mean:.1f}" for share, one in zip(DISKS, found, strict=True))
    parts = {"1%": within(found[1], -3.0, 3.0), "30%": at_least(found[-1], 3.0)}
    return together({**parts, f"points by share of the disk: {told}": parts["1%"]})


@SAID("C35", "section 5.10", "Waiting for the disk is outside of control.")
def _c35(results: Results) -> Finding:
    parts = {}
    for share in DISKS[3:]:
        expected = 100 / ((1 - share) / 0.5 + share) - 50
        found = results.mean(Run(ratio="1:0", disk=share, control=False), "bias")
        parts[f"{share:.0%}"] = within(found, expected - 2, expected + 2, f"{found}, reckoned {expected:.1f}")
    return together(parts)


@SAID("C39", "sections 1, 7", "Programs are isolated from each other.")
def _c39(results: Results) -> Finding:
    return at_least(results.mean(Run(targets=(30, 50, 20, 40), beside=(40,)), "other_within"), 0.9)


@SAID("ours", "beyond the paper", "A search by a model, or by halves, needs fewer orders than the sweep.")
def _searches(results: Results) -> Finding:
    found = [
        results.difference(searched("sweep"), searched(other), "orders") for other in ("halving", "model")
    ]
    return above(found, f"orders of the sweep less those of halving, of the model: {found[0]}, {found[1]}")


@SAID("C8", "section 3", "Periods and slices from hundreds of microseconds to days.")
def _c8(_: Results) -> Finding:
    return by_real("C8", recorded())


@SAID("C9", "section 3", "A new pair is in force within about a millisecond.")
def _c9(_: Results) -> Finding:
    return by_real("C9", recorded())


_OPEN = {
    "C7": ("section 3", "A miss is small in time.", REAL),
    "C10": ("section 3", "Over 98% of a Pentium 4 can be used.", "it is about machines"),
    "C18": (
        "section 5.3",
        "A miss makes the partner wait, and offsets accumulate.",
        "offsets were not followed",
    ),
    "C19": ("section 5.3", "Feedback is needed.", "it follows from C12, C17 and C26"),
    "C21": ("section 5.4", "Full speeds differ slightly by ratio.", "in this model they are reckoned"),
    "C25": ("section 5.4", "Four responses take 30.68 s in the mean.", "seconds are the machine's; see C24"),
    "C33": ("section 5.9", "Orders cut slices and make them begin apart.", "offsets were not followed"),
    "C36": ("section 5.10, figure 14", "With 10 MB control holds to 1:1.", "it was not run"),
    "C37": (
        "section 5.11, figure 15",
        "Two working sets below memory do no harm.",
        "the model has no memory",
    ),
    "C38": ("section 5.11", "Memory matters beyond its size alone.", "the model has no memory"),
    "C40": ("section 6", "Lower rates let a queue admit more jobs.", "batch jobs were not run"),
    "C41": (
        "section 6",
        "Deadlines can be served by rates.",
        "an idea in the paper, without figures; molokini submit --deadline --work --rate does it",
    ),
    "C42": ("section 6", "A schedule for each thread needs a larger search.", "a statement about design"),
}
CLAIMS = sorted(
    [*SAID.made, *(open_claim(name, *said) for name, said in _OPEN.items())],
    key=lambda one: int(one.name[1:]) if one.name[1:].isdigit() else 99,
)
