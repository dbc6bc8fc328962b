"""``diagnose -t``: partitions, what they have, and the jobs there."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import report


def show(run: Invocation, letter: str, name: str, partition: str) -> None:
    """Print all of them, or the one called *name*."""
    wanted = partition or name
    render(run, report(run, "partitions", **({"partition": wanted} if wanted else {})))


def render(run: Invocation, found: Found) -> None:
    """Print the partitions of the report *found*."""
    run.say("Partition Status\n")
    run.say(
        f"{'Name':<16} {'Nodes':>6} {'UpNodes':>8} {'Procs':>6} {'UpProcs':>8} {'Free':>6} "
        f"{'Active':>7} {'Waiting':>8}\n"
    )
    for one in found["partitions"]:
        run.say(
            f"{one['partition']:<16} {_count(one['nodes']):>6} {_count(one['nodes_up']):>8} "
            f"{one['processors']:>6} {one['processors_up']:>8} {one['processors_free']:>6} "
            f"{one['jobs_active']:>7} {one['jobs_waiting']:>8}"
        )


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)
