"""Lin, Sundararaj and Dinda 2008: performance-targeted feedback control."""

from molokini.studies.lin2008_feedback.feedback_cases import cases, prepare_all
from molokini.studies.lin2008_feedback.feedback_claims import CLAIMS
from molokini.studies.lin2008_feedback.feedback_runs import run
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
        "molokini.studies.lin2008_feedback.feedback_runs",
    ],
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="all iterations of each program",
    in_short=[
        "What holds: the new utilisation itself meets a changed target, in the first iteration that is "
        "whole; no order is needed in the common case, nothing is missed while shares are one at most, and a "
        "busy loop beside a rank changes nothing where tasks have priority.",
        "Grain matters: at 50% periods of 500 ms cost 17 to 20 points against 20 ms where rounds are short. "
        "A threshold of one point is unstable where an iteration is five periods long, by its ends alone.",
        "Drift shows where a slice holds several rounds: 1 to 5% of slices that are 2 ms late for good move "
        "the mean of five iterations by 10 to 29 points, and 3 with control. Where a round is as long as "
        "a slice it needs no more than what came in the slice before, whenever that was, and nothing drifts.",
        "The more programs drift on the same nodes, the further apart their slices begin and the more often "
        "others have a turn within a slice; nine are outside the threshold more often than two, though their "
        "iterations deviate less.",
        "What is not controlled matters beyond a limit: memory from its size on, the disk from a tenth of "
        "an iteration on. Jobs at a quarter of their rate wait in a queue for less than half as long, and "
        "take nearly twice as long in all.",
        "Loose coupling does not help here: in short rounds and long periods 5:1 is further off than 1:5.",
        "Beyond the paper, a search by halves or by a model needs 13 to 14 orders less than the sweep.",
    ],
    readings=[
        "Iterations are compared, and no seconds: those are of the paper's machines. Figures are missing in "
        "our copy. Rates are percent of the full rate, thresholds percentage points of it.",
        "An exchange is one of all with all, eager; sending and receiving are CPU time inside of slices. "
        "An order is in force at once on all nodes, within a tenth of a millisecond.",
        "Iterations take 8 s alone where nothing else is said: 40 periods, as in the paper. In the "
        "runs on thresholds they take five periods, since they end inside slices and are uneven by that.",
        "Drift: a scheduler that sleeps for a period each time loses what it is late for good. Slices are "
        "late by 2 ms: 1% of them, as real slicers are, to 5%. Nodes begin in step, and a round takes 10 ms "
        "of slices of 100 ms. One late slice (C18) is late by 20 ms.",
        "How far slices begin apart is looked at where iterations end, within a period. Orders of many "
        "programs come from drift, too: without it there are none.",
        "A disk writes 30 MB a second, so that 10 MB are 4% of an iteration. Working sets are referred to "
        "throughout; a process that gets a CPU faults as likely as its set is not resident, for 20 ms.",
        "A queue (C40) has 60 jobs of all nodes, 20 iterations of a second in the mean, that need 0.7 of "
        "them; a job begins when all its nodes have room for its rate, which stays.",
        "Full speeds (C21) differ slightly where they are 10% apart at most, in shape to 30%.",
        "Without priority a busy loop takes turns of 10 ms with a task that has its slice.",
        "Gang rows and feedback run the same two programs. A change of rows is a message to each node; so is "
        "an order, and a report is one message. How nodes synchronize at a change of rows is not counted.",
        "Real figures are a recorded run of the benchmark, two agents with a core each. They judge what no "
        "simulation can tell, and stand beside the verdict elsewhere.",
    ],
    full=Size("full", 24, 1.0),
    quick=Size("quick", 3, 1.0),
)
