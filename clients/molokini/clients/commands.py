"""The table of the ``molokini`` command: what each of its commands is called, and what starts it.

What a command takes stands in ``arguments.py``; what it does stands in a file of its own, imported when it
runs, so that ``--help`` loads neither numpy nor matplotlib nor grpc. The commands on a live cluster are in
``live/command.py``.
"""

import importlib
from typing import Annotated

import typer

from molokini.clients.arguments import (
    AgentArguments,
    CapacityArguments,
    CertsArguments,
    CheckConfigArguments,
    CompareArguments,
    ConvertArguments,
    ConvertConfigArguments,
    InfoArguments,
    ModelsArguments,
    ParametersArguments,
    PoliciesArguments,
    ProfileArguments,
    RangeArguments,
    ServeArguments,
    SimulateArguments,
    SplitArguments,
    StudyArguments,
    UpArguments,
    VerifyArguments,
)
from molokini.clients.live.command import app as live_app
from molokini.clients.taking import taking

# Plain help: drawing it with Rich would take longer than everything else that --help does.
app = typer.Typer(
    name="molokini",
    help="Schedule batch jobs: replay workloads exactly and fast, or run a live cluster.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
workload_app = typer.Typer(help="Look into workload logs, and convert them.", rich_markup_mode=None)
app.add_typer(workload_app, name="workload")
divisible_app = typer.Typer(
    help="Closed forms of divisible loads, without a simulation.", rich_markup_mode=None
)
app.add_typer(divisible_app, name="divisible")
config_app = typer.Typer(help="Check Maui's configuration, and convert it.", rich_markup_mode=None)
app.add_typer(config_app, name="config")


def _print_version(wanted: bool) -> None:
    if wanted:
        from molokini.clients.version import version

        typer.echo(f"molokini {version()}")
        raise typer.Exit


@app.callback()
def molokini(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version.")
    ] = False,
) -> None:
    """Schedule batch jobs: replay workloads exactly and fast, or run a live cluster."""


@app.command()
@taking(SimulateArguments)
def simulate(arguments: SimulateArguments) -> None:
    """Replay a workload under one policy and measure the schedule."""
    from molokini.clients.simulate import simulate as run

    run(arguments)


@app.command()
@taking(CompareArguments)
def compare(arguments: CompareArguments) -> None:
    """Replay workloads under several policies and say which differences mean something."""
    from molokini.clients.compare import compare as run

    run(arguments)


@app.command()
@taking(CapacityArguments)
def capacity(arguments: CapacityArguments) -> None:
    """Find the highest utilization at which a policy's queue does not grow, and what is lost."""
    from molokini.clients.capacity import capacity as run

    run(arguments)


@app.command()
@taking(PoliciesArguments)
def policies(arguments: PoliciesArguments) -> None:
    """List the policies and their parameters."""
    from molokini.clients.policies import policies as run

    run(arguments)


@workload_app.command()
@taking(InfoArguments)
def info(arguments: InfoArguments) -> None:
    """Tell what is in a log, and what would be skipped and why."""
    from molokini.clients.workload import info as run

    run(arguments)


@workload_app.command()
@taking(ProfileArguments)
def profile(arguments: ProfileArguments) -> None:
    """Tell what ended jobs used and how long they waited, by user, group, account, class and day."""
    from molokini.clients.profiling import profile as run

    run(arguments)


@workload_app.command()
@taking(ConvertArguments)
def convert(arguments: ConvertArguments) -> None:
    """Convert between SWF, Maui traces, CSV and Parquet, and cut out a part on the way."""
    from molokini.clients.workload import convert as run

    run(arguments)


@app.command()
@taking(StudyArguments)
def study(arguments: StudyArguments) -> None:
    """Run a paper's experiments again and judge what it claims, or list the studies."""
    from molokini.clients.study import study as run

    run(arguments)


@workload_app.command()
@taking(ModelsArguments)
def models(arguments: ModelsArguments) -> None:
    """List the workloads that --workload makes, and their parameters."""
    from molokini.clients.models import models as run

    run(arguments)


@config_app.command()
@taking(CheckConfigArguments)
def check(arguments: CheckConfigArguments) -> None:
    """Say of every parameter in a maui.cfg what it means and how it is handled.

    The exit code is 2 where anything is refused; all of it is found in one run.
    """
    from molokini.clients.config import check as run

    run(arguments)


@divisible_app.command("range")
@taking(RangeArguments)
def divisible_range(arguments: RangeArguments) -> None:
    """Tell in which periods K nodes a job reject nothing, and all N nodes some."""
    from molokini.clients.divisible import show_range as run

    run(arguments)


@config_app.command("convert")
@taking(ConvertConfigArguments)
def convert_config(arguments: ConvertConfigArguments) -> None:
    """Convert between maui.cfg and TOML; comments are not kept."""
    from molokini.clients.config import convert as run

    run(arguments)


@divisible_app.command("split")
@taking(SplitArguments)
def divisible_split(arguments: SplitArguments) -> None:
    """Show each node's chunk of a load, and when it is sent and computed."""
    from molokini.clients.divisible import show_split as run

    run(arguments)


@config_app.command()
@taking(ParametersArguments)
def parameters(arguments: ParametersArguments) -> None:
    """List every parameter of maui.cfg: default, meaning, effect."""
    from molokini.clients.config import parameters as run

    run(arguments)


@app.command()
@taking(UpArguments)
def up(arguments: UpArguments) -> int:
    """Start a cluster of emulated nodes.

    Server and nodes are one process; its state is in ./molokini-state.
    """
    return _composed("up", arguments)


@app.command()
@taking(ServeArguments)
def serve(arguments: ServeArguments) -> int:
    """Start a server."""
    return _composed("serve", arguments)


@app.command()
@taking(AgentArguments)
def agent(arguments: AgentArguments) -> int:
    """Start an agent that stands for nodes."""
    return _composed("agent", arguments)


@app.command()
@taking(VerifyArguments)
def verify(arguments: VerifyArguments) -> int:
    """Compare a log simulated and run live.

    Every start, end, suspension and resumption must be the same.
    """
    return _composed("verify", arguments)


@app.command()
@taking(CertsArguments)
def certs(arguments: CertsArguments) -> int:
    """Make a test authority, and certificates for a server, nodes and users."""
    return _composed("certs", arguments)


# After the commands above, so that ``--help`` lists them in this order.
app.add_typer(live_app)


def _composed(name: str, arguments: object) -> int:
    """Run ``molokini.app``'s *name*: by name, because clients import no server."""
    code = importlib.import_module(f"molokini.app.{name}").run(arguments)
    return code if isinstance(code, int) else 0
