"""Maui's own simulation: what SERVERMODE SIMULATION reads, and how jobs enter."""

from typing import Annotated, Any

from molokini.maui.access import JOB_FLAGS, SIMULATION_FLAGS, Flags
from molokini.maui.fields import Count, Line, Section, Yes, parameter
from molokini.maui.kinds import Duration, Number, Word
from molokini.maui.sections.reasons import TRACE
from molokini.maui.times import Moment
from molokini.maui.values import Instant


class Submission(Word):
    """When jobs of the trace enter the queue."""

    NORMAL = "NORMAL"
    CONSTANTJOBDEPTH = "CONSTANTJOBDEPTH"
    CONSTANTPSDEPTH = "CONSTANTPSDEPTH"


class TimePolicy(Word):
    """Whether simulated time follows the clock on the wall."""

    NONE = "NONE"
    REAL = "REAL"


class NodeConfiguration(Word):
    """How the nodes of the trace are laid out."""

    NORMAL = "NORMAL"
    UNIFORM = "UNIFORM"
    PARTITIONED = "PARTITIONED"


def _trace(name: str, default: Any, meaning: str, *aliases: str) -> Any:
    return parameter(name, default, meaning, aliases=aliases, without=TRACE)


def _used(name: str, default: Any, meaning: str, *aliases: str) -> Any:
    return parameter(
        name, default, f"In SERVERMODE SIMULATION: {meaning[0].lower()}{meaning[1:]}", aliases=aliases
    )


_JobFlags = Annotated[tuple[str, ...], Flags(JOB_FLAGS, ("ADVRES",))]


class Simulation(Section):
    """What Maui's simulation reads, and how it submits."""

    workload: Line = _used("SIMWORKLOADTRACEFILE", "traces/workload.trace", "The file of jobs.")
    resources: Line = _used("SIMRESOURCETRACEFILE", "traces/resource.trace", "The file of nodes.")
    initial_depth: Count = _used("SIMINITIALQUEUEDEPTH", 16, "Jobs that are in the queue at the beginning.")
    submission: Submission = _used(
        "SIMJOBSUBMISSIONPOLICY",
        Submission.CONSTANTJOBDEPTH,
        "Whether jobs enter at their own times, or as others leave.",
    )
    time_ratio: Annotated[float, Number(0)] = _trace("SIMTIMERATIO", 0.0, "Simulated seconds in a real one.")
    time_policy: TimePolicy = _trace(
        "SIMTIMEPOLICY", TimePolicy.NONE, "Whether simulated time is tied to real time."
    )
    start: Annotated[Moment, Instant()] | None = _trace(
        "SIMSTARTTIME", None, "Where the simulated clock begins."
    )
    stop_iteration: Count = _trace(
        "SIMSTOPITERATION", 0, "The iteration after which to wait for commands; 0 is none."
    )
    exit_iteration: Count = _used("SIMEXITITERATION", 0, "The iteration after which to end; 0 is none.")
    auto_shutdown: Yes = _trace("SIMAUTOSHUTDOWN", True, "End when no job is left that could run.")
    node_count: Count = _used("SIMNODECOUNT", 0, "The most nodes that are read; 0 is all.")
    node_configuration: NodeConfiguration = _trace(
        "SIMNODECONFIGURATION", NodeConfiguration.NORMAL, "How the nodes of the trace are laid out."
    )
    default_flags: _JobFlags = _trace("SIMDEFAULTJOBFLAGS", (), "Flags that every job of the trace gets.")
    ignored_flags: _JobFlags = _trace("SIMIGNOREJOBFLAGS", (), "Flags of the trace that are dropped.")
    flags: Annotated[tuple[str, ...], Flags(SIMULATION_FLAGS)] = _trace(
        "SIMFLAGS", (), "Parts of the trace that are ignored."
    )
    scaling_percent: Annotated[float, Number(0)] = _used(
        "SIMWCSCALINGPERCENT",
        100.0,
        "Run times and wall times in percent of the trace's.",
        "SIMCPUSCALINGPERCENT",
    )
    accuracy: Annotated[float, Number(0)] = _trace(
        "SIMWCACCURACY", 0.0, "Wall time accuracy of all jobs; 0 is the trace's."
    )
    accuracy_change: Annotated[float, Number()] = _trace(
        "SIMWCACCURACYCHANGE", 0.0, "How the accuracy changes."
    )
    randomize_size: Yes = _trace("SIMRANDOMIZEJOBSIZE", False, "Draw the sizes of jobs.")
    random_delay_s: Annotated[int, Duration()] = _trace(
        "SIMRMRANDOMDELAY", 0, "The longest random delay of the resource manager."
    )
    checkpoint_interval_s: Annotated[int, Duration()] = _trace(
        "SIMCHECKPOINTINTERVAL", 0, "How often simulated jobs are checkpointed."
    )
    scale_run_time: Yes = _trace("SIMSCALEJOBRUNTIME", False, "Scale run times by the speed of nodes.")
