"""Claims about slices that begin apart on the nodes of a program: late for good, or cut by others."""

from molokini.studies.claims import Claims, Finding
from molokini.studies.lin2008_feedback.feedback_cases import (
    LATE,
    MANY,
    as_long_as_slices,
    crowded,
    drifting,
    many,
    one_late,
)
from molokini.studies.results import Results, interval
from molokini.studies.rule import above, at_least, each_within, no_more_than_shape, together

SAID = Claims()


@SAID("C17", "section 5.3, figure 3", "Without control the rate drifts; with it it does not.")
def c17(results: Results) -> Finding:
    """The range of the mean of five iterations without control is more than twice that with it."""
    told, found = [], []
    for part in LATE:
        off, on = (results.samples(drifting(part, control), "smooth_range") for control in (False, True))
        found.append(interval([a - 2 * b for a, b in zip(off, on, strict=True)]))
        told.append(f"{part:.0%}: {interval(off).mean:.1f} and {interval(on).mean:.1f}")
    within = [results.mean(drifting(part, True), "within") for part in LATE]
    long = results.mean(as_long_as_slices(False), "smooth_range").mean
    why = (
        f"range of the mean of five iterations, points, without and with control, by slices 2 ms late: "
        f"{'; '.join(told)}; with rounds as long as a slice {long:.1f} at 5%, control or not"
    )
    return together([above(found, why), each_within(within, 0.9, 1.0, "with control, share within")])


@SAID("C18", "section 5.3", "A miss makes the partner wait, and offsets accumulate.")
def _c18(results: Results) -> Finding:
    """After one late slice several iterations are too slow, and many such are further apart than one."""
    one = results.mean(one_late("relative"), "most_apart_ms").mean
    disturbed = {clock: results.mean(one_late(clock), "disturbed") for clock in ("relative", "absolute")}
    most = results.mean(drifting(LATE[0], False), "most_apart_ms")
    return together(
        [
            at_least(
                disturbed["relative"],
                2.0,
                f"one slice 20 ms late: slices {one:.0f} ms apart, {disturbed['relative'].mean:.0f} of 30 "
                f"iterations off by more than a point; {disturbed['absolute'].mean:.0f} where periods "
                "keep to a grid of absolute instants",
            ),
            at_least(most, 4.0, f"1% of slices 2 ms late: up to {most} ms apart"),
        ]
    )


@SAID("C32", "section 5.9, figure 12", "More programs oscillate more, gracefully.")
def _c32(results: Results) -> Finding:
    """More reports are outside the threshold, and means hold; in shape unless deviations grow, too."""
    outside = results.difference(crowded(MANY[-1]), crowded(MANY[0]), "outside")
    means = [results.mean(crowded(k), "worst_mean") for k in MANY]
    deviations = {
        name: [results.mean(case(k), "deviation") for k in MANY]
        for name, case in (("in step", many), ("drifting", crowded))
    }
    told = "; ".join(
        f"{name}: {', '.join(f'{one.mean:.2g}' for one in found)}" for name, found in deviations.items()
    )
    more = results.difference(crowded(MANY[-1]), crowded(MANY[0]), "deviation")
    parts = together(
        [
            above([outside], f"share outside, nine programs less two, 1% of slices late for good: {outside}"),
            each_within(means, 0.0, 3.0, "means, points off"),
        ]
    )
    why = f"{parts.why}; deviation of iterations, points, {', '.join(map(str, MANY))} programs: {told}"
    return no_more_than_shape(Finding(parts.verdict, why), more.above)


@SAID("C33", "section 5.9", "Orders cut slices and make them begin apart.")
def _c33(results: Results) -> Finding:
    """What the paper takes for the cause of C32 grows with the number of programs."""
    names = {
        "orders_each": "orders an iteration",
        "apart_ms": "slices begin apart, ms",
        "interrupted": "turns of others within a slice",
    }
    found = [results.difference(crowded(MANY[-1]), crowded(MANY[0]), name) for name in names]
    told = "; ".join(
        f"{text}: {', '.join(f'{results.mean(crowded(k), name).mean:.3g}' for k in MANY)}"
        for name, text in names.items()
    )
    return above(found, f"{', '.join(map(str, MANY))} programs: {told}")
