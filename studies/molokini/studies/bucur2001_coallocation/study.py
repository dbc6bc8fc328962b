"""Bucur and Epema, JSSPP 2001: co-allocation in multiclusters."""

from molokini.studies.bucur2001_coallocation.cases import cases, prepare, run
from molokini.studies.bucur2001_coallocation.claims import CLAIMS
from molokini.studies.bucur2001_coallocation.shown import pictures, tables
from molokini.studies.study import Size, Study

STUDY = Study(
    name="bucur2001-coallocation",
    title="Co-allocation in multiclusters: kinds of requests and the price of slow links",
    paper="A. I. D. Bucur, D. H. J. Epema: The Influence of Communication on the Performance of Co- "
    "Allocation, JSSPP 2001, LNCS 2221.",
    summary="Four clusters of 8 processors, or one of 32, serve rigid jobs of four components first come, "
    "first served. A job names the cluster of each component (ordered), wants a cluster for each "
    "(unordered), or says only how many processors (flexible on several clusters, total on one). "
    "Each task sends a message to every other, then computes; messages between clusters take 10, "
    "50 or 100 times as long, and the slowest task decides how long all processors are held.",
    cases=cases,
    run=run,
    prepare=prepare,
    sources=[
        "molokini.sim",
        "molokini.scheduling",
        "molokini.applications",
        "molokini.workloads",
        "molokini.policies.fcfs_worstfit",
        "molokini.studies.bucur2001_coallocation.cases",
    ],
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="100,000 jobs",
    readings=[
        "Utilization is the share of processors that jobs hold, communication included, as the "
        "paper's response curves must mean it.",
        "*Maximal utilization* is measured with a queue that is never empty, which for FCFS is the "
        "boundary of stability (`molokini.sim.capacity` finds the same by a search over arrival "
        "rates).",
        "Table 1: with one exchange of messages a job and computation that does not depend on the "
        "size, the maximal utilization *rises* through communication, for every kind. A constant "
        "added to an exponential time makes times more alike, and jobs that start together end "
        "together more often. The tests hold the engine against a plain simulator, job by job, and "
        "closed forms against counted messages. What falls is the share that computes, by ten times "
        "what the paper prints and more. With an exchange for every second of computation (so that "
        "times stay as scattered as they were) total and flexible requests change as little as in the "
        "table, and the changes of ordered and unordered ones have its size, not its sign. What the "
        "authors subtracted is not told. No reading that we tried gives all twelve figures: "
        "processors held, processors computing, processors whose own task is not yet done, throughput "
        "times mean size times mean time; one exchange, one a second, exchange and computation at the "
        "same time.",
        "Flexible requests are balanced where the paper does not say (figures 1 and 2, table 1).",
        "Loads are offered, utilization is measured; curves are compared at the same utilization, "
        "straight between the points. The first 5% of the jobs are not measured.",
        "Figure 7: the paper does not tell the times to agree on the error; they are left out. Jobs "
        "of 8 and 16 processes are equally likely, and the time of an iteration is uniform in the "
        "measured range.",
    ],
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.02),
)
