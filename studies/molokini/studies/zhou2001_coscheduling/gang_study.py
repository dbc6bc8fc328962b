"""Zhou and Brent, JSSPP 2001: gang scheduling with re-packing and classes of jobs."""

from collections.abc import Hashable

from molokini.studies.study import Case, Size, Study
from molokini.studies.zhou2001_coscheduling.gang_cases import JOBS, ClassRun, cases, jobs_of, prepare, run
from molokini.studies.zhou2001_coscheduling.gang_claims import CLAIMS
from molokini.studies.zhou2001_coscheduling.gang_shown import pictures, tables


def _shares(case: Case) -> Hashable:
    assert isinstance(case, ClassRun)
    return jobs_of(case)


STUDY = Study(
    name="zhou2001-coscheduling",
    title="Classes of jobs under gang scheduling",
    paper="B. B. Zhou, R. P. Brent: On the Development of an Efficient Coscheduling System, JSSPP "
    "2001, LNCS 2221.",
    summary="Under gang scheduling jobs share processors by turns; where too many do, none ends soon. "
    "The paper divides jobs into long, medium and short ones: short ones start at once, long "
    "ones, or long and medium ones, wait in a queue while as many as may share their "
    "processors. Four experiments on 128 processors vary where classes begin and how many may "
    "share. The policy is `buddy-gang` ([gang.md](../gang.md)), the jobs are those of the model"
    " `uniform-log`: sizes and run times uniform in log space, exponential gaps. The paper's "
    "figures are curves, which our copy lacks; what the text says of them is judged.",
    cases=cases,
    run=run,
    prepare=prepare,
    sources=[
        "molokini.sim",
        "molokini.compiled",
        "molokini.tables",
        "molokini.matrix",
        "molokini.cycle",
        "molokini.shared.in_blocks",
        "molokini.applications",
        "molokini.workloads.models",
        "molokini.workloads.arriving",
        "molokini.workloads.distributions",
        "molokini.metrics.grid_losses",
        "molokini.metrics.row_measures",
        "molokini.metrics.timelines",
        "molokini.policies.buddy_gang",
        "molokini.studies.zhou2001_coscheduling.gang_cases",
    ],
    before=(7, 5, 3, 0),
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length=f"{JOBS:,} jobs",
    shares=_shares,
    in_short=[
        "What classes and limits do to each other is as the paper says: with one job a processor "
        "slowdown rises steeply from load 0.4 on; where long jobs alone are queued it stays small, with "
        "some seven slots at load 0.9; where medium ones are queued, too, and short ones start at once, it "
        "is no larger, with far fewer slots at most and at no cost to long jobs.",
        "Gang scheduling without a limit is not worse than with 30 jobs a processor, and its slowdown at "
        "load 0.9 is 8; with 30 it is as small under most seeds, and not above 150. Here a slot costs "
        "nothing, so that gang scheduling is processor sharing, which short jobs hardly feel; a cost of "
        "slots, of switches or memory, is what the paper names as a reason and does not describe.",
        "Limits of 6 and more long jobs a processor are hardly ever reached, so the largest number of "
        "slots does not clearly fall from each to the next.",
        "In experiment 3 a smaller alpha_l is better down to 0.2, where the paper has 0.8 as the best: "
        "more jobs count as long, of which one at a time has a processor, and the six slots stay open "
        "for shorter ones.",
        "Slowdowns of settings in which short jobs wait are as large as the least run time is small; "
        "those of the others hardly depend on it. Long jobs that are queued wait for months at worst.",
    ],
    readings=[
        "Sizes are powers of two, each as often. The paper says that its model was changed a little"
        " for gang scheduling, and not how. With sizes of all numbers a block is 1.39 times as "
        "large as its job on average, so that load 0.9 would be 1.25 of the machine in blocks, and "
        "no policy could serve it; a table has lower loads of these.",
        "Run times lie between 1 s and 100,000 s. The bounds are not in the paper, and slowdowns "
        "without a bound depend on them more than on the policy: a table has 10 s and 60 s.",
        "A policy knows the run times exactly; the longest of the test is given to it as `longest_s`.",
        "How blocks are chosen, how re-packing orders jobs and backfilling without reservations are"
        " readings of ours ([gang.md](../gang.md)): the paper leaves them to earlier ones.",
        "*No limit* is up to 992 slots.",
        "The other loads of a seed have the same jobs with other gaps.",
    ],
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.05),
)
