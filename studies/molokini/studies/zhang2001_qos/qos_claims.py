"""What Zhang and Sivasubramaniam 2001 claim (Z1 to Z22), as functions of our results."""

from collections.abc import Callable, Sequence

from molokini.studies.claims import Claim, Finding
from molokini.studies.results import Results
from molokini.studies.zhang2001_qos import best_effort, both_classes, real_time

_ROWS: Sequence[tuple[str, str, str, Callable[[Results], Finding]]] = (
    (
        "z1",
        "5.1, figures 5a(i), 5b, 5c",
        "1GS has clearly the longest best-effort responses, in all mixes.",
        best_effort.z1,
    ),
    (
        "z2",
        "5.1",
        "Under 1GS best-effort jobs are blocked less and ready longer; their queue is most of the excess.",
        best_effort.z2,
    ),
    ("z3", "5.1", "Both two-level schemes have no arrival wait and reject no job.", best_effort.z3),
    (
        "z4",
        "figure 5a(i)",
        "PS has shorter best-effort responses than TDM, because of less blocking.",
        best_effort.z4,
    ),
    (
        "z5",
        "figures 5b, 5c",
        "That advantage shrinks where the mix departs from the fairness ratio.",
        best_effort.z5,
    ),
    ("z6", "5.1", "PS switches classes most often where the mix meets the ratio.", best_effort.z6),
    (
        "z7",
        "5.1",
        "TDM guarantees the real-time class its share in every window of a cycle.",
        real_time.z7,
    ),
    ("z8", "5.1", "PS guarantees it only in the long run.", real_time.z8),
    ("z9", "figures 5a, 5b, 5c", "TDM misses a little less than PS.", real_time.z9),
    ("z10", "figure 5c(ii)", "That difference is plainest at 1:9.", real_time.z10),
    ("z11", "figures 5a, 5b, 5c", "At low rates 1GS misses more than both others.", real_time.z11),
    (
        "z12",
        "figures 5a, 5b, 5c",
        "At high rates 1GS misses less than both, because it rejects.",
        real_time.z12,
    ),
    (
        "z13",
        "figures 5a, 5b, 5c",
        "1GS rejects a significant part of the real-time jobs.",
        real_time.z13,
    ),
    ("z14", "figure 6", "Admission control tends to shorten best-effort responses.", best_effort.z14),
    (
        "z15",
        "figure 6",
        "With admission control misses of both two-level schemes fall from 70% to 0.1%.",
        real_time.z15,
    ),
    ("z16", "figure 6", "1GS with admission control misses nothing.", real_time.z16),
    (
        "z17",
        "figure 6(iii)",
        "More than half of the real-time jobs are rejected then, alike in all schemes.",
        real_time.z17,
    ),
    ("z18", "appendix", "Other sizes and durations show the same trends.", both_classes.z18),
    ("z19", "6", "Idle time of one class serves the other without hurting it.", both_classes.z19),
    (
        "z20",
        "2.1 (cited)",
        "PB and PB-SB are the best of the nine local policies.",
        both_classes.z20,
    ),
    ("z21", "appendix (cited)", "1 ms is near the best interval of periodic boost.", both_classes.z21),
    ("z22", "4.2", "Skew and I/O hurt gang scheduling.", both_classes.z22),
)

CLAIMS = [Claim(name, place, text, check) for name, place, text, check in _ROWS]
