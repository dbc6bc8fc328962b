"""Bucur and Epema, JSSPP 2001: co-allocation in multiclusters."""

from molokini.studies.bucur2001_coallocation.coallocation_cases import cases, prepare, run
from molokini.studies.bucur2001_coallocation.coallocation_claims import CLAIMS
from molokini.studies.bucur2001_coallocation.coallocation_shown import pictures, tables
from molokini.studies.study import Size, Study

STUDY = Study(
    name="bucur2001-coallocation",
    title="Co-allocation in multiclusters: kinds of requests and the price of slow links",
    paper="A. I. D. Bucur, D. H. J. Epema: The Influence of Communication on the Performance of "
    "Co-Allocation, JSSPP 2001, LNCS 2221.",
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
        "molokini.compiled",
        "molokini.tables",
        "molokini.availability",
        "molokini.cycle",
        "molokini.shared",
        "molokini.applications",
        "molokini.workloads",
        "molokini.policies.fcfs",
        "molokini.studies.bucur2001_coallocation.coallocation_cases",
        "molokini.studies.bucur2001_coallocation.freed",
    ],
    before=(12, 3, 2, 0),
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="100,000 jobs",
    in_short=[
        "Every comparison of response times holds: the freer a request is in where it runs, the "
        "sooner it is served, the "
        "slower the links, the later, and flexible requests are better balanced than packed.",
        "The maximal utilization falls with the share of ordered requests, as printed.",
        "Table 1, the capacity that communication costs, is not met by any reading in which two "
        "utilizations are "
        "subtracted, as the text says; with us the utilization of held processors rises.",
        "The loss that section 3.2 defines, measured directly, meets the twelve figures, if it is "
        "taken as a mean over the "
        "placements that were possible, which is our choice.",
        "To learn from it: slow links cost response time, and computing capacity, long before they "
        "cost utilization.",
    ],
    readings=[
        "Utilization is the share of processors that jobs hold, communication included, as the "
        "paper's response curves must mean it.",
        "*Maximal utilization* is measured with a queue that is never empty, which for FCFS is the "
        "boundary of stability (`molokini.metrics.capacity` finds the same by a search over arrival "
        "rates).",
        "Table 1, read as it stands (one exchange of messages a job, processors held, the utilization"
        " without communication less that with it): with us the maximal utilization *rises* through "
        "communication, for every kind of request. A constant that is added to an exponential time "
        "makes times more alike, so that jobs that start together end together more often; and "
        "communication makes wide jobs longer than narrow ones, so that the wide ones, beside which "
        "little stays idle, hold the machine for more of the time. The tests hold the engine against "
        "a plain simulator, job by job, and the closed forms against counted messages.",
        "With an exchange for every second of computation times stay as scattered as they were, and "
        "only the second effect is left: flexible and total requests change as little as in the "
        "table, and the changes of ordered and unordered ones have about its size, with the other "
        "sign.",
        "The sign is the table's if wide jobs hold their processors for *less* of the time: if the "
        "service time of mean 1 contains the exchanges, and processors are given up during them, "
        "which section 3.2 speaks of in words (*jobs are not preempted during communication steps*). "
        "A job of time S then holds its processors for S / (1 + what its slowest task needs for an "
        "exchange). No other reading that we tried gives as many of the twelve figures, but responses"
        " would not rise with the ratio then, as figures 1 and 2 show them; so it is a way to arrive "
        "at the numbers, not what the paper says it does.",
        "What else may be compared (second table): the share that computes falls by ten times what "
        "the paper prints; throughput times mean size times mean time, which leaves out that wide "
        "jobs are longer, and the mean over ends of jobs instead of over time come out too small, or "
        "with the wrong order of kinds. In runs of half the length these did not do better either: "
        "processors whose own task is not yet done (ordered 0.008, 0.032, 0.047 and flexible 0.000, "
        "0.007, 0.014 at the three ratios with one exchange); the time of the average task instead of"
        " the slowest; exchange and computation at the same time; the mean number of jobs times their"
        " mean size; components of 2, 3, 4, 5, 6 or 7 processors at most. What the authors subtracted"
        " is not told.",
        "The two losses of section 3.2 were measured directly, too, in runs of 200,000 jobs: processors "
        "of communicating jobs that the head of the queue would have taken, and idle ones that it would "
        "have taken with them. With one exchange they are 0.024 and 0.033 for ordered and 0.044 and 0.009"
        " for flexible requests at ratio 10: ten times the table and more. Counted only while the idle "
        "processors are enough in number but not in their division, the first is 0.006, 0.021, 0.030 for "
        "ordered requests, as in the table, and nothing for flexible and total ones, but 0.003, 0.009, "
        "0.012 or 0.008, 0.028, 0.040 for unordered ones, by where they are put. Service times whose mean"
        " of 1 contains the exchange, exponential exchanges, and the fastest task instead of the slowest "
        "keep the sign of the first reading. Where processors are given up the fastest task would meet "
        "all twelve figures; no word of the text speaks for it.",
        "The mean over all placements of the head's components that are feasible with those processors "
        "lies between these two, and meets all twelve figures (third table, over ten seeds). What speaks "
        "against it: the paper says that it subtracted; half of the twelve are met by size alone; the "
        "mean over placements is our choice; and unordered requests at ratio 10 come out 40% too high "
        "(0.0016). So it is called *in shape* at most.",
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
