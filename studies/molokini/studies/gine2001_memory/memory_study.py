"""Gine, Solsona, Hernandez, Luque 2001: coscheduling under memory constraints."""

from molokini.studies.gine2001_memory.memory_cases import cases, prepare_all, run, shares
from molokini.studies.gine2001_memory.memory_claims import CLAIMS
from molokini.studies.gine2001_memory.memory_shown import pictures, tables
from molokini.studies.study import Size, Study

STUDY = Study(
    name="gine2001-memory",
    title="Coscheduling where memory is short",
    paper="F. Gine, F. Solsona, P. Hernandez, E. Luque: Coscheduling under Memory Constraints in a NOW "
    "Environment, JSSPP 2001.",
    summary="Parallel jobs and local tasks share workstations whose memory may be too small for all "
    "of them. A task that gets a CPU and whose page is not there sleeps for 20 ms. RR, DYN, "
    "PRED and CSM differ in where a task is put into the ready queue: at the bottom, at the "
    "top if it has a message, past tasks with fewer messages, or, where memory is short, past"
    " tasks that are more likely to fault.",
    cases=cases,
    run=run,
    prepare=prepare_all,
    sources=[
        "molokini.process_sim",
        "molokini.compiled",
        "molokini.studies.gine2001_memory.memory_cases",
    ],
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    shares=shares,
    length="1,000 parallel jobs",
    in_short=[
        "Runs are short (24 parallel jobs, five seeds): half of the statements are undecided, and the "
        "page names the seeds that would tell.",
        "Where memory is enough coscheduling ends the parallel job sooner, it grows faster when local "
        "tasks end, DYN raises tasks less often than CSM and past more at a time, and with equal needs "
        "CSM is first in, first out: these hold.",
        "CSM has not clearly fewest page faults at either load, nor is it clearly above another "
        "anywhere. By means it has fewest at load 1.5 under all seven pairs of rates; at load 1 where "
        "pages come in fast or blocks are small (3,200 pages a second, or 800 with blocks of 4), and "
        "under the default rates and the slower ones PRED has fewer.",
        "With CPU times of full length the order at load 1 is the other one: RR has fewest faults, CSM "
        "most (few jobs, 300 ms between messages).",
        "In the small cases of figures 1, 2 and 5 control of memory does not bring what the paper shows. "
        "Their sizes and CPU times are not printed; with ours too little memory hardly slows the job.",
    ],
    readings=[
        "Figures of the paper are missing in our copy: statements are tested, not curves. The frequencies of "
        "communication and the values of MNOD are ours.",
        "CPU times are those of the paper divided by 20; one point is run with the times as they are."
        " Where less than half of the length is run, the cluster has 16 nodes in place of 32.",
        "Eq. 3 is printed so that the fault probability falls as memory is taken away; it is read as "
        "1 - res/wrk, the chance that a reference to the working set misses (`eq3`).",
        "How resident sets change after the start is not given. Ours: while a task computes its set "
        "grows towards its working set by 800 pages a second, each fault adds a block of 16; pages "
        "come from free memory, then from the task that ran longest ago. A table tells page faults "
        "with each rate, and both, four times as large and as small.",
        "A message goes to another task of the job, by a random shift in each round, and its receiver"
        " waits for it: pairs match, so that no task waits in vain when others end.",
        "The memory load is the mean over time, until the last parallel job arrives, of what nodes "
        "need of their memory; the interval between jobs is found for it by bisection under RR, "
        "within 2%, and all policies see those jobs. How many local tasks there are is not given: a "
        "fixed number for each parallel job.",
        "What is put at the top of the ready queue runs next; it takes the CPU from no task (`preempt_top`).",
        "Correlation is 100 less the mean of |last end - first end| over CPU time, in per cent; as "
        "printed its sign is the other one.",
        "G4 and G6: sizes and CPU times are not given; ours are in the study's code, and seconds "
        "cannot be compared.",
    ],
    full=Size("full", 10, 1.0),
    # With fewer jobs no interval between them gives the loads.
    quick=Size("quick", 2, 0.024),
    usual=Size("usual", 5, 0.024),
)
