"""Zhang and Sivasubramaniam 2001: two classes of jobs on a time-shared cluster."""

from molokini.studies.study import Size, Study
from molokini.studies.zhang2001_qos.cases import cases, prepare_all, run
from molokini.studies.zhang2001_qos.claims import CLAIMS
from molokini.studies.zhang2001_qos.shown import pictures, tables

STUDY = Study(
    name="zhang2001-qos",
    title="Best-effort and real-time jobs on one time-shared cluster",
    paper="Y. Zhang, A. Sivasubramaniam: Scheduling Best-Effort and Real-Time Pipelined Applications on "
    "Time-Shared Clusters, 2001.",
    summary="Sixteen nodes serve two classes: real-time pipelines that owe 30 frames a second, and best-"
    "effort parallel jobs that want to be done soon. 1GS is gang scheduling whose rows are shared "
    "out between the classes; 2DCS-TDM divides the time of the whole cluster, and 2DCS-PS that of "
    "each node by virtual time. Every process is simulated, to the nanosecond.",
    cases=cases,
    run=run,
    prepare=prepare_all,
    sources=["molokini.nodes", "molokini.compiled", "molokini.studies.zhang2001_qos.cases"],
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="3,600 s of the cluster",
    in_short=[
        "Seen in short runs so far (a quarter of an hour, three seeds), in which many best-effort "
        "jobs do not end: what is said of their responses is a look, and no result.",
        "What is exact holds: no queue and no rejection without admission control, the share of every"
        " window under 2DCS-TDM and of the long run under 2DCS-PS, and no frame missed by 1GS with "
        "admission control.",
        "Admission control works as claimed: at three times the capacity six of ten frames were "
        "missed without it and none with it, and three of four real-time jobs rejected, alike in all "
        "schemes.",
        "With frames always there 2DCS-PS serves best-effort jobs worse than 2DCS-TDM: a real-time "
        "job that has its frames still has its class's share of each node, where 2DCS-TDM gives it "
        "away.",
        "Of local policies any that leaves the CPU to others does as well as periodic boost, with "
        "programs of 5 ms a round; spinning alone takes eight times as long.",
    ],
    readings=[
        "Figures of the paper are missing in our copy: statements are tested, not curves. All numbers"
        " of best-effort programs, the work a frame and the arrival rates are ours "
        "(docs/coscheduling.md).",
        "A mix is one of arrival rates; the total rate is swept so that the offered load of both "
        "classes is the x axis.",
        "Under 2DCS a real-time job that has the frames of its period goes behind those that have not"
        " (`sated_last`). By deadline alone, as printed, a job whose frames are always there goes on "
        "to keep others from theirs: in a trial of 2DCS-PS with admission control a third of the "
        "frames was missed.",
        "The source of a pipeline is at most b frames ahead of its end: b is what the system buffers.",
        "Admission counts the work of a period, costs included, against a period; as printed the work"
        " of a frame stands against a period, which admits a hundred times too much "
        "(`admission_work`).",
        "2DCS-PS has no timer: Z8 is tested with a quantum of 10 ms for the real-time class, since by"
        " the letter a process that never blocks keeps its node.",
        "The guarantee of 1GS in Z16 is one of rates: it is safe without carrying frames over only "
        "where the work of a period fits into the whole cycles inside it.",
        "Z20 and Z21 are cited by the paper from another: best-effort jobs of 20 s arrive for a "
        "quarter of the time, and all of them are run to their ends.",
    ],
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.25),
)
