"""Lin, Sundararaj and Dinda 2008: performance-targeted feedback control."""

from molokini.studies.lin2008_feedback.feedback_cases import cases, prepare_all, run
from molokini.studies.lin2008_feedback.feedback_claims import CLAIMS
from molokini.studies.lin2008_feedback.feedback_shown import pictures, tables
from molokini.studies.study import Size, Study

STUDY = Study(
    name="lin2008-feedback",
    title="Performance-targeted feedback-controlled real-time scheduling",
    paper="B. Lin, A. I. Sundararaj, P. A. Dinda: Time-sharing parallel applications through "
    "performance-targeted feedback-controlled real-time scheduling, Cluster Computing 11 (2008).",
    summary="Parallel programs share nodes at target rates: each has a slice of every period on each of its "
    "nodes, earliest deadline first, and a controller changes the period where a rate is too far off. Every "
    "process is simulated, to the nanosecond.",
    cases=cases,
    run=run,
    prepare=prepare_all,
    sources=[
        "molokini.feedback",
        "molokini.process_sim",
        "molokini.compiled",
        "molokini.studies.lin2008_feedback.feedback_cases",
    ],
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="all iterations of each program",
    in_short=[
        "What holds: the new utilisation itself meets a changed target, in the first iteration that is "
        "whole; no order is needed in the common case, nothing is missed while shares are one at most, and a "
        "busy loop beside a rank changes nothing where tasks have priority.",
        "Grain matters: at 50% periods of 500 ms cost 17 to 19 points against 20 ms where rounds are short. "
        "A threshold of one point is unstable where an iteration is five periods long, by its ends alone.",
        "Drift does not show: late periods alone move the mean of five iterations by half a point, with "
        "control and without, so that the controller has nothing to do.",
        "Beyond the paper, a search by halves or by a model needs 14 to 15 orders less than the sweep.",
    ],
    readings=[
        "Iterations are compared, and no seconds: those are of the paper's machines. Figures are missing in "
        "our copy. Rates are percent of the full rate, thresholds percentage points of it.",
        "An exchange is one of all with all, eager; sending and receiving are CPU time inside of slices. "
        "An order is in force at once on all nodes, within a tenth of a millisecond.",
        "Iterations take 8 s alone where nothing else is said: 40 periods, as in the paper. In the "
        "runs on thresholds they take five periods, since they end inside slices and are uneven by that.",
        "Drift: a scheduler that sleeps for a period each time loses what it is late for good. One slice of "
        "twenty is late by 20 ms.",
        "Without priority a busy loop takes turns of 10 ms with a task that has its slice.",
        "Gang rows and feedback run the same two programs. A change of rows is a message to each node; so is "
        "an order, and a report is one message. How nodes synchronize at a change of rows is not counted.",
        "Real figures are a recorded run of the benchmark, two agents with a core each. They judge what no "
        "simulation can tell, and stand beside the verdict elsewhere.",
    ],
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 1.0),
)
