"""What the paper says of heavy tails, held against draws, formulas and simulations."""

from collections.abc import Sequence

from molokini.studies.claims import Claim, Figure, Finding, open_claim
from molokini.studies.comparing import ordered
from molokini.studies.crovella2001.tails_cases import (
    ASSIGNED_LAWS,
    BOUNDS,
    CONTRASTS,
    EXPONENTIAL,
    MOVED_LAWS,
    SETTLING,
    Assigned,
    Computed,
    Drawn,
    Moved,
    Queued,
    assigned_cells,
    bounded,
)
from molokini.studies.results import Interval, Results, interval, over
from molokini.studies.rule import above, at_least, at_most, each_within, exactly, together, within


def _figure(results: Results, metric: str) -> float:
    return results.samples(Computed(), metric)[0]


def _exact(value: float) -> Interval:
    return Interval(value, value, value, 1)


def _infinite(results: Results) -> Finding:
    sums = {f"alpha {alpha:g}": results.mean(Drawn(alpha), "largest_share") for alpha in (0.8, 1.5)}
    squares = {
        f"alpha {alpha:g}": results.mean(Drawn(alpha), "largest_share_of_squares")
        for alpha in (1.2, 1.5, 2.5)
    }
    told = ", ".join(f"{name} {one.mean:.3f}" for name, one in sums.items())
    told_squares = ", ".join(f"{name} {one.mean:.3f}" for name, one in squares.items())
    parts = {
        "the largest draw's share of the sum": at_least(sums["alpha 0.8"], 0.05, told),
        "that of alpha 1.5 vanishes": at_most(sums["alpha 1.5"], 0.02, str(sums["alpha 1.5"])),
        "its share of the squares": at_least(squares["alpha 1.2"], 0.1, told_squares),
        "and of alpha 1.5": at_least(squares["alpha 1.5"], 0.05, str(squares["alpha 1.5"])),
    }
    return together(parts)


def _paradox(results: Results) -> Finding:
    computed = [_figure(results, f"beyond_{alpha}_{at}") for alpha in ("1.5", "2.5") for at in (10, 100)]
    constant = [_figure(results, f"left_exponential_{at}") for at in (5, 10)]
    ends = [_figure(results, f"left_uniform_{at}") for at in ("half", "9")]
    drawn = results.mean(Drawn(2.5), "beyond_over_formula")
    exact = abs(computed[0] - 3.0) < 1e-4 and abs(computed[3] - 2.5 / 1.5) < 1e-4
    parts = {
        "E[X | X > k] over k": exactly(exact, ", ".join(f"{one:.4f}" for one in computed)),
        "drawn, alpha 2.5, over the formula": within(drawn, 0.98, 1.02, str(drawn)),
        "what is left of exponential sizes stays": exactly(
            abs(constant[0] - constant[1]) < 1e-3, f"{constant[0]:.4f} and {constant[1]:.4f}"
        ),
        "of uniform ones shrinks": exactly(ends[1] < ends[0], f"{ends[0]:.3f} and {ends[1]:.3f}"),
    }
    return together(parts)


def _one_large(results: Results) -> Finding:
    pareto, even = (_figure(results, f"sum_over_max_{law}") for law in ("pareto", "exponential"))
    told = f"{pareto:.4f} of Pareto 1.5, {even:.2f} of exponential"
    why = f"two draws, where the largest is above x with 10^-5: {told}"
    return exactly(1.0 <= pareto < 1.1 < even, why)


def _top_1(results: Results) -> Finding:
    heavy, even = (_figure(results, f"top_1_{law}") for law in ("pareto", "exponential"))
    figures = [Figure("mass of the largest 1%, alpha 1 over six decades", 0.6, _exact(heavy))]
    share = f"{100 * heavy:.1f}% by formula, {100 * even:.1f}% of exponential sizes"
    why = f"{share}; read off a figure of the paper: about 60%"
    return exactly(abs(heavy - 0.6) < 0.03, why, figures, in_shape=heavy > 0.5)


def _slow(results: Results) -> Finding:
    found = {law: results.mean(Queued(law), "size") for law in SETTLING}
    wider = [_difference(results, law, "size") for law in SETTLING[:2]]
    told = ", ".join(f"{law} {100 * one.mean:.0f}%" for law, one in found.items())
    figures = [Figure(f"half width over mean wait: {law}", None, one) for law, one in found.items()]
    return above(wider, f"half widths over the mean: {told}", figures)


def _difference(results: Results, law: str, metric: str) -> Interval:
    pairs = zip(
        results.samples(Queued(law), metric), results.samples(Queued(EXPONENTIAL), metric), strict=True
    )
    return interval([one - two for one, two in pairs])


def _second_moment(results: Results) -> Finding:
    found = [results.mean(Queued(bounded(p)), "over_formula") for p in BOUNDS]
    told = ", ".join(f"up to {p:g}: {one.mean:.3f}" for p, one in zip(BOUNDS, found, strict=True))
    waits = [results.mean(Queued(bounded(p)), "mean_wait").mean for p in BOUNDS]
    grows = ", ".join(f"{one:.1f}" for one in waits)
    held = each_within(found, 0.9, 1.1, f"simulated over Pollaczek-Khinchin with the moments drawn: {told}")
    return Finding(held.verdict, f"{held.why}; mean waits {grows}", held.figures)


def _stand_in(results: Results) -> Finding:
    slow = [_figure(results, f"srpt_slowdown_{power}") for power in (5, 6, 7, 8)]
    times = [_figure(results, f"srpt_response_of_1000_{power}") for power in (5, 6, 7, 8)]
    waits = [_figure(results, f"fcfs_wait_{power}") for power in (5, 6, 7, 8)]
    apart = max(times) / min(times)
    near = apart < 1.1 and max(slow) / min(slow) < 1.05
    why = (
        f"alpha 1.1 up to 10^5 ... 10^8 under SRPT: mean slowdown {', '.join(f'{one:.3f}' for one in slow)}, "
        f"response of a job of 1,000 {', '.join(f'{one:.0f}' for one in times)}; the FCFS wait, of another "
        f"scale, grows {waits[-1] / waits[0]:.0f} times"
    )
    return exactly(near, why, in_shape=apart < 1.25)


def _few_moves(results: Results) -> Finding:
    return few_moves(results, 10.0)


def few_moves(results: Results, cost: float) -> Finding:
    """Whether few moves of old jobs help much, if a job may move from *cost* seconds of work on."""
    heavy, even = MOVED_LAWS
    gain = {law: _gain(results, law, "age", "none", cost) for law in MOVED_LAWS}
    moves = {law: results.mean(Moved(law, "age", cost), "moves_per_job") for law in MOVED_LAWS}
    apart = interval(
        [
            one - two
            for one, two in zip(
                results.samples(Moved(heavy, "newest", cost), "mean_slowdown"),
                results.samples(Moved(heavy, "age", cost), "mean_slowdown"),
                strict=True,
            )
        ]
    )
    parts = {
        "moves lower the mean slowdown under heavy tails": at_least(
            gain[heavy], 1.2, f"by {gain[heavy].mean:.2f} ({gain[even].mean:.2f} of exponential sizes)"
        ),
        "with few moves": at_most(
            moves[heavy], 0.2, f"{moves[heavy].mean:.3f} a job ({moves[even].mean:.3f})"
        ),
        "old jobs rather than new ones": above([apart], f"slowdown lower by {apart}"),
    }
    return together(parts)


def _gain(results: Results, law: str, move: str, other: str, cost: float) -> Interval:
    pairs = zip(
        results.samples(Moved(law, other, cost), "mean_slowdown"),
        results.samples(Moved(law, move, cost), "mean_slowdown"),
        strict=True,
    )
    return interval([over(one, two) for one, two in pairs])


def _cells(laws: Sequence[str]) -> list[tuple[str, int, float]]:
    return [cell for cell in assigned_cells() if cell[0] in laws]


def _pairs(cells: Sequence[tuple[str, int, float]], one: str, other: str) -> list[tuple[Assigned, Assigned]]:
    return [(Assigned(*cell, one), Assigned(*cell, other)) for cell in cells]


def sita_better(results: Results, law: str, metric: str, hosts: int | None = None) -> Finding:
    """Whether SITA-E is lower than least work left in every cell of a distribution, or of so many hosts."""
    cells = [cell for cell in _cells([law]) if hosts in (None, cell[1])]
    return ordered(results, _pairs(cells, "sita-e", "least-work-left"), metric)


def _sita_e(results: Results) -> Finding:
    parts = {
        f"{law}, {metric.removeprefix('mean_')}": sita_better(results, law, metric)
        for law in ASSIGNED_LAWS
        for metric in ("mean_slowdown", "mean_wait")
    }
    found = together(parts)
    contrast = {
        law: ordered(results, _pairs(_cells([law]), "least-work-left", "sita-e"), "mean_wait")
        for law in CONTRASTS
    }
    told = "; ".join(f"{law}: least work left {one.why}" for law, one in contrast.items())
    return Finding(found.verdict, f"{found.why}; contrasts: {told}")


def _sita_u(results: Results) -> Finding:
    cells = _cells(ASSIGNED_LAWS)
    lower = ordered(results, _pairs(cells, "sita-u", "sita-e"), "mean_slowdown")
    ratios = []
    for cell in cells:
        pairs = zip(
            results.samples(Assigned(*cell, "sita-u"), "response_of_largest"),
            results.samples(Assigned(*cell, "sita-e"), "response_of_largest"),
            strict=True,
        )
        ratios.append(interval([over(one, two) for one, two in pairs]))
    worst = max(ratios, key=lambda one: one.mean)
    least = each_within(
        ratios, 0.0, 1.5, f"response of the largest 1% over that under SITA-E, at most {worst}"
    )
    return together({"mean slowdown is lower": lower, "large jobs lose little": least})


CLAIMS: tuple[Claim, ...] = (
    Claim("C1", "section 1", "The variance is infinite below alpha 2, the mean up to 1.", _infinite),
    Claim("C2", "section 4.1", "E[X given X > k] grows as k does: the expectation paradox.", _paradox),
    Claim("C3", "section 4.1", "A large sum is due to one large value.", _one_large),
    Claim(
        "C4",
        "figure 1",
        "About 60% of the mass lies in the largest 1%; exponential mass lies evenly.",
        _top_1,
    ),
    Claim("C5", "section 3", "Statistics of heavy tails converge slowly.", _slow),
    Claim("C6", "section 3", "The mean wait of M/G/1 is proportional to the second moment.", _second_moment),
    Claim("C7", "section 3", "Bounded distributions may stand in over the range of interest.", _stand_in),
    Claim("C8", "section 4.2", "Under heavy tails few moves of old jobs balance the load.", _few_moves),
    Claim(
        "C9",
        "section 4.2",
        "SITA-E beats the shortest expected delay for 1 < alpha <= 2, by far.",
        _sita_e,
    ),
    Claim(
        "C10",
        "section 4.2",
        "Mean slowdown is best with unequal loads; most jobs gain, large ones lose only slightly.",
        _sita_u,
    ),
    open_claim(
        "C11",
        "section 4.2",
        "A web server with SRPT has mean responses 4 to 5 times lower.",
        "it is a measurement of a real server; harchol-balter2001 has the formulas",
    ),
    open_claim(
        "C12",
        "section 4.2",
        "A threshold of 25 packets saves 90% of the set-ups of connections and keeps half of the bytes.",
        "it is about flows of networks, of which there are none here",
    ),
    open_claim(
        "C13",
        "section 2",
        "Sizes of files, lifetimes of processes and degrees of nodes have heavy tails.",
        "these data are not at hand; `molokini workload info LOG` tells the mass of the jobs of a log",
    ),
)
