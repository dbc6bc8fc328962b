"""The ``molokini`` command: what each of its commands is called and takes.

Signatures only. What a command does stands in a file of its own, imported when it runs, so that
``--help`` loads neither numpy nor matplotlib.
"""

import os
import sys
from typing import Annotated, Any, TypeVar

import typer

from molokini.clients.arguments import (
    CompareArguments,
    ConvertArguments,
    InfoArguments,
    PoliciesArguments,
    SimulateArguments,
)
from molokini.clients.failures import INTERRUPTED, guarded

Arguments = TypeVar("Arguments")

# Plain help: drawing it with Rich would take longer than everything else that --help does.
app = typer.Typer(
    name="molokini",
    help="Replay batch workloads under scheduling policies, exactly and fast.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
workload_app = typer.Typer(help="Look into workload logs, and convert them.", rich_markup_mode=None)
app.add_typer(workload_app, name="workload")

Log = Annotated[
    str, typer.Argument(metavar="LOG", help="A log (.swf, .csv, .parquet, .gz) or synthetic:NAME?key=value.")
]
Logs = Annotated[list[str], typer.Argument(metavar="LOG...", help="Logs, as for simulate.")]
OnePolicy = Annotated[str, typer.Option("--policy", help="A name of 'molokini policies', or FILE.py.")]
ManyPolicies = Annotated[
    list[str], typer.Option("--policy", help="One for each policy to compare; the first is the baseline.")
]
PolicyDir = Annotated[
    list[str] | None,
    typer.Option(
        "--policy-dir",
        metavar="DIR",
        help="A folder of policy files; may be repeated. Also MOLOKINI_POLICY_PATH.",
    ),
]
Procs = Annotated[
    int | None, typer.Option("--procs", metavar="N", help="Processors, instead of the log's MaxProcs.")
]
Nodes = Annotated[
    int | None, typer.Option("--nodes", metavar="N", help="Equal nodes, with --procs-per-node.")
]
ProcsPerNode = Annotated[
    int | None, typer.Option("--procs-per-node", metavar="M", help="Processors of each node.")
]
Placement = Annotated[
    str | None,
    typer.Option("--placement", help="On nodes: first-fit (default), best-fit, worst-fit, contiguous."),
]
Setting = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the policy; may be repeated."),
]
OverrunOption = Annotated[
    str, typer.Option("--overrun", help="At its estimate a job is killed (kill) or runs on (extend).")
]
TiesOption = Annotated[str, typer.Option("--ties", help="One pass an instant (batch), or one a fact (each).")]
Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", help="Only the first N jobs of the log.")]
LoadFactor = Annotated[
    float, typer.Option("--load-factor", metavar="F", help="Divide the gaps between arrivals by F.")
]
LoadFactors = Annotated[
    str,
    typer.Option(
        "--load-factor", metavar="F,F|A:B:STEP", help="Several factors, or a range that includes its end."
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first bad record instead of counting it.")
]
Tau = Annotated[float, typer.Option("--tau", metavar="S", help="Threshold of bounded slowdowns, in seconds.")]
BatchSize = Annotated[
    int | None, typer.Option("--batch-size", metavar="N", help="Jobs in a batch, for confidence intervals.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of whatever is drawn.")]
JsonFile = Annotated[str | None, typer.Option("--json", metavar="FILE|-", help="Write the results as JSON.")]
PlotFile = Annotated[str | None, typer.Option("--plot", metavar="FILE", help="Draw a picture (.png, .svg).")]
ScheduleFile = Annotated[
    str | None, typer.Option("--schedule", metavar="FILE", help="One row a job (.csv, .swf, .parquet; .gz).")
]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="WHAT,...", help="Break the metrics down by size, user, queue, run_time."),
]
Seeds = Annotated[
    int, typer.Option("--seeds", metavar="N", help="Repeat with N seeded resamplings of the arrivals.")
]
Workers = Annotated[int | None, typer.Option("--workers", metavar="N", help="Processes; default: all cores.")]


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
    """Replay batch workloads under scheduling policies, exactly and fast."""


@app.command()
def simulate(
    context: typer.Context,
    log: Log,
    policy: OnePolicy,
    procs: Procs = None,
    nodes: Nodes = None,
    procs_per_node: ProcsPerNode = None,
    placement: Placement = None,
    set: Setting = None,
    policy_dir: PolicyDir = None,
    overrun: OverrunOption = "kill",
    ties: TiesOption = "batch",
    jobs: Jobs = None,
    load_factor: LoadFactor = 1.0,
    json: JsonFile = None,
    schedule: ScheduleFile = None,
    plot: PlotFile = None,
    by: By = None,
    tau: Tau = 10.0,
    batch_size: BatchSize = None,
    seed: Seed = 0,
    strict: Strict = False,
) -> None:
    """Replay a workload under one policy and measure the schedule."""
    from molokini.clients.simulate import simulate as run

    run(_arguments(SimulateArguments, context))


@app.command()
def compare(
    context: typer.Context,
    logs: Logs,
    policy: ManyPolicies,
    procs: Procs = None,
    nodes: Nodes = None,
    procs_per_node: ProcsPerNode = None,
    placement: Placement = None,
    set: Setting = None,
    policy_dir: PolicyDir = None,
    overrun: OverrunOption = "kill",
    ties: TiesOption = "batch",
    jobs: Jobs = None,
    load_factor: LoadFactors = "1",
    seeds: Seeds = 0,
    workers: Workers = None,
    json: JsonFile = None,
    plot: PlotFile = None,
    tau: Tau = 10.0,
    batch_size: BatchSize = None,
    seed: Seed = 0,
    strict: Strict = False,
) -> None:
    """Replay workloads under several policies and say which differences mean something."""
    from molokini.clients.compare import compare as run

    run(_arguments(CompareArguments, context))


@app.command()
def policies(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Only this policy, with all details.")
    ] = None,
    policy_dir: PolicyDir = None,
    json: JsonFile = None,
) -> None:
    """List the policies and their parameters."""
    from molokini.clients.policies import policies as run

    run(_arguments(PoliciesArguments, context))


@workload_app.command()
def info(
    context: typer.Context,
    log: Log,
    jobs: Jobs = None,
    sita: Annotated[
        int | None,
        typer.Option("--sita", metavar="H", help="Also cutoffs that give H partitions equal work."),
    ] = None,
    json: JsonFile = None,
    plot: PlotFile = None,
    seed: Seed = 0,
    strict: Strict = False,
) -> None:
    """Tell what is in a log, and what would be skipped and why."""
    from molokini.clients.workload import info as run

    run(_arguments(InfoArguments, context))


@workload_app.command()
def convert(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="IN", help="A log, as for simulate.")],
    target: Annotated[
        str, typer.Argument(metavar="OUT", help="Format by the ending: .swf, .csv, .parquet; .gz.")
    ],
    from_s: Annotated[
        float | None, typer.Option("--from-s", metavar="S", help="Submitted at S or later.")
    ] = None,
    until_s: Annotated[
        float | None, typer.Option("--until-s", metavar="S", help="Submitted before S.")
    ] = None,
    users: Annotated[
        str | None, typer.Option("--users", metavar="ID,...", help="Only jobs of these users.")
    ] = None,
    least: Annotated[
        int | None, typer.Option("--least", metavar="N", help="Only jobs of N processors or more.")
    ] = None,
    most: Annotated[
        int | None, typer.Option("--most", metavar="N", help="Only jobs of N processors or fewer.")
    ] = None,
    jobs: Jobs = None,
    load_factor: LoadFactor = 1.0,
    seed: Seed = 0,
    strict: Strict = False,
) -> None:
    """Convert between SWF, CSV and Parquet, and cut out a part on the way."""
    from molokini.clients.workload import convert as run

    run(_arguments(ConvertArguments, context))


def _arguments(kind: type[Arguments], context: typer.Context) -> Arguments:
    """The parameters of a command, under their own names; what was not given keeps its default."""
    given: dict[str, Any] = {name: value for name, value in context.params.items() if value is not None}
    return kind(**given)


def run(arguments: list[str]) -> int:
    """Run the command line *arguments*; the exit code."""
    # A bare "molokini" is a question, not a mistake.
    return guarded(lambda: app(arguments or ["--help"], prog_name="molokini", standalone_mode=False))


def main() -> None:
    """What the shell starts."""
    code = run(sys.argv[1:])
    if code == INTERRUPTED:
        # At once: Python would wait for threads that wait for workers that are no more.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
