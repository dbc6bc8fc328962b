"""What Yoo and Jette 2001 claim, held against our runs: Y1 to Y24."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from statistics import fmean

from molokini.studies.claims import Claim, Figure, Finding, Verdict, open_claim, untestable
from molokini.studies.comparing import falls_with, ordered, rises_with
from molokini.studies.results import Interval, Results, interval, over
from molokini.studies.rule import (
    above,
    at_least,
    at_most,
    each_within,
    exactly,
    in_shape_if,
    of_readings,
    together,
    within,
)
from molokini.studies.yoo2001_smp.yoo_cases import (
    ALONE,
    DRIVEN,
    FEW_GMETS,
    GMETS,
    GRID_GMETS,
    GRID_SLICES,
    HEAVY,
    HEAVY_SWEPT,
    LEVELS,
    LIGHT,
    MODERATE,
    PHASES,
    READINGS,
    SIZES,
    SLICES,
    SWEPT,
    WAIT_SLICES,
    WORKLOADS,
    Reading,
    Run,
    ablations,
    batch,
    demand,
    level,
    read,
    sized,
    swept,
    waiting,
)

RESPONSE, WAIT = "be_response_s", "be_queued_s"
NAMES = {"drawn": "timers begin apart", "alike": "timers begin together"}


def ratios(results: Results, one: Hashable, other: Hashable, metric: str = RESPONSE) -> list[float]:
    """The metric of one case over that of another, seed by seed."""
    pairs = zip(results.samples(one, metric), results.samples(other, metric), strict=True)
    return [over(a, b) for a, b in pairs]


def gain(results: Results, name: str, reading: Reading) -> list[float]:
    """By how much coscheduling shortens the mean response of a workload, as a share, seed by seed."""
    found = ratios(results, read(DRIVEN, name, reading), read(ALONE, name, reading))
    return [1 - one for one in found]


def by_reading(of: Callable[[Reading], Finding]) -> Finding:
    """A claim under each reading of the paper."""
    return _joined({str(one): of(one) for one in READINGS})


def by_swept(of: Callable[[Reading], Finding]) -> Finding:
    """A claim under the readings for which everything is varied."""
    return _joined({str(one): of(one) for one in SWEPT})


def by_heavy(of: Callable[[Reading], Finding]) -> Finding:
    """A claim of GMET with heavy traffic, or of the slice with more than light traffic."""
    return _joined({str(one): of(one) for one in HEAVY_SWEPT})


def by_phases(of: Callable[[str], Finding]) -> Finding:
    """A claim whose receivers block, by when timers begin."""
    return _joined({NAMES[one]: of(one) for one in PHASES})


def _joined(found: Mapping[str, Finding]) -> Finding:
    verdict = of_readings([one.verdict for one in found.values()])
    told = "; ".join(f"{name}: {one.verdict}, {one.why}" for name, one in found.items())
    return Finding(verdict, told, [figure for one in found.values() for figure in one.figures])


def y1(results: Results) -> Finding:
    """At most 5% longer in each workload."""

    def of(reading: Reading) -> Finding:
        found = {name: interval([1 - one for one in gain(results, name, reading)]) for name in WORKLOADS}
        return together({name: at_most(one, 1.05) for name, one in found.items()})

    return by_reading(of)


def y2(results: Results) -> Finding:
    """From 40 to 60% shorter holds, 20% in shape."""

    def of(reading: Reading) -> Finding:
        ours = interval(gain(results, HEAVY, reading))
        figure = Figure(f"W2, reduction, {reading}", 0.5, ours)
        return in_shape_if(within(ours, 0.4, 0.6, figures=[figure]), at_least(ours, 0.2))

    return by_reading(of)


def y3(results: Results) -> Finding:
    """Within 5%."""
    return by_reading(lambda one: within(interval(gain(results, LIGHT, one)), -0.05, 0.05))


def y4(results: Results) -> Finding:
    """W2 gains more than W1, and W1 more than W3."""

    def of(reading: Reading) -> Finding:
        gains = {name: gain(results, name, reading) for name in WORKLOADS}
        steps = [
            interval([a - b for a, b in zip(gains[one], gains[two], strict=True)])
            for one, two in ((HEAVY, MODERATE), (MODERATE, LIGHT))
        ]
        told = ", ".join(f"{name} {fmean(one):.3f}" for name, one in gains.items())
        return above(steps, f"reductions {told}")

    return by_reading(of)


def y5(results: Results) -> Finding:
    """75 to 92% holds; more than 40% in shape."""

    def of(reading: Reading) -> Finding:
        ours = interval(gain(results, level(2), reading))
        figure = Figure(f"level 2, reduction, {reading}", 0.85, ours)
        return in_shape_if(within(ours, 0.75, 0.92, figures=[figure]), at_least(ours, 0.4))

    return by_reading(of)


def y6(results: Results) -> Finding:
    """Monotone over the levels."""
    return by_reading(
        lambda one: falls_with([(level(most), gain(results, level(most), one)) for most in LEVELS])
    )


def y7(results: Results) -> Finding:
    """Above 1 at the highest level."""
    most = level(max(LEVELS))
    return by_reading(lambda one: at_least(interval([1 - x for x in gain(results, most, one)]), 1.0))


def y8(results: Results) -> Finding:
    """The time that uncoordinated CPUs idle or spin falls with the level."""
    cases = [(level(most), read(ALONE, level(most), READINGS[0])) for most in LEVELS]
    return falls_with([(name, results.samples(case, "idle_share")) for name, case in cases])


def y9(results: Results) -> Finding:
    """The best of the grid waits 30 to 50% less than batch."""

    def of(phases: str) -> Finding:
        grid = [waiting(length, most, phases) for length in WAIT_SLICES for most in LEVELS]
        best = min(grid, key=lambda case: results.mean(case, WAIT).mean)
        ours = interval([1 - one for one in ratios(results, best, batch(), WAIT)])
        told = f"slice {best.slice_s:g} s, level {best.most}: waits are shorter by {ours}"
        figure = Figure(f"wait, reduction at best, {NAMES[phases]}", 0.41, ours)
        return within(ours, 0.3, 0.5, told, figures=[figure])

    return by_phases(of)


def y10(results: Results) -> Finding:
    """Monotone over the levels at each slice."""

    def of(phases: str) -> Finding:
        return together(
            {
                f"slice {length:g} s": rises_with(
                    [(level(most), results.samples(waiting(length, most, phases), WAIT)) for most in LEVELS]
                )
                for length in WAIT_SLICES
            }
        )

    return by_phases(of)


def _spread(results: Results, cases: Sequence[Run]) -> Interval:
    """How far the cases lie apart, as a share of the least, seed by seed."""
    every = [results.samples(case, RESPONSE) for case in cases]
    return interval([max(of_seed) / min(of_seed) - 1 for of_seed in zip(*every, strict=True)])


def y11(results: Results) -> Finding:
    """Less than 10% apart over GMET."""

    def of(reading: Reading) -> Finding:
        found = {
            name: _spread(results, [swept(name, reading, gmet, 30.0) for gmet in FEW_GMETS])
            for name in (MODERATE, LIGHT)
        }
        return together({name: at_most(one, 0.1) for name, one in found.items()})

    return by_swept(of)


def _by_gmet(results: Results, reading: Reading) -> dict[float, list[float]]:
    return {gmet: results.samples(swept(HEAVY, reading, gmet, 30.0), RESPONSE) for gmet in GMETS}


def y12(results: Results) -> Finding:
    """The least response lies between 2 and 5 s, and both ends are clearly above it."""

    def of(reading: Reading) -> Finding:
        found = _by_gmet(results, reading)
        best = min(found, key=lambda gmet: fmean(found[gmet]))
        inside = [gmet for gmet in GMETS if 2.0 < gmet < 5.0]
        least = min(inside, key=lambda gmet: fmean(found[gmet]))
        ends = [
            interval([a - b for a, b in zip(found[end], found[least], strict=True)]) for end in (2.0, 5.0)
        ]
        judged = above(ends, f"least at {best:g} s of all, at {least:g} s between; 2 s and 5 s over that")
        if judged.verdict is Verdict.HOLDS and not 2.0 < best < 5.0:
            return Finding(Verdict.IN_SHAPE, judged.why)
        return judged

    return by_heavy(of)


def y13(results: Results) -> Finding:
    """Less than 10% apart from 5 to 15 s."""
    large = [gmet for gmet in GMETS if gmet >= 5]
    return by_heavy(
        lambda one: at_most(_spread(results, [swept(HEAVY, one, gmet, 30.0) for gmet in large]), 0.1)
    )


def y14(results: Results) -> Finding:
    """At the smallest longer than at the largest."""

    def of(reading: Reading) -> Finding:
        found = _by_gmet(results, reading)
        more = interval([a - b for a, b in zip(found[GMETS[0]], found[GMETS[-1]], strict=True)])
        return above([more], f"{GMETS[0]:g} s less {GMETS[-1]:g} s: {more} s")

    return by_heavy(of)


def y15(results: Results) -> Finding:
    """More than 80% of the requests that ask for another job are discarded."""

    def of(reading: Reading) -> Finding:
        shares = []
        for gmet in (10.0, 15.0):
            case = swept(HEAVY, reading, gmet, 30.0)
            no, yes = (results.samples(case, f"requests_{one}") for one in ("discarded", "accepted"))
            shares.append(interval([over(a, a + b) for a, b in zip(no, yes, strict=True)]))
        return each_within(shares, 0.8, 1.0, "; ".join(map(str, shares)))

    return by_heavy(of)


def y16(results: Results) -> Finding:
    """Less than 5% apart."""
    return by_swept(
        lambda one: at_most(_spread(results, [swept(LIGHT, one, 5.0, length) for length in SLICES]), 0.05)
    )


def y17(results: Results) -> Finding:
    """Monotone from 15 s on."""
    long = [length for length in SLICES if length >= 15]

    def of(reading: Reading) -> Finding:
        return together(
            {
                name: rises_with(
                    [
                        (f"{length:g} s", results.samples(swept(name, reading, 5.0, length), RESPONSE))
                        for length in long
                    ]
                )
                for name in (MODERATE, HEAVY)
            }
        )

    return by_heavy(of)


def y18(results: Results) -> Finding:
    """The best of the grid over both workloads have a slice of 15 s or less and GMET of 3 s or more."""

    def of(reading: Reading) -> Finding:
        sums = {
            (length, gmet): fmean(
                results.mean(swept(name, reading, gmet, length), RESPONSE).mean
                / results.mean(swept(name, reading, 5.0, 15.0), RESPONSE).mean
                for name in (MODERATE, HEAVY)
            )
            for length in GRID_SLICES
            for gmet in GRID_GMETS
        }
        best = sorted(sums, key=lambda at: sums[at])[:2]
        told = ", ".join(
            f"slice {at[0]:g} s GMET {at[1]:g} s ({sums[at]:.3f} of slice 15 s GMET 5 s)" for at in best
        )
        good = [length <= 15 and gmet >= 3 for length, gmet in best]
        return exactly(all(good), f"best of {len(sums)}: {told}", in_shape=any(good))

    return by_swept(of)


def _ablation(reading: Reading, name: str) -> Run:
    return dict(ablations(reading))[name]


def y19(results: Results) -> Finding:
    """Without the byte responses and switches of jobs are more."""

    def of(reading: Reading) -> Finding:
        pair = (read(DRIVEN, HEAVY, reading), _ablation(reading, "without the status byte"))
        return together(
            {
                "response": ordered(results, [pair], RESPONSE),
                "switches between jobs": ordered(results, [pair], "job_switches"),
            }
        )

    return by_swept(of)


def y20(results: Results) -> Finding:
    """From the first place to the last takes less where the processes of a node go together."""
    return by_swept(
        lambda one: ordered(
            results,
            [
                (read(DRIVEN, level(2), one), _ablation(one, "level 2, each CPU for itself")),
                (read(DRIVEN, HEAVY, one), _ablation(one, "each CPU for itself")),
            ],
            "gathering_s",
        )
    )


def y21(results: Results) -> Finding:
    """Y2 and Y4 say it."""
    return together({"Y2": y2(results), "Y4": y4(results)})


def y22(results: Results) -> Finding:
    """Shorter responses and fewer switches than with a reaction to every message."""

    def of(reading: Reading) -> Finding:
        pairs = [(read(DRIVEN, HEAVY, reading), demand(reading))]
        return together(
            {
                "response": ordered(results, pairs, RESPONSE),
                "context switches": ordered(results, pairs, "switches"),
            }
        )

    return by_swept(of)


def y23(results: Results) -> Finding:
    """No message but those of programs, and the gain on larger machines falls by a third at most."""
    plain = Run(DRIVEN, HEAVY)
    pairs = zip(results.samples(plain, "requests_messages"), results.samples(plain, "messages"), strict=True)
    extra = [got - sent for got, sent in pairs]
    none = exactly(not any(extra), f"messages received beside those of programs: {sum(extra):g}")
    found = {n: [1 - x for x in ratios(results, sized(DRIVEN, n), sized(ALONE, n))] for n in SIZES}
    least, most = found[SIZES[0]], found[SIZES[-1]]
    told = ", ".join(f"{nodes} nodes {fmean(one):.3f}" for nodes, one in found.items())
    if fmean(least) <= 0:
        return together(
            {
                "control": none,
                "size": untestable(f"reductions {told}: there is no gain that could fall"),
            }
        )
    kept = interval([b - a * 2 / 3 for a, b in zip(least, most, strict=True)])
    return together({"control": none, "size": above([kept], f"reductions {told}")})


_ROWS = (
    ("y1", "figure 2", "Better than uncoordinated time sharing, or comparable, in all workloads.", y1),
    ("y2", "figure 2, abstract", "With heavy traffic mean response falls by 50%.", y2),
    ("y3", "figure 2", "With light traffic both are nearly identical.", y3),
    ("y4", "figure 2", "Heavy traffic gains most.", y4),
    ("y5", "figure 3", "At a multiprogramming level of 2 response falls by 85%.", y5),
    ("y6", "figure 3", "The gain falls as the level rises.", y6),
    ("y7", "figure 3", "At a large level it is worse than uncoordinated.", y7),
    ("y8", "figure 3", "The cause: uncoordinated time sharing fills waits with other work.", y8),
    ("y9", "figure 4", "Jobs wait up to 41% less than under batch.", y9),
    ("y10", "figure 4", "The wait rises with the multiprogramming level.", y10),
    ("y11", "figure 5", "GMET has no effect with moderate and light traffic.", y11),
    ("y12", "figure 5", "With heavy traffic response falls and rises again from 2 to 5 s of GMET.", y12),
    ("y13", "figure 5", "Above 5 s it is flat.", y13),
    ("y14", "figure 5", "Too small a GMET hurts more than too large a one.", y14),
    ("y15", "figure 5", "With a large GMET most requests are discarded.", y15),
    ("y16", "figure 6", "With light traffic the slice has no effect.", y16),
    ("y17", "figure 6", "Otherwise response rises with slices above 15 s.", y17),
    ("y18", "3, 4", "Short slices with a long GMET are good in general.", y18),
    ("y19", "2.1", "Without the status byte false requests hurt.", y19),
    ("y20", "2.1", "To schedule all processes of a node together coschedules sooner.", y20),
    ("y21", "1", "Uncoordinated time sharing suffers with traffic.", y21),
    ("y22", "1", "To stay coscheduled matters more than to react at once.", y22),
    ("y23", "2", "Nodes need no coordination, so that it scales.", y23),
)

CLAIMS = [
    *(Claim(name, place, text, check) for name, place, text, check in _ROWS),
    open_claim(
        "y24",
        "3",
        "Seconds as measured on Alpha nodes with MPICH.",
        "programs and machine are not at hand, and no run time is published",
    ),
]
