"""Zhang and Sivasubramaniam 2001: two classes of jobs on a time-shared cluster."""

from molokini.studies.study import Size, Study
from molokini.studies.zhang2001_qos.qos_cases import cases, prepare_all, run
from molokini.studies.zhang2001_qos.qos_claims import CLAIMS
from molokini.studies.zhang2001_qos.qos_shown import pictures, tables

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
    sources=["molokini.process_sim", "molokini.compiled", "molokini.studies.zhang2001_qos.qos_cases"],
    before=(10, 2, 9, 1),
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="3,600 s of arrivals, and on until all jobs have ended",
    in_short=[
        "What is exact holds: no queue and no rejection without admission control, the share of every"
        " window under 2DCS-TDM and of the long run under 2DCS-PS, and no frame missed by 1GS with "
        "admission control.",
        "Admission control works as claimed: where real-time jobs alone ask for three times what "
        "there is, 70 to 75% of the frames are missed without it and none with it, and four of five "
        "real-time jobs are rejected, alike in all schemes.",
        "How much is missed without control is a matter of load, not of the scheme: the nodes do about "
        "nine tenths of their time, so of a real-time load L about 1 - 0.9 / L is missed; 59% at 2.25 "
        "and 70% at 3.",
        "2DCS-PS serves best-effort jobs worse than 2DCS-TDM, with both readings of a pipeline's "
        "source, and because of more blocking: divisions are kept by all nodes together, so the "
        "processes of a best-effort job run at the same time there; under PS each node changes classes "
        "for itself. With frames always there a job that has its frames keeps its class's share as "
        "well, where 2DCS-TDM gives it away.",
        "On average 1GS has longer responses than 2DCS-TDM, but at mixes (a) and (b) shorter ones than "
        "2DCS-PS with frames always there.",
        "Where best-effort jobs meet on their nodes, seven of the nine local policies come out within "
        "about a tenth of each other; spinning alone takes about ten (5 ms a round) to thirty times "
        "(1 ms) as long, and `dcs`, which reschedules at a message and spins, about four to ten times.",
    ],
    readings=[
        "Figures of the paper are missing in our copy: statements are tested, not curves. All numbers"
        " of best-effort programs, the work a frame and the arrival rates are ours "
        "(docs/coscheduling.md), and so is the length of a run, which the paper does not say.",
        "A mix is one of arrival rates; the total rate is swept so that the offered load of both "
        "classes is the x axis.",
        "Responses, and where the time of a job goes, are of all best-effort jobs that arrived. Of one that "
        "has not ended there counts what there was of it until the end: those that end are the quicker "
        "ones, and a scheme under which few end would look good.",
        "Verdicts compare paired differences over seeds by their 95% intervals, by the rule of all studies "
        "(docs/studies/verdicts.md).",
        "The source of a pipeline: the paper has *a steady input video stream* (line 35), frames that flow "
        "one after another (line 71), one output every d seconds (line 79) and b as what the system buffers "
        "(line 277). So a frame comes each d (`arrivals`), and verdicts are of this reading. Beside it stand "
        "a source that runs at most b frames ahead of real time, as with stored video (`ahead`), and one "
        "whose frames are always there (`ready`), under which a pipeline takes all the CPU that it gets. "
        "At most b frames are between source and end in all three.",
        "Jobs arrive for 3,600 s, and the run goes on until the last has ended (for four times as long at "
        "most). Class switches are counted for a second of the 3,600, delivered best-effort jobs for an "
        "hour of them: figure 5(i) is over delivered throughput (line 183).",
        "Z1: *significantly* is beyond the interval; how many times as long is told.",
        "Z15: the paper does not say at which load 70% were missed. Ours is that at which the nodes "
        "can do three tenths of what real-time jobs ask for.",
        "Z4: who goes first where both classes have the same virtual time makes no difference (tried both "
        "ways); which source does.",
        "Under 2DCS a real-time job that has the frames of its period goes behind those that have not"
        " (`sated_last`). By deadline alone, as printed, a job whose frames are always there goes on "
        "to keep others from theirs: in a trial of 2DCS-PS with admission control a third of the "
        "frames was missed.",
        "Admission counts the work of a period, costs included, against a period; as printed the work"
        " of a frame stands against a period, which admits a hundred times too much "
        "(`admission_work`).",
        "2DCS-PS has no timer: Z8 is tested with a quantum of 10 ms for the real-time class, since by"
        " the letter a process that never blocks keeps its node.",
        "The guarantee of 1GS in Z16 is one of rates: it is safe without carrying frames over only "
        "where the work of a period fits into the whole cycles inside it.",
        "Z20 to Z22: best-effort jobs of 20 s alone, at a load of 0.8 for a quarter of the time, and all of "
        "them are run to their ends. Z20 and Z21 are cited by the paper from another.",
    ],
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.25),
)
