"""Claims about disk and memory, which are not controlled, and about queues."""

from molokini.studies.claims import Claims, Finding
from molokini.studies.lin2008_feedback.feedback_cases import (
    DISKS,
    QUEUED,
    SETS,
    WRITING,
    Queued,
    Run,
    in_memory,
    writing,
)
from molokini.studies.results import Results
from molokini.studies.rule import above, at_least, each_within, together, within

SAID = Claims()


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


@SAID("C36", "section 5.10, figure 14", "With 10 MB control holds to 1:1.")
def _c36(results: Results) -> Finding:
    """From 1240:1 to 1:1 the rate is within three points; beyond that it is reported."""
    held = WRITING[: WRITING.index("1:1") + 1]
    found = {share: [results.mean(writing(one, share), "bias") for one in WRITING] for share in (0.0, 0.5)}
    told = "; ".join(
        f"{share:.0%} of communicating needs no slice: {', '.join(f'{one.mean:.1f}' for one in biases)}"
        for share, biases in found.items()
    )
    return each_within(
        found[0.0][: len(held)], -3.0, 3.0, f"points off at {', '.join(WRITING)}: {told}; to 1:1, without"
    )


@SAID("C37", "section 5.11, figure 15", "Two working sets below memory do no harm.")
def _c37(results: Results) -> Finding:
    """In this model nothing is missing then, as with no memory at all."""
    cases = [in_memory(ratio, 100) for ratio in ("5:1", "1:1")]
    found = [results.mean(case, name) for case in cases for name in ("within", "other_within")]
    return each_within(found, 0.9, 1.0, "share within, 600 and 700 of 1,300 MB at 5:1 and 1:1")


@SAID("C38", "section 5.11", "Memory matters only beyond its size.")
def _c38(results: Results) -> Finding:
    """Up to all of memory rates are as they are with little; beyond it they fall."""
    found = {sets: results.mean(in_memory("5:1", sets), "mean") for sets in SETS}
    told = ", ".join(f"{sets}%: {one.mean:.1f}" for sets, one in found.items())
    full, beyond = in_memory("5:1", 100), [in_memory("5:1", sets) for sets in SETS if sets > 100]
    lost = [results.difference(full, case, "mean") for case in beyond]
    return together(
        [
            each_within([one for sets, one in found.items() if sets <= 100], 27.0, 33.0),
            above(lost, f"rate at 30% by working sets together: {told}; what is lost beyond 100%"),
        ]
    )


@SAID("C40", "section 6", "Lower rates let a queue admit more jobs.")
def _c40(results: Results) -> Finding:
    """The same jobs wait for less time where more of them go at once; how long they take is told."""
    waits = [results.mean(Queued(rate), "mean_wait_s").mean for rate in QUEUED]
    responses = [results.mean(Queued(rate), "mean_response_s").mean for rate in QUEUED]
    told = ", ".join(
        f"{rate}%: {wait:.0f} and {response:.0f}"
        for rate, wait, response in zip(QUEUED, waits, responses, strict=True)
    )
    shorter = [results.difference(Queued(QUEUED[0]), Queued(rate), "mean_wait_s") for rate in QUEUED[1:]]
    return above(shorter, f"mean wait and response, s, by the rate of each job: {told}")
