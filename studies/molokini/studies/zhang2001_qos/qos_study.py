"""Zhang and Sivasubramaniam 2001: two classes of jobs on a time-shared cluster."""

from molokini.studies.prose import prose
from molokini.studies.study import Size, Study
from molokini.studies.zhang2001_qos.qos_cases import cases, prepare_all, run
from molokini.studies.zhang2001_qos.qos_claims import CLAIMS
from molokini.studies.zhang2001_qos.qos_shown import pictures, tables

STUDY = Study(
    name="zhang2001-qos",
    title="Best-effort and real-time jobs on one time-shared cluster",
    paper="Y. Zhang, A. Sivasubramaniam: Scheduling Best-Effort and Real-Time Pipelined Applications on "
    "Time-Shared Clusters, 2001.",
    **prose(__file__),
    cases=cases,
    run=run,
    prepare=prepare_all,
    sources=["molokini.process_sim", "molokini.compiled", "molokini.studies.zhang2001_qos.qos_cases"],
    before=(10, 2, 9, 1),
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="3,600 s of arrivals, and on until all jobs have ended",
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.25),
    # Ten seeds take hours on two cores; with three of these all seven older studies take two.
    usual=Size("usual", 3, 1.0),
)
