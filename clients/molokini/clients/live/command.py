"""The commands on a live cluster: what each is called, and what starts it.

As in ``molokini.clients.command``: what a command takes stands in ``arguments.py``, what it does in a
file of its own that is imported when it runs, so that ``--help`` and a mistyped option load no grpc.
Here are the commands on jobs, nodes and policies, in the order in which help lists them; those of a group
(clock, reservations, bank, token, maui) stand in its own file.
"""

from typing import Any

import typer
from typer.core import TyperCommand

from molokini.clients.live.arguments import (
    AgentsArguments,
    AlterArguments,
    ChangeArguments,
    ClusterArguments,
    HoldArguments,
    JobsArguments,
    NodesArguments,
    OneJobArguments,
    PolicyArguments,
    QueuesArguments,
    ReleaseArguments,
    ScheduleArguments,
    ShadowArguments,
    SignalArguments,
    SubmitArguments,
    WaitArguments,
    WatchArguments,
)
from molokini.clients.live.bank_command import bank_app
from molokini.clients.live.clock_command import clock_app
from molokini.clients.live.maui_command import maui_app
from molokini.clients.live.reservations_command import reservations_app
from molokini.clients.live.token_command import token_app
from molokini.clients.taking import taking

app = typer.Typer(rich_markup_mode=None)
app.add_typer(clock_app, name="clock")
app.add_typer(reservations_app, name="reservations")
app.add_typer(bank_app, name="bank")
app.add_typer(token_app, name="token")
app.add_typer(maui_app, name="maui")


class _WithCommandLine(TyperCommand):
    """What stands behind ``--`` is the job's command line, and not one of ours."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" not in args:
            return super().parse_args(ctx, args)
        at = args.index("--")
        words = [part for word in args[at + 1 :] for part in ("--argv", word)]
        return super().parse_args(ctx, [*args[:at], *words])


@app.command(cls=_WithCommandLine)
@taking(SubmitArguments)
def submit(arguments: SubmitArguments) -> int:
    """Submit a job and print its id.

    The job is a script, or the command behind --. A divisible load
    needs neither where nodes are emulated: molokini submit
    --divisible 200 --cms 1 --cps 100 --deadline 2718 is admitted with
    a start, processors and an end, or refused with the earliest
    deadline that could be met.
    """
    from molokini.clients.live.submit import submit as run

    return run(arguments)


@app.command()
@taking(JobsArguments)
def jobs(arguments: JobsArguments) -> int:
    """List jobs."""
    from molokini.clients.live.listing import jobs as run

    return run(arguments)


@app.command()
@taking(OneJobArguments)
def job(arguments: OneJobArguments) -> int:
    """Show everything about one job."""
    from molokini.clients.live.listing import job as run

    return run(arguments)


@app.command()
@taking(ChangeArguments)
def cancel(arguments: ChangeArguments) -> int:
    """End jobs."""
    from molokini.clients.live.changes import cancel as run

    return run(arguments)


@app.command()
@taking(HoldArguments)
def hold(arguments: HoldArguments) -> int:
    """Keep jobs from starting."""
    from molokini.clients.live.changes import hold as run

    return run(arguments)


@app.command()
@taking(ReleaseArguments)
def release(arguments: ReleaseArguments) -> int:
    """Let held jobs start."""
    from molokini.clients.live.changes import release as run

    return run(arguments)


@app.command()
@taking(AlterArguments)
def alter(arguments: AlterArguments) -> int:
    """Change what a job asks for."""
    from molokini.clients.live.changes import alter as run

    return run(arguments)


@app.command()
@taking(SignalArguments)
def signal(arguments: SignalArguments) -> int:
    """Send a signal to running jobs."""
    from molokini.clients.live.changes import signal as run

    return run(arguments)


@app.command()
@taking(ChangeArguments)
def requeue(arguments: ChangeArguments) -> int:
    """Put running jobs back into the queue.

    Their work is lost.
    """
    from molokini.clients.live.changes import requeue as run

    return run(arguments)


@app.command()
@taking(ChangeArguments)
def suspend(arguments: ChangeArguments) -> int:
    """Stop running jobs; they keep their work."""
    from molokini.clients.live.changes import suspend as run

    return run(arguments)


@app.command()
@taking(ChangeArguments)
def resume(arguments: ChangeArguments) -> int:
    """Let suspended jobs go on."""
    from molokini.clients.live.changes import resume as run

    return run(arguments)


@app.command()
@taking(WaitArguments)
def wait(arguments: WaitArguments) -> int:
    """Wait for the ends of jobs.

    Exit code 0: all ended well. 1: some did not. 124: the time-out came first.
    """
    from molokini.clients.live.following import wait as run

    return run(arguments)


@app.command()
@taking(WatchArguments)
def watch(arguments: WatchArguments) -> int:
    """Print what happens to jobs, as it happens."""
    from molokini.clients.live.following import watch as run

    return run(arguments)


@app.command()
@taking(OneJobArguments)
def explain(arguments: OneJobArguments) -> int:
    """Tell why a job waits, and what would help."""
    from molokini.clients.live.reasons import explain as run

    return run(arguments)


@app.command()
@taking(OneJobArguments)
def forecast(arguments: OneJobArguments) -> int:
    """Tell when a job will start."""
    from molokini.clients.live.reasons import forecast as run

    return run(arguments)


@app.command()
@taking(ClusterArguments)
def cluster(arguments: ClusterArguments) -> int:
    """Show the whole in figures: nodes, processors, jobs by state."""
    from molokini.clients.live.cluster import cluster as run

    return run(arguments)


@app.command()
@taking(NodesArguments)
def nodes(arguments: NodesArguments) -> int:
    """List nodes, or take them out of service."""
    from molokini.clients.live.nodes import nodes as run

    return run(arguments)


@app.command()
@taking(AgentsArguments)
def agents(arguments: AgentsArguments) -> int:
    """List node agents, or release their names."""
    from molokini.clients.live.agents import agents as run

    return run(arguments)


@app.command()
@taking(QueuesArguments)
def queues(arguments: QueuesArguments) -> int:
    """List queues, or change one."""
    from molokini.clients.live.queues import queues as run

    return run(arguments)


@app.command()
@taking(PolicyArguments)
def policy(arguments: PolicyArguments) -> int:
    """Show or change the policy that decides."""
    from molokini.clients.live.policy import policy as run

    return run(arguments)


@app.command()
@taking(ScheduleArguments)
def schedule(arguments: ScheduleArguments) -> int:
    """Make one iteration of the policy maui and tell what each of its steps did."""
    from molokini.clients.live.maui import schedule as run

    return run(arguments)


@app.command()
@taking(ShadowArguments)
def shadow(arguments: ShadowArguments) -> int:
    """Have another policy look on, without effect, and tell what it would have done differently."""
    from molokini.clients.live.shadow import shadow as run

    return run(arguments)
