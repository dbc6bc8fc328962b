"""Yoo and Jette 2001: message-driven coscheduling on clusters of SMPs."""

from molokini.studies.study import Size, Study
from molokini.studies.yoo2001_smp.yoo_cases import cases, prepare_all, run
from molokini.studies.yoo2001_smp.yoo_claims import CLAIMS
from molokini.studies.yoo2001_smp.yoo_shown import pictures, tables

STUDY = Study(
    name="yoo2001-smp",
    title="Message-driven coscheduling on clusters of SMPs",
    paper="A. B. Yoo, M. A. Jette: An Efficient and Scalable Coscheduling Technique for Large Symmetric "
    "Multiprocessor Clusters, JSSPP 2001.",
    summary="Eight nodes of two CPUs are time-shared by programs of the NAS benchmarks. A daemon on each "
    "node schedules one job at a time there, for a guaranteed minimum (GMET); a message from where "
    "its sender's job is scheduled asks for the receiver's job, and a timer for the job with the least CPU "
    "time. No daemon speaks with another. Every process is simulated, to the nanosecond.",
    cases=cases,
    run=run,
    prepare=prepare_all,
    sources=["molokini.process_sim", "molokini.compiled", "molokini.studies.yoo2001_smp.yoo_cases"],
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="all iterations of each program",
    in_short=[
        "Whether heavy traffic gains depends on how long programs compute between messages, and on what "
        "receivers do; the paper tells neither. With our stand-ins, which compute for 13 to 106 ms, W2 loses "
        "in every line of the table below that keeps this time.",
        "With a twentieth of that time, receivers that spin and shares of 0.2 s message-driven coscheduling "
        "shortens the mean response of W2 by a fifth (the paper: by half), that of W1 by less and that of W3 "
        "not at all. The least GMET follows the time in which jobs gather: there all from 1 to 5 s are about "
        "alike.",
        "With a tenth, receivers that spin, shares of 1 s and figure 5's slice of 30 s, W2 by GMET of 1, 2, "
        "3, 4, 5, 8, 15 s took 1192, 1093, 1076, 1156, 1104, 1189, 3219 s, uncoordinated 1395 s (five seeds, "
        "examples/coscheduling/heavy.toml): the least at 3 s, as in the paper, and shorter by 0.229 (0.220 "
        "to 0.238).",
        "The cause has two sides. A process that is not scheduled notices a message when its 1% has brought "
        "it to its next receive, which with 40 ms of computing takes four seconds: jobs gather slowly. And "
        "time sharing loses little where its turns are no longer than the time between two messages, and "
        "nothing where a receiver that blocks leaves its CPU to others.",
        "What holds under nearly all readings: with light traffic it is as fast as uncoordinated time "
        "sharing, the daemons send each other nothing, with a large GMET most requests are discarded, "
        "and the status byte helps. Timers that begin together matter: each that rings alone takes a "
        "node from a job.",
    ],
    readings=[
        "Programs are stand-ins: iterations, numbers of messages and patterns are those of NPB 2, times "
        "between messages ours (docs/coscheduling.md). Seconds cannot be compared, nor curves: figures are "
        "missing in our copy. Times between messages differ by up to 10%.",
        "All jobs begin at 0. A job fills the CPUs of a node before it goes to the next one, nodes with the "
        "fewest processes first. Spread over all nodes, most jobs have one process on a node, "
        "and as one job is scheduled there, its other CPU is idle; the table of figure 2 has that, too.",
        "What a receiver does while it waits is not told: it blocks after a millisecond, or spins. Nor "
        "is told when timers of nodes begin: at instants of their own, drawn by seed, or together. Claims of "
        "figures 2 and 3 are judged under all four readings, and under a fifth: receivers spin, timers begin "
        "together, programs compute a twentieth between messages, in twenty times as many iterations, and "
        "shares are of 0.2 s. It was chosen when the loss of W2 under the other four had been seen. Other "
        "claims are judged by timers, those of GMET with heavy traffic and of the slice under the fifth, "
        "too; a claim holds in shape where it holds under some.",
        "*Has run for GMET* is wall time since the job was scheduled. Shares are of intervals of a second; "
        "jobs that are not scheduled compute first in each. The paper says that shares are strict; the "
        "class scheduler could also let a job run on at the lowest priority, which is among the variations.",
        "Figure 4: the hundred jobs are the seven programs of class A in turn, of 8 or 9 processes, and two "
        "of lu.C.8 as numbers 11 and 42; a tenth of the iterations of each. Batch gives each process a CPU.",
        "Y23: machines of 8, 32 and 128 nodes have as many more copies of each job of the heavy workload, "
        "under the fifth reading, and make a quarter of the iterations.",
    ],
    full=Size("full", 5, 1.0),
    quick=Size("quick", 3, 0.25),
)
