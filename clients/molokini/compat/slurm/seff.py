"""``seff``: what a job has used of what it had."""

from __future__ import annotations

from molokini.compat._types import Invocation, JobView
from molokini.compat.failures import UsageError
from molokini.compat.options import option, without_effect
from molokini.compat.slurm import ids, states, times
from molokini.compat.slurm.general import given_to
from molokini.compat.tool import Failed

OPTIONS = (
    option("-h --help", text="show this help"),
    option("-v --version", text="show the version"),
    without_effect("-d --debug", why="there are no further details"),
    without_effect("-f --fast", why="seff is always fast"),
)


def run(run: Invocation) -> int:
    """Show the efficiency of one job or element."""
    given = given_to(run, OPTIONS, "JOB[_INDEX]")
    if len(given.words) != 1:
        raise UsageError("argument", "", "expected one job")
    from molokini.compat.slurm.listing import views
    from molokini.compat.slurm.needs import EVERYTHING

    try:
        refs = ids.refs(given.words[0])
    except ValueError:
        raise Failed(f"seff: error: Invalid job id: {given.words[0]}") from None
    found = views(run, {"include_ended": True}, EVERYTHING, False, refs)
    if not found:
        raise Failed("Job not found.")
    for view in found:
        run.say("\n".join(_lines(view)))
    return 0


def _lines(view: JobView) -> list[str]:
    index = view.job.index
    lines = [f"Job ID: {view.raw_id}"]
    if index is not None:
        lines.append(f"Array Job ID: {view.id}")
    code = f" (exit code {view.job.exit_code})" if view.state in states.ENDED else ""
    lines += [
        f"Cluster: {view.cluster}",
        f"User/Group: {view.user}/{view.group}",
        f"State: {view.state}{code}",
    ]
    if not view.allocated:
        return [*lines, "Efficiency not available for jobs in the PENDING state."]
    per_node = view.processors // max(1, view.node_count)
    if view.node_count > 1:
        lines += [f"Nodes: {view.node_count}", f"Cores per node: {per_node}"]
    else:
        lines.append(f"Cores: {view.processors}")
    had_s, used_s = view.elapsed_s * view.processors, float(view.job.cpu_s)
    part = 100 * used_s / had_s if had_s else 0.0
    lines += [
        f"CPU Utilized: {times.long_duration(used_s)}",
        f"CPU Efficiency: {part:.2f}% of {times.long_duration(had_s)} core-walltime",
        f"Job Wall-clock time: {times.long_duration(view.elapsed_s)}",
    ]
    used_kb, asked_kb = int(view.job.memory_used_kb), view.memory_kb * view.node_count
    lines.append(f"Memory Utilized: {_size(used_kb)}")
    each = f"{_size(view.memory_kb)}/node"
    if asked_kb:
        lines.append(f"Memory Efficiency: {100 * used_kb / asked_kb:.2f}% of {_size(asked_kb)} ({each})")
    else:
        lines.append("Memory Efficiency: no memory was asked for")
    if view.state not in states.ENDED:
        lines.append(f"WARNING: Efficiency statistics may be misleading for {view.state} jobs.")
    return lines


def _size(kb: int) -> str:
    size, unit = float(kb), "KB"
    for larger in ("MB", "GB", "TB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.2f} {unit}"
