"""The commands on a live cluster: what each is called, and what starts it.

As in ``molokini.clients.command``: what a command takes stands in ``arguments.py``, what it does in a
file of its own that is imported when it runs, so that ``--help`` and a mistyped option load no grpc.
"""

from typing import Any

import typer
from typer.core import TyperCommand

from molokini.clients.live.arguments import (
    AdvanceArguments,
    AlterArguments,
    BalanceArguments,
    BookArguments,
    ChangeArguments,
    ChangeParamArguments,
    CheckNodeArguments,
    ClockArguments,
    DeleteReservationArguments,
    DepositArguments,
    DiagnoseArguments,
    HoldArguments,
    JobsArguments,
    NodesArguments,
    OneJobArguments,
    PolicyArguments,
    QueuesArguments,
    RateArguments,
    RefundArguments,
    ReleaseArguments,
    ReportArguments,
    ReservationsArguments,
    ReserveArguments,
    ScheduleArguments,
    SetResArguments,
    ShadowArguments,
    ShowQueueArguments,
    ShowStartArguments,
    ShowStatisticsArguments,
    ShowWindowsArguments,
    SignalArguments,
    StatementArguments,
    SubmitArguments,
    WaitArguments,
    WatchArguments,
)
from molokini.clients.taking import taking

app = typer.Typer(rich_markup_mode=None)
clock_app = typer.Typer(help="Look at the cluster's clock, and turn it.", rich_markup_mode=None)
app.add_typer(clock_app, name="clock")
reservations_app = typer.Typer(help="Keep processors for some, for a while.", rich_markup_mode=None)
app.add_typer(reservations_app, name="reservations")
bank_app = typer.Typer(help="Accounts of the bank: balances, bookings, statements.", rich_markup_mode=None)
app.add_typer(bank_app, name="bank")
maui_app = typer.Typer(help="What Maui's commands show and do.", rich_markup_mode=None)
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
@taking(NodesArguments)
def nodes(arguments: NodesArguments) -> int:
    """List nodes, or take them out of service."""
    from molokini.clients.live.nodes import nodes as run

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


@maui_app.command()
@taking(ChangeParamArguments)
def changeparam(arguments: ChangeParamArguments) -> int:
    """Change one parameter until the configuration is read again."""
    from molokini.clients.live.maui import changeparam as run

    return run(arguments)


@maui_app.command()
@taking(DiagnoseArguments)
def diagnose(arguments: DiagnoseArguments) -> int:
    """Show priorities, fairshare, nodes, blocked jobs or reservations."""
    from molokini.clients.live.maui import diagnose as run

    return run(arguments)


@maui_app.command()
@taking(ShowQueueArguments)
def showq(arguments: ShowQueueArguments) -> int:
    """Show active, idle and blocked jobs."""
    from molokini.clients.live.maui import showq as run

    return run(arguments)


@maui_app.command()
@taking(ShowStartArguments)
def showstart(arguments: ShowStartArguments) -> int:
    """Show when a job, or one of such a size, could start at the earliest."""
    from molokini.clients.live.maui import showstart as run

    return run(arguments)


@maui_app.command()
@taking(ShowWindowsArguments)
def showbf(arguments: ShowWindowsArguments) -> int:
    """Show what could start now, and for how long."""
    from molokini.clients.live.maui import showbf as run

    return run(arguments)


@maui_app.command()
@taking(ReportArguments)
def showres(arguments: ReportArguments) -> int:
    """Show the reservations of jobs and of administrators."""
    from molokini.clients.live.maui import showres as run

    return run(arguments)


@maui_app.command()
@taking(ShowStatisticsArguments)
def showstats(arguments: ShowStatisticsArguments) -> int:
    """Show what has been finished, and what is left to do."""
    from molokini.clients.live.maui import showstats as run

    return run(arguments)


@maui_app.command()
@taking(OneJobArguments)
def checkjob(arguments: OneJobArguments) -> int:
    """Show all that is known of an open job, and why it does not run."""
    from molokini.clients.live.maui import checkjob as run

    return run(arguments)


@maui_app.command()
@taking(CheckNodeArguments)
def checknode(arguments: CheckNodeArguments) -> int:
    """Show a node, its jobs and its reservations."""
    from molokini.clients.live.maui import checknode as run

    return run(arguments)


@maui_app.command()
@taking(SetResArguments)
def setres(arguments: SetResArguments) -> int:
    """Reserve processors for some."""
    from molokini.clients.live.maui import setres as run

    return run(arguments)


@maui_app.command()
@taking(DeleteReservationArguments)
def releaseres(arguments: DeleteReservationArguments) -> int:
    """Give reservations up."""
    from molokini.clients.live.maui import releaseres as run

    return run(arguments)


@clock_app.command()
@taking(ClockArguments)
def status(arguments: ClockArguments) -> int:
    """Show the clock."""
    from molokini.clients.live.clock import status as run

    return run(arguments)


@clock_app.command()
@taking(AdvanceArguments)
def advance(arguments: AdvanceArguments) -> int:
    """Turn a stepped clock forward.

    Prints the clock when everything on the way has happened."""
    from molokini.clients.live.clock import advance as run

    return run(arguments)


@clock_app.command()
@taking(RateArguments)
def rate(arguments: RateArguments) -> int:
    """Let a scaled clock run at another rate."""
    from molokini.clients.live.clock import rate as run

    return run(arguments)


@clock_app.command()
@taking(ClockArguments)
def pause(arguments: ClockArguments) -> int:
    """Stop the clock."""
    from molokini.clients.live.clock import pause as run

    return run(arguments)


@clock_app.command(name="resume")
@taking(ClockArguments)
def resume_clock(arguments: ClockArguments) -> int:
    """Let the clock go on."""
    from molokini.clients.live.clock import resume as run

    return run(arguments)


@reservations_app.command(name="list")
@taking(ReservationsArguments)
def list_reservations(arguments: ReservationsArguments) -> int:
    """List what is reserved."""
    from molokini.clients.live.reservations import listed as run

    return run(arguments)


@reservations_app.command()
@taking(ReserveArguments)
def create(arguments: ReserveArguments) -> int:
    """Reserve processors, once or again and again.

    Jobs without access start only if they are over before, or leave them free."""
    from molokini.clients.live.reservations import create as run

    return run(arguments)


@reservations_app.command()
@taking(DeleteReservationArguments)
def delete(arguments: DeleteReservationArguments) -> int:
    """Give reservations up."""
    from molokini.clients.live.reservations import delete as run

    return run(arguments)


@bank_app.command()
@taking(BalanceArguments)
def balance(arguments: BalanceArguments) -> int:
    """Show what accounts have, have set aside and have paid."""
    from molokini.clients.live.bank import balance as run

    return run(arguments)


@bank_app.command()
@taking(DepositArguments)
def deposit(arguments: DepositArguments) -> int:
    """Put processor-seconds into an account."""
    from molokini.clients.live.bank import deposit as run

    return run(arguments)


@bank_app.command()
@taking(BookArguments)
def withdraw(arguments: BookArguments) -> int:
    """Take processor-seconds out of an account: what it has beside its liens."""
    from molokini.clients.live.bank import withdraw as run

    return run(arguments)


@bank_app.command()
@taking(RefundArguments)
def refund(arguments: RefundArguments) -> int:
    """Give an account back what a job has cost."""
    from molokini.clients.live.bank import refund as run

    return run(arguments)


@bank_app.command()
@taking(StatementArguments)
def statement(arguments: StatementArguments) -> int:
    """Show what was booked last, by hand and for jobs."""
    from molokini.clients.live.bank import statement as run

    return run(arguments)
