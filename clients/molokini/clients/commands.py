"""The table of the ``molokini`` command: one row a command, in the order in which help lists them.

What a command takes and what it does are named, not imported: ``--help`` loads neither numpy nor matplotlib
nor grpc, and a command only what is its own. Long because it is one table.
"""

import importlib
from typing import Any, NamedTuple

from molokini.model.extras import missing_extra

COMMAND_LINE = "argv"
"""The field that takes what stands behind ``--``: the command line of a job, and not one of ours."""


class Command(NamedTuple):
    """What a command is called, what it takes, what carries it out."""

    name: str
    """Behind that of its group, if it is in one."""
    help: str
    takes: str
    """The dataclass whose fields are its options: module and name, in ``arguments``."""
    work: str
    """The function that gets them as one value; it returns the exit code, or None for 0."""
    quick: bool = False
    """Scripts call it so often that a plain line of it is read without Typer (``quick.py``)."""
    extra: str = ""
    """The extras of pip that it needs, where the first package that it misses does not say all of them."""

    def arguments(self) -> type:
        """The dataclass that ``takes`` names."""
        kind: type = _named(f"arguments.{self.takes}")
        return kind

    def run(self, arguments: object) -> int:
        """Carry it out: the exit code."""
        from molokini.clients.json_files import json_written

        try:
            with json_written(arguments):
                code = _named(self.work)(arguments)
        except ModuleNotFoundError as error:
            if (missing := missing_extra(error, f"molokini {self.name}", self.extra)) is None:
                raise
            raise missing from None
        return code if isinstance(code, int) else 0


def _named(where: str) -> Any:
    """What *where* names: in this package, or in ``molokini.app``, which alone knows servers and agents."""
    module, _, name = where.partition(":")
    root = "molokini" if module.startswith("app.") else "molokini.clients"
    return getattr(importlib.import_module(f"{root}.{module}"), name)


GROUPS = {
    "collect": "Collect what a simulation of a site needs.",
    "workload": "Inspect, clean, split, merge, fit and convert workload logs.",
    "accounting": "Export accounting records in the formats of other systems.",
    "memory": "Compute miss-rate curves, and which jobs share a time slice.",
    "theory": "Compute closed forms of queues: SRPT, sharing, size intervals, heavy tails.",
    "divisible": "Compute closed forms of divisible loads, without a simulation.",
    "coschedule": "Simulate processes, messages and context switches inside the nodes.",
    "config": "Check a maui.cfg or a slurm.conf; convert a maui.cfg.",
    "clock": "Show and control the cluster's clock.",
    "reservations": "Create, list and delete reservations.",
    "scheduling": "Pause and resume scheduling; running jobs are not affected.",
    "statistics": "Reset the statistics that reports show.",
    "bank": "Manage allocations: balances, deposits, refunds, statements.",
    "token": "Issue, list and revoke tokens for users and node agents.",
    "maui": "Run Maui's commands.",
}
"""The help of each group of commands: those with the same first word."""

HEADINGS = {
    "simulate": "Simulate and compare",
    "up": "Start a cluster",
    "workload": "Workloads, scenarios, configurations",
    "submit": "Jobs of a cluster",
    "accounting": "Administer a cluster",
    "completion": "This command",
}
"""Over which command ``--help`` writes a heading; the commands behind it in the table belong to it, too."""

COMMANDS: tuple[Command, ...] = (
    Command(
        "simulate",
        "Replay a workload under one policy and measure the schedule.",
        "runs:SimulateArguments",
        "simulate:simulate",
    ),
    Command(
        "compare",
        "Replay workloads under several policies and show which differences are significant.",
        "runs:CompareArguments",
        "compare:compare",
    ),
    Command(
        "sweep",
        "Replay every point of a sweep (a TOML file of axes), resume it after a kill, and report on it.",
        "runs:SweepArguments",
        "sweep:sweep",
    ),
    Command(
        "matrix",
        "Show the matrix of gang scheduling: rows are time slices, columns are processors.\n\n"
        "With a LOG, the matrix is that of a replay at one instant; otherwise that of the live cluster.",
        "runs:MatrixArguments",
        "matrix:matrix",
    ),
    Command(
        "capacity",
        "Find the highest utilization at which a policy's queue does not grow, and the capacity lost.",
        "runs:CapacityArguments",
        "capacity:capacity",
    ),
    Command(
        "policies", "List the policies and their parameters.", "runs:PoliciesArguments", "policies:policies"
    ),
    Command(
        "compile",
        "Compile policies in advance, so that their first run starts at once.",
        "runs:CompileArguments",
        "warming:warm",
    ),
    Command(
        "study",
        "Repeat a paper's experiments and check its claims, or list the studies.",
        "runs:StudyArguments",
        "study:study",
    ),
    Command(
        "verify",
        "Run a log both simulated and live, and compare the schedules.\n\n"
        "Every start, end, suspension and resumption must be the same.",
        "runs:VerifyArguments",
        "app.verify:run",
        extra="server,agent",
    ),
    Command(
        "up",
        "Start a cluster of emulated nodes.\n\n"
        "Server and nodes run in one process, which keeps its state in ./molokini-state.",
        "servers:UpArguments",
        "app.up:run",
        extra="server,agent",
    ),
    Command("serve", "Start a server.", "servers:ServeArguments", "app.serve:run", extra="server"),
    Command(
        "wiki-scheduler",
        "Schedule the jobs of another resource manager.\n\n"
        "The server speaks the Wiki protocol: nodes and jobs come from the resource manager, not "
        "from agents and submissions.",
        "servers:WikiSchedulerArguments",
        "app.wiki_scheduler:run",
        extra="server",
    ),
    Command(
        "agent",
        "Start a node agent, for one or more nodes.",
        "servers:AgentArguments",
        "app.agent:run",
        extra="agent",
    ),
    Command(
        "init",
        "Write a sample configuration for a server and its agents, with a comment on every key.",
        "servers:InitArguments",
        "init:init",
    ),
    Command(
        "certs",
        "Create a test certificate authority, and certificates for a server, nodes and users.",
        "servers:CertsArguments",
        "app.certs:run",
        extra="server",
    ),
    Command(
        "shims",
        "Install the commands of PBS, LSF, Slurm or Maui into a directory, under their real names.",
        "servers:ShimsArguments",
        "live.shims:shims",
    ),
    Command(
        "record",
        "Run a command of a real batch system, and keep what it says, for a test cluster to answer.",
        "servers:RecordArguments",
        "record:record",
    ),
    Command(
        "workload info",
        "Show what a log contains, and which records would be skipped and why.",
        "workloads:InfoArguments",
        "workload:info",
    ),
    Command(
        "workload profile",
        "Report usage and wait times of ended jobs by user, group, account, class and day.",
        "workloads:ProfileArguments",
        "profiling:profile",
    ),
    Command(
        "workload convert",
        "Convert between SWF, Maui traces, CSV and Parquet, optionally only a part of the log.",
        "workloads:ConvertArguments",
        "workload:convert",
    ),
    Command(
        "workload clean",
        "Report anomalies in a log, and remove records by the archive's filters.",
        "workload_tools:CleanArguments",
        "workload_tools:clean",
    ),
    Command(
        "workload split",
        "Split a log by day, week, month or user, or for training and testing.",
        "workload_tools:SplitArguments",
        "workload_tools:split",
    ),
    Command(
        "workload merge",
        "Merge the parts of a log, or several logs, into one log.",
        "workload_tools:MergeArguments",
        "workload_tools:merge",
    ),
    Command(
        "workload select",
        "Find periods of a log with a given utilization, and extract the closest one.",
        "workload_tools:SelectArguments",
        "log_changes:select",
    ),
    Command(
        "workload scale",
        "Scale a log to a machine of another size.",
        "workload_tools:ScaleArguments",
        "log_changes:scale",
    ),
    Command(
        "workload compare",
        "Show how far two logs differ, attribute by attribute.",
        "workload_tools:CompareLogsArguments",
        "log_comparison:compare",
    ),
    Command(
        "workload fit",
        "Fit distributions to a log, and write a file that --workload can generate jobs from.",
        "workload_tools:FitArguments",
        "fit_command:fit",
    ),
    Command(
        "workload models",
        "List the models that --workload can generate jobs from, and their parameters.",
        "workloads:ModelsArguments",
        "models:models",
    ),
    Command(
        "workload estimates",
        "Add run time estimates to the jobs of a log, or list the models of estimates.",
        "estimates:EstimatesArguments",
        "estimates:give_estimates",
    ),
    Command(
        "theory srpt",
        "Compare SRPT, processor sharing and FCFS on one server, by formula and, if asked, by simulation.\n\n"
        "The server is M/G/1: Poisson arrivals, sizes of any distribution with a finite mean.",
        "theory:SrptArguments",
        "theory:srpt",
    ),
    Command(
        "theory sita",
        "Find the cutoffs by which hosts share sizes out: equal loads (SITA-E), least slowdown (SITA-U).",
        "theory:SitaArguments",
        "theory:sita",
    ),
    Command(
        "theory tail",
        "Show how a distribution's mass lies: moments, mass-count disparity, what to expect beyond a size.",
        "theory:TailArguments",
        "theory:tail",
    ),
    Command(
        "memory curves",
        "Show miss-rate curves of traces or synthetic programs, by one pass of the LRU stack.",
        "memory:CurvesArguments",
        "memory_commands:curves",
    ),
    Command(
        "memory pack",
        "Choose which jobs share a time slice, by relative footprints and by the analytical model.",
        "memory:PackArguments",
        "memory_commands:pack",
    ),
    Command(
        "divisible range",
        "Find loads at which K nodes per job reject no job while all N reject some.",
        "divisible:RangeArguments",
        "divisible_commands:show_range",
    ),
    Command(
        "divisible split",
        "Show each node's chunk of a load, and the times of its transfer and computation.",
        "divisible:SplitArguments",
        "divisible_commands:show_split",
    ),
    Command(
        "coschedule run",
        "Simulate one cluster at process level, to the nanosecond, and report on every CPU and job.",
        "coschedule:RunScenarioArguments",
        "coschedule:run",
    ),
    Command(
        "coschedule compare",
        "Compare several local policies or schemes on the same programs, over seeds and loads.",
        "coschedule:CompareWaysArguments",
        "coschedule:compare",
    ),
    Command(
        "coschedule timeline",
        "Print or draw what each CPU and process did in a time window.",
        "coschedule:TimelineArguments",
        "coschedule:timeline",
    ),
    Command(
        "coschedule explain",
        "Print a scenario in full, with every default filled in.",
        "coschedule:ExplainArguments",
        "coschedule:explain",
    ),
    Command(
        "collect slurm",
        "Collect a Slurm site's configuration, jobs and outages into one file, on a login node.\n\n"
        "It only reads. Names of users, groups and accounts are replaced. The file is a LOG of simulate and "
        "compare.",
        "collecting:CollectSlurmArguments",
        "slurm.collect:collect",
    ),
    Command(
        "config check",
        "Show what every parameter in a maui.cfg or slurm.conf means and how it is handled.\n\n"
        "The exit code is 2 if any parameter is refused; one run finds all errors.",
        "configs:CheckConfigArguments",
        "config_files:check",
    ),
    Command(
        "config convert",
        "Convert between maui.cfg and TOML; comments are not kept.",
        "configs:ConvertConfigArguments",
        "maui.config:convert",
    ),
    Command(
        "config parameters",
        "List every parameter of maui.cfg: default, meaning, effect.",
        "configs:ParametersArguments",
        "maui.config:parameters",
    ),
    Command(
        "submit",
        "Submit a job and print its id.\n\n"
        "The job is a script, or the command behind --. A divisible load needs neither where "
        "nodes are emulated: molokini submit --divisible 200 --cms 1 --cps 100 --deadline 2718 is "
        "admitted with a start, processors and an end, or refused with the earliest deadline that "
        "could be met.",
        "submit:SubmitArguments",
        "live.submit:submit",
        quick=True,
    ),
    Command("jobs", "List jobs.", "jobs:JobsArguments", "live.listing:jobs", quick=True),
    Command("job", "Show everything about one job.", "jobs:JobArguments", "live.listing:job"),
    Command("logs", "Print the output of a job.", "jobs:LogsArguments", "live.logs:logs"),
    Command("cancel", "Cancel jobs.", "jobs:ChangeArguments", "live.job_changes:cancel"),
    Command(
        "hold",
        "Place holds on jobs, so that they do not start.",
        "jobs:HoldArguments",
        "live.job_changes:hold",
    ),
    Command("release", "Release holds on jobs.", "jobs:ReleaseArguments", "live.job_changes:release"),
    Command("alter", "Change what a job asks for.", "submit:AlterArguments", "live.job_changes:alter"),
    Command("signal", "Send a signal to running jobs.", "jobs:SignalArguments", "live.job_changes:signal"),
    Command(
        "requeue",
        "Requeue running jobs.\n\nTheir work so far is lost.",
        "jobs:ChangeArguments",
        "live.job_changes:requeue",
    ),
    Command(
        "suspend",
        "Suspend running jobs; they keep their work so far.",
        "jobs:ChangeArguments",
        "live.job_changes:suspend",
    ),
    Command("resume", "Resume suspended jobs.", "jobs:ChangeArguments", "live.job_changes:resume"),
    Command(
        "start",
        "Start waiting jobs now, whatever the policy decides.\n\n"
        "Divisible and moldable jobs cannot be started this way, because the policy sets their size. "
        "Requires the role operator.",
        "jobs:StartArguments",
        "live.job_changes:start",
    ),
    Command(
        "rate",
        "Show how jobs with target rates go, or set the rate of a running job.\n\n"
        "The program of the job reports its iterations (docs/processes.md). RATE is a share of its full "
        "rate, as 50%, or iterations a second, as 0.5/s. A node without room for it refuses it.",
        "rate:RateArguments",
        "live.rate:rate",
    ),
    Command(
        "slices",
        "List jobs that run in time slices, or assign time slices to running jobs.\n\n"
        "A job runs for --slice out of each --period, or in its --row of a matrix of --rows, each of "
        "which lasts one --quantum. The slices begin at the same instants on all nodes.",
        "slices:SlicesArguments",
        "live.slices:slices",
    ),
    Command(
        "wait",
        "Wait until jobs have ended.\n\n"
        "Exit code 0: all jobs succeeded. 1: at least one failed. 124: the time-out expired first.",
        "jobs:WaitArguments",
        "live.following:wait",
    ),
    Command(
        "watch", "Print state changes of jobs as they happen.", "jobs:WatchArguments", "live.following:watch"
    ),
    Command(
        "explain",
        "Show why a job waits, and what would help.",
        "jobs:OneJobArguments",
        "live.reasons:explain",
    ),
    Command(
        "forecast", "Show when a job is expected to start.", "jobs:ForecastArguments", "live.reasons:forecast"
    ),
    Command(
        "accounting export",
        "Export ended jobs as accounting records of PBS, LSF or Slurm, or as SWF.",
        "accounting:ExportArguments",
        "live.accounting:export",
    ),
    Command(
        "cluster",
        "Show cluster totals: nodes, processors, jobs by state.",
        "shared:JsonArguments",
        "live.cluster_command:cluster",
    ),
    Command(
        "nodes",
        "List nodes, drain them, or return them to service.",
        "cluster:NodesArguments",
        "live.node_commands:nodes",
    ),
    Command(
        "agents", "List node agents, or release their names.", "cluster:AgentsArguments", "live.agents:agents"
    ),
    Command(
        "queues",
        "List queues, or create, change or remove one.",
        "cluster:QueuesArguments",
        "live.queues:queues",
    ),
    Command(
        "policy",
        "Show or change the scheduling policy in use.",
        "cluster:PolicyArguments",
        "live.policy:policy",
    ),
    Command(
        "schedule",
        "Run one iteration of the policy maui and report what each of its steps did.",
        "cluster:ScheduleArguments",
        "maui.showing:schedule",
    ),
    Command(
        "shadow",
        "Run another policy in shadow mode and report where it would decide differently.",
        "cluster:ShadowArguments",
        "live.shadow:shadow",
    ),
    Command(
        "whatif",
        "Run the present state of a cluster on under other policies, or without some nodes.\n\n"
        "The cluster is asked for its state once, and goes on undisturbed.",
        "whatif:WhatIfArguments",
        "whatif:whatif",
    ),
    Command("clock status", "Show the clock.", "shared:JsonArguments", "live.clock:status"),
    Command(
        "clock advance",
        "Advance a stepped clock.\n\nPrints the clock after all events up to the new time have happened.",
        "cluster:AdvanceArguments",
        "live.clock:advance",
    ),
    Command("clock rate", "Change the rate of a scaled clock.", "cluster:RateArguments", "live.clock:rate"),
    Command("clock pause", "Pause the clock.", "shared:JsonArguments", "live.clock:pause"),
    Command("clock resume", "Resume the clock.", "shared:JsonArguments", "live.clock:resume"),
    Command(
        "scheduling pause",
        "Pause scheduling, at once or after N more passes.",
        "cluster:PauseArguments",
        "live.scheduling_commands:pause",
    ),
    Command(
        "scheduling resume",
        "Resume scheduling.",
        "shared:JsonArguments",
        "live.scheduling_commands:resume",
    ),
    Command(
        "statistics reset",
        "Reset statistics: reports count only jobs that end from now on.",
        "shared:JsonArguments",
        "live.scheduling_commands:reset",
    ),
    Command(
        "reservations list",
        "List reservations.",
        "shared:JsonArguments",
        "live.reservation_commands:listed",
    ),
    Command(
        "reservations create",
        "Create a reservation, once or periodic.\n\n"
        "Jobs without access start only if they end before the reservation or leave its processors free.",
        "reservations:ReserveArguments",
        "live.reservation_commands:create",
    ),
    Command(
        "reservations delete",
        "Delete reservations.",
        "reservations:DeleteReservationArguments",
        "live.reservation_commands:delete",
    ),
    Command(
        "bank balance",
        "Show the balance of accounts, the amounts set aside for jobs and the amounts paid.",
        "bank:BalanceArguments",
        "live.bank_commands:balance",
    ),
    Command(
        "bank deposit",
        "Deposit processor-seconds into an account.",
        "bank:DepositArguments",
        "live.bank_commands:deposit",
    ),
    Command(
        "bank withdraw",
        "Withdraw processor-seconds from an account, up to its balance minus its liens.",
        "bank:BookArguments",
        "live.bank_commands:withdraw",
    ),
    Command(
        "bank refund",
        "Refund the cost of a job to an account.",
        "bank:RefundArguments",
        "live.bank_commands:refund",
    ),
    Command(
        "bank statement",
        "List recent account transactions.",
        "bank:StatementArguments",
        "live.bank_commands:statement",
    ),
    Command(
        "token issue",
        "Issue a token for a user or a node agent, and print it once.\n\n"
        "The server keeps no copy. Set MOLOKINI_TOKEN to the token, or MOLOKINI_TOKEN_FILE to the name "
        "of a file that contains it.",
        "tokens:IssueArguments",
        "live.token_commands:issue",
    ),
    Command(
        "token list",
        "List your own tokens; an administrator sees the tokens of all users.",
        "tokens:TokensArguments",
        "live.token_commands:list_tokens",
    ),
    Command(
        "token revoke",
        "Revoke tokens, at once and permanently.",
        "tokens:RevokeArguments",
        "live.token_commands:revoke",
    ),
    Command(
        "token rotate",
        "Sign tokens with a new key from now on.\n\n"
        "Tokens of the previous key stay valid until the next rotation; tokens of older keys "
        "become invalid.",
        "shared:JsonArguments",
        "live.token_commands:rotate",
    ),
    Command(
        "maui changeparam",
        "Change one parameter until the server next reads its configuration.",
        "maui:ChangeParamArguments",
        "maui.showing:changeparam",
    ),
    Command(
        "maui showconfig",
        "Show each parameter of the configuration with its value.",
        "maui:ShowConfigArguments",
        "maui.showconfig:showconfig",
    ),
    Command(
        "maui diagnose",
        "Show priorities, fairshare, nodes, blocked jobs, reservations, partitions, or limits and their use.",
        "maui:DiagnoseArguments",
        "maui.showing:diagnose",
    ),
    Command(
        "maui showq", "Show active, idle and blocked jobs.", "maui:ShowQueueArguments", "maui.showing:showq"
    ),
    Command(
        "maui showstart",
        "Show the earliest start of a job, or of any job of a given size.",
        "maui:ShowStartArguments",
        "maui.showing:showstart",
    ),
    Command(
        "maui showbf",
        "Show the resources that are free for backfill now, and for how long.",
        "maui:ShowWindowsArguments",
        "maui.showing:showbf",
    ),
    Command(
        "maui showres",
        "Show the reservations of jobs and of administrators.",
        "shared:JsonArguments",
        "maui.showing:showres",
    ),
    Command(
        "maui showstats",
        "Show statistics of completed jobs and of the work still queued.",
        "maui:ShowStatisticsArguments",
        "maui.showing:showstats",
    ),
    Command(
        "maui showgrid",
        "Show a statistic of ended jobs by size and wall clock limit.",
        "maui:ShowGridArguments",
        "maui.showing:showgrid",
    ),
    Command(
        "maui checkjob",
        "Show all details of a queued or running job, and why it does not run.",
        "maui:CheckJobArguments",
        "maui.showing:checkjob",
    ),
    Command(
        "maui checknode",
        "Show a node, its jobs and its reservations.",
        "maui:CheckNodeArguments",
        "maui.showing:checknode",
    ),
    Command("maui setres", "Create a reservation.", "maui:SetResArguments", "maui.setres:setres"),
    Command(
        "maui releaseres",
        "Delete reservations.",
        "reservations:DeleteReservationArguments",
        "maui.setres:releaseres",
    ),
    Command(
        "completion",
        "Print the script that a shell sources to complete commands and options.",
        "shared:CompletionArguments",
        "completion:completion",
    ),
)
