"""A launch of the server as the launch record of a supervisor, and a supervisor's record as a report."""

from dataclasses import dataclass, field
from typing import Any

from molokini.model.run_results import recorded_in
from molokini.proto.v1.agent_service_pb2 import AttemptRef, Launch, Report
from molokini.supervisor.batch_variables import JOB_NUMBER
from molokini.supervisor.launch_record import LaunchRecord

_SIGKILL = 9
RATE_SOCKET, LOCAL_SOCKET = "MOLOKINI_RATE_SOCKET", "MOLOKINI_LOCAL_SOCKET"
"""The variable of a job with the socket of its agent that takes rates."""


@dataclass(frozen=True)
class Rules:
    """What the agent's administrator has said about jobs."""

    switches: bool = False
    """Whether jobs run as their users; else as the user of the agent."""
    allow_root: bool = False
    lowest_uid: int = 1000
    grace_s: float = 5.0
    """Between the signal that warns of an end and the one that makes it."""
    most_processes: int = 0
    """Of one job; 0: as many as the machine allows."""
    binds: bool = False
    """Whether a job is bound to processors of its own."""
    prolog: str = ""
    """A program that runs before each job, as the agent's user; empty: none."""
    epilog: str = ""
    """A program that runs after it; empty: none."""
    hook_limit_s: float = 60.0
    """How long each of them may take."""
    kill_limit_s: float = 30.0
    """Within so many seconds of SIGKILL all processes of a job have to be gone."""
    enforce: str = "signals"
    """What keeps the slices of jobs by deadline: signals, deadline or quota."""
    may_sleep: bool = False
    """Whether cores may sleep beside jobs that are held at rates."""
    groups: dict[str, str] = field(default_factory=dict)
    """By controller, the control group below which each job has its own."""
    starter: str = ""
    """The program that starts jobs without a fork of their supervisor; empty: there is none."""


def wish_of(
    launch: Launch, rules: Rules, lease: str, node: str = "", rates: str = "", local: str = ""
) -> LaunchRecord:
    """What is to be run on the node of this name, or else on the first one.

    *rates* is the socket on which it may tell how fast it goes, *local* that of the node's local scheduler;
    empty: there is none.
    """
    spec, ref = launch.spec, launch.attempt
    place = next((k for k, part in enumerate(launch.allocation) if part.node == node), 0)
    processors = launch.allocation[place].processors if launch.allocation else 0
    return LaunchRecord(
        job=ref.job_id,
        index=ref.array_index,
        attempt=ref.attempt,
        name=spec.name,
        user=launch.user,
        queue=spec.queue,
        argv=list(spec.argv),
        script=bool(spec.script),
        environment={**spec.environment, **_sockets(rates, local), **_number(launch)},
        directory=spec.working_directory,
        stdin=spec.stdin_path,
        stdout=spec.stdout_path,
        stderr=spec.stderr_path,
        processors=processors,
        nodes=[(part.node, part.processors) for part in launch.allocation],
        node=place,
        cpus="",
        memory_kb=spec.resources.memory_kb * processors,
        most_processes=rules.most_processes,
        limit_s=launch.limit_s,
        work_s=launch.work_s,
        # A sliced one has its share by standing still. With a quota it would be in a group of control that
        # others in its rows are not in, and under load a group weighs otherwise than a process.
        rate=1.0 if launch.HasField("slicing") else min(launch.rate, 1.0) or 1.0,
        grace_s=rules.grace_s,
        suspended=launch.suspended,
        switches=rules.switches,
        allow_root=rules.allow_root,
        lowest_uid=rules.lowest_uid,
        groups=rules.groups,
        lease=lease,
        prolog=rules.prolog,
        epilog=rules.epilog,
        hook_limit_s=rules.hook_limit_s,
        kill_limit_s=rules.kill_limit_s,
    )


def _number(launch: Launch) -> dict[str, str]:
    """The number that an element of an array has of its own; by that other systems' jobs know themselves."""
    return {JOB_NUMBER: str(launch.element_number)} if launch.element_number else {}


def _sockets(rates: str, local: str) -> dict[str, str]:
    return {name: path for name, path in ((RATE_SOCKET, rates), (LOCAL_SOCKET, local)) if path}


def report_of(ref: AttemptRef, ended: dict[str, Any], at_s: float) -> Report:
    """The report of the end of an attempt."""
    how = ended["how"]
    report = Report(
        attempt=ref,
        at_s=at_s,
        timed_out=how == "limit",
        out_of_memory=how == "out-of-memory",
        reason=ended["reason"][:1000],
        drain_reason=ended.get("drain", "")[:1000],
        kind=_KINDS.get(how, Report.ENDED),
        **recorded_in(ended),
    )
    if (
        report.kind == Report.ENDED
        and how not in ("exited", "limit")
        and not (report.exit_code or report.signal)
    ):
        # Whatever its program said: it did not end well.
        report.signal = _SIGKILL
    return report


_KINDS = {"not-started": Report.NOT_STARTED, "killed": Report.KILLED, "lease": Report.KILLED}


def lost(ref: AttemptRef, at_s: float, reason: str) -> Report:
    """Of an attempt that is gone without a record of its end: it counts as lost with its node."""
    return Report(kind=Report.KILLED, attempt=ref, at_s=at_s, reason=reason)
