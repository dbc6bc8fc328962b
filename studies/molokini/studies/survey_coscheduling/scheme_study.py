"""The survey of coscheduling and its proposal, which its authors had not tried."""

from molokini.studies.study import Size, Study
from molokini.studies.survey_coscheduling.scheme_cases import cases, prepare_all, run
from molokini.studies.survey_coscheduling.scheme_claims import CLAIMS
from molokini.studies.survey_coscheduling.scheme_shown import pictures, tables

STUDY = Study(
    name="survey-coscheduling",
    title="A survey of coscheduling, and its proposal tried",
    paper="A survey of coscheduling in clusters of workstations, with a proposal: message-driven "
    "coscheduling over a modified stride scheduler.",
    summary="Implicit coscheduling spins for a computed time and blocks; dynamic coscheduling raises the "
    "receiver of a message at once, where that is fair; explicit schemes change jobs on all nodes together. "
    "The proposal gives shares by tickets: a message runs its receiver on borrowed tickets, sleeps and "
    "preemptions give a credit, and nodes tell each other of their jobs. It had no experiment: the table "
    "of mixed programs and S15 to S18 are new work.",
    cases=cases,
    run=run,
    prepare=prepare_all,
    sources=[
        "molokini.process_sim",
        "molokini.compiled",
        "molokini.studies.survey_coscheduling.scheme_cases",
    ],
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="60 s of CPU time of each process, or of the cluster",
    in_short=[
        "What is said of speed holds: implicit and dynamic coscheduling are near an ideal gang for "
        "bulk-synchronous programs, take no more CPU time than batch, and perform alike.",
        "What is said of fairness does not: implicit coscheduling favours fine grain over coarse, and "
        "neither a fairness test nor fitted parameters make dynamic coscheduling fair to all mixes.",
        "The proposal keeps each of its promises alone: shares by tickets within a quantum, no more for "
        "wide jobs by ticket tracking, credits that restore shares.",
        "Ticket tracking explains why communicating jobs have only 5% of each CPU beside a serial process: a "
        "job on 16 nodes has a sixteenth of its tickets on each. So the proposal is the fairest to jobs "
        "(index 0.98; no other is above 0.78), and the least fair to processes. That tickets were whole "
        "numbers (6 of 6.25) was no cause: in parts of tickets all shares are within 0.5 points of before.",
        "With 100 tickets for each process the parallel jobs have less than half of the CPU, where shares "
        "by tickets would be three quarters, and the finer the grain, the less. To processes that is less "
        "fair than implicit and dynamic coscheduling in every comparison; why has not been tried.",
        "Under explicit schemes bursts of interactive jobs wait longer than under spin-block in every "
        "comparison, though not longer with each longer slot.",
    ],
    readings=[
        "Numbers of the survey are those of papers that it cites, on other machines: what is tested is order "
        "and shape. Workloads are ours: 16 nodes, rings with messages of 1 KB after exponential grains of 1, "
        "10 and 100 ms, a skew of 0 and 50%, a serial process and an interactive one (1 ms each 100 ms).",
        "Implicit: the spin limit is a round trip, a switch, and what it costs to be woken (513 us); it is "
        "extended by 455 us as long as messages come in for the process.",
        "Dynamic: spin of 1,600 us. The test of fairness is ours: the CPU time of the last second, by an "
        "exponential average, is at most the fair share and a slack of 100 ms. `dcs-fitted` has no slack, "
        "`dcs-unfair` no test.",
        "`sb-starving` raises a process after 1.1 quanta of 100 ms for each process of its CPU.",
        "The ideal gang runs one job at a time on all nodes, for 500 ms, and changes for nothing.",
        "Tickets: quanta of 10 ms, intervals and broadcasts of 1 s; a process may borrow what it is granted, "
        "and pays back up to half of its grant an interval. `tickets-plain` does not borrow. A job has 100 "
        "tickets however wide it is, as ticket tracking has it: a process of a job on 16 nodes has 6.25 of "
        "them, beside 100 of the serial process there. `tickets-by-width` gives a job 100 for each process.",
        "Fairness is the Jain index over the CPU time of the three parallel jobs (of a process each) and of "
        "the serial processes; spinning counts as CPU time; `of jobs` takes all processes of a parallel job "
        "together. Performance is completion where jobs are alike, "
        "and computing of the parallel jobs where they are mixed.",
        "RAWSI: four pairs of activities on four processors that meet in bursts of 0.1 s after 2 s, "
        "or always.",
    ],
    full=Size("full", 10, 1.0),
    quick=Size("quick", 2, 0.05),
    usual=Size("usual", 5, 0.1),
)
