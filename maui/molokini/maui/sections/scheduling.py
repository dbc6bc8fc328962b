"""The cycle itself: what every job must keep to, deferral, and what becomes of jobs that run over."""

from typing import Annotated

from molokini.maui.fields import Count, Seconds, SecondsOrNone, Section, Yes, parameter
from molokini.maui.kinds import Whole, Word
from molokini.maui.sections.reasons import MANAGER, NODES, RUNNING
from molokini.maui.values import ResourceLimit, ResourceLimits

Ceiling = Annotated[int, Whole(-1)]


class ViolationAction(Word):
    """What becomes of a job that runs over."""

    CANCEL = "CANCEL"
    PREEMPT = "PREEMPT"


class Scheduling(Section):
    """When the scheduler looks, and bounds that hold for every job."""

    poll_interval_s: Seconds = parameter(
        "RMPOLLINTERVAL", 60, "Longest time between two scheduling iterations."
    )
    aggregation_time_s: Seconds = parameter(
        "JOBAGGREGATIONTIME",
        0,
        "How long the scheduler gathers events of jobs before an iteration.",
        without="it looks at once",
    )
    most_procs_per_job: Ceiling = parameter(
        "SYSTEMMAXPROCPERJOB", -1, "The most processors of any job; -1 is no bound."
    )
    most_processor_seconds_per_job: Ceiling = parameter(
        "SYSTEMMAXPROCSECONDPERJOB", -1, "The most processor-seconds of any job; -1 is no bound."
    )
    longest_wall_time_s: SecondsOrNone = parameter(
        "SYSTEMMAXJOBWALLTIME", -1, "The longest wall time that any job may ask for; -1 is no bound."
    )
    default_wall_time_s: Seconds = parameter(
        "SYSTEMDEFAULTJOBWALLTIME",
        0,
        "The wall time of jobs that ask for none and whose class sets none; 0 sets none.",
    )
    most_starts_per_iteration: Count = parameter(
        "MAXJOBPERITERATION", 0, "The most jobs that one iteration starts; 0 is no bound."
    )
    defer_time_s: Seconds = parameter(
        "DEFERTIME", 3600, "How long a job that cannot run at present is deferred; 0 is never."
    )
    defer_count: Count = parameter(
        "DEFERCOUNT", 24, "After more deferrals a job gets a system hold, which an administrator releases."
    )
    defer_start_count: Count = parameter(
        "DEFERSTARTCOUNT",
        1,
        "After so many failed starts a job is deferred.",
        without="a start that was decided does not fail in simulation, and a server ends the job",
    )
    overrun_s: SecondsOrNone = parameter(
        "JOBMAXOVERRUN", 0, "How long a job may run past its wall time; -1 is without limit."
    )
    violation_action: ViolationAction = parameter(
        "WCVIOLATIONACTION",
        ViolationAction.CANCEL,
        "What happens to a job that runs past its wall time.",
        without=RUNNING,
    )
    most_start_time_s: SecondsOrNone = parameter(
        "JOBMAXSTARTTIME",
        -1,
        "How long a job may be starting before it is cancelled; -1 is without limit.",
        without=MANAGER,
    )
    resource_limits: Annotated[tuple[ResourceLimit, ...], ResourceLimits()] = parameter(
        "RESOURCELIMITPOLICY", (), "What happens to a job that uses more than it asked for.", without=RUNNING
    )
    job_sync_time_s: Seconds = parameter(
        "JOBSYNCTIME", 600, "How long a job's state may differ from the expected one.", without=MANAGER
    )
    node_sync_time_s: Seconds = parameter(
        "NODESYNCTIME", 600, "How long a node's state may differ from the expected one.", without=MANAGER
    )
    job_purge_time_s: Seconds = parameter(
        "JOBPURGETIME",
        0,
        "How long a job that the resource manager no longer reports is kept.",
        without=MANAGER,
    )
    node_purge_time_s: Seconds = parameter(
        "NODEPURGETIME",
        0,
        "How long a node that the resource manager no longer reports is kept.",
        without=MANAGER,
    )
    multinode_jobs: Yes = parameter(
        "ENABLEMULTINODEJOBS", True, "Let jobs have several nodes.", without=NODES
    )
    multireq_jobs: Yes = parameter(
        "ENABLEMULTIREQJOBS", False, "Let jobs ask for several kinds of nodes.", without=NODES
    )
