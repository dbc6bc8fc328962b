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
    "workload": "Look into workload logs, clean, split, merge, fit and convert them.",
    "accounting": "What jobs have used, in the words of other systems.",
    "divisible": "Closed forms of divisible loads, without a simulation.",
    "coschedule": "A cluster from inside its nodes: processes, messages, switches.",
    "config": "Check Maui's configuration, and convert it.",
    "clock": "Look at the cluster's clock, and turn it.",
    "reservations": "Keep processors for some, for a while.",
    "scheduling": "Stop the passes of the policy, and go on; jobs that run are not touched.",
    "statistics": "What the reports count.",
    "bank": "Accounts of the bank: balances, bookings, statements.",
    "token": "Tokens for other users and for node agents: issue, list, take back.",
    "maui": "What Maui's commands show and do.",
}
"""What help says of commands whose names begin alike."""

HEADINGS = {
    "simulate": "Simulate and compare",
    "up": "Start a cluster",
    "workload": "Workloads, scenarios, configurations",
    "submit": "Jobs of a cluster",
    "accounting": "Look after a cluster",
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
        "Replay workloads under several policies and say which differences mean something.",
        "runs:CompareArguments",
        "compare:compare",
    ),
    Command(
        "matrix",
        "Show the matrix of gang scheduling: rows are time slices, columns are processors.\n\n"
        "With a LOG, of a replay at an instant; without, of the live cluster.",
        "runs:MatrixArguments",
        "matrix:matrix",
    ),
    Command(
        "capacity",
        "Find the highest utilization at which a policy's queue does not grow, and what is lost.",
        "runs:CapacityArguments",
        "capacity:capacity",
    ),
    Command(
        "policies", "List the policies and their parameters.", "runs:PoliciesArguments", "policies:policies"
    ),
    Command(
        "compile",
        "Compile policies beforehand, so that no first run waits for it.",
        "runs:CompileArguments",
        "warming:warm",
    ),
    Command(
        "study",
        "Run a paper's experiments again and judge what it claims, or list the studies.",
        "runs:StudyArguments",
        "study:study",
    ),
    Command(
        "verify",
        "Compare a log simulated and run live.\n\n"
        "Every start, end, suspension and resumption must be the same.",
        "runs:VerifyArguments",
        "app.verify:run",
        extra="server,agent",
    ),
    Command(
        "up",
        "Start a cluster of emulated nodes.\n\n"
        "Server and nodes are one process; its state is in ./molokini-state.",
        "servers:UpArguments",
        "app.up:run",
        extra="server,agent",
    ),
    Command("serve", "Start a server.", "servers:ServeArguments", "app.serve:run", extra="server"),
    Command(
        "wiki-scheduler",
        "Schedule the jobs of another resource manager.\n\n"
        "It speaks the Wiki protocol; its nodes and jobs take the place of agents and submissions.",
        "servers:WikiSchedulerArguments",
        "app.wiki_scheduler:run",
        extra="server",
    ),
    Command(
        "agent",
        "Start an agent that stands for nodes.",
        "servers:AgentArguments",
        "app.agent:run",
        extra="agent",
    ),
    Command(
        "init",
        "Write a configuration to begin with: a server and its agents, with a comment on every key.",
        "servers:InitArguments",
        "init:init",
    ),
    Command(
        "certs",
        "Make a test authority, and certificates for a server, nodes and users.",
        "servers:CertsArguments",
        "app.certs:run",
        extra="server",
    ),
    Command(
        "shims",
        "Write the commands of PBS, LSF, Slurm or Maui into a folder, under their real names.",
        "servers:ShimsArguments",
        "live.shims:shims",
    ),
    Command(
        "workload info",
        "Tell what is in a log, and what would be skipped and why.",
        "workloads:InfoArguments",
        "workload:info",
    ),
    Command(
        "workload profile",
        "Tell what ended jobs used and how long they waited, by user, group, account, class and day.",
        "workloads:ProfileArguments",
        "profiling:profile",
    ),
    Command(
        "workload convert",
        "Convert between SWF, Maui traces, CSV and Parquet, and cut out a part on the way.",
        "workloads:ConvertArguments",
        "workload:convert",
    ),
    Command(
        "workload clean",
        "Tell what is odd in a log, and remove records by the archive's filters.",
        "workload_tools:CleanArguments",
        "workload_tools:clean",
    ),
    Command(
        "workload split",
        "Cut a log in parts: by day, week, month, user, or for training and testing.",
        "workload_tools:SplitArguments",
        "workload_tools:split",
    ),
    Command(
        "workload merge",
        "Put the parts of a log together again, or several logs into one.",
        "workload_tools:MergeArguments",
        "workload_tools:merge",
    ),
    Command(
        "workload select",
        "Find periods of a log with a wished utilization, and cut the nearest out.",
        "workload_tools:SelectArguments",
        "log_changes:select",
    ),
    Command(
        "workload scale",
        "Make a log of a machine of another size.",
        "workload_tools:ScaleArguments",
        "log_changes:scale",
    ),
    Command(
        "workload compare",
        "Tell how far two logs are apart, attribute by attribute.",
        "workload_tools:CompareLogsArguments",
        "log_comparison:compare",
    ),
    Command(
        "workload fit",
        "Fit distributions to a log, and write a file from which --workload makes jobs.",
        "workload_tools:FitArguments",
        "fit_command:fit",
    ),
    Command(
        "workload models",
        "List the workloads that --workload makes, and their parameters.",
        "workloads:ModelsArguments",
        "models:models",
    ),
    Command(
        "workload estimates",
        "Give the jobs of a log estimates of their run times, or list the models of estimates.",
        "estimates:EstimatesArguments",
        "estimates:give_estimates",
    ),
    Command(
        "divisible range",
        "Tell in which periods K nodes a job reject nothing, and all N nodes some.",
        "divisible:RangeArguments",
        "divisible_commands:show_range",
    ),
    Command(
        "divisible split",
        "Show each node's chunk of a load, and when it is sent and computed.",
        "divisible:SplitArguments",
        "divisible_commands:show_split",
    ),
    Command(
        "coschedule run",
        "Run one cluster at process level: what every CPU and job did, to the nanosecond.",
        "coschedule:RunScenarioArguments",
        "coschedule:run",
    ),
    Command(
        "coschedule compare",
        "Run several local policies or schemes on the same programs, over seeds and loads.",
        "coschedule:CompareWaysArguments",
        "coschedule:compare",
    ),
    Command(
        "coschedule timeline",
        "Tell or draw what each CPU and process did in a window of time.",
        "coschedule:TimelineArguments",
        "coschedule:timeline",
    ),
    Command(
        "coschedule explain",
        "Print what a scenario means, with every default filled in.",
        "coschedule:ExplainArguments",
        "coschedule:explain",
    ),
    Command(
        "config check",
        "Say of every parameter in a maui.cfg what it means and how it is handled.\n\n"
        "The exit code is 2 where anything is refused; all of it is found in one run.",
        "configs:CheckConfigArguments",
        "maui.config:check",
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
    Command("logs", "Print what a job has written.", "jobs:LogsArguments", "live.logs:logs"),
    Command("cancel", "End jobs.", "jobs:ChangeArguments", "live.job_changes:cancel"),
    Command("hold", "Keep jobs from starting.", "jobs:HoldArguments", "live.job_changes:hold"),
    Command("release", "Let held jobs start.", "jobs:ReleaseArguments", "live.job_changes:release"),
    Command("alter", "Change what a job asks for.", "submit:AlterArguments", "live.job_changes:alter"),
    Command("signal", "Send a signal to running jobs.", "jobs:SignalArguments", "live.job_changes:signal"),
    Command(
        "requeue",
        "Put running jobs back into the queue.\n\nTheir work is lost.",
        "jobs:ChangeArguments",
        "live.job_changes:requeue",
    ),
    Command(
        "suspend",
        "Stop running jobs; they keep their work.",
        "jobs:ChangeArguments",
        "live.job_changes:suspend",
    ),
    Command("resume", "Let suspended jobs go on.", "jobs:ChangeArguments", "live.job_changes:resume"),
    Command(
        "start",
        "Start waiting jobs now, past the policy.\n\n"
        "Of a divisible or moldable job the policy says the size, so it cannot be started so. It takes an "
        "operator.",
        "jobs:StartArguments",
        "live.job_changes:start",
    ),
    Command(
        "slices",
        "List jobs that compute in slices of time, or slice running jobs.\n\n"
        "A job computes for --slice out of each --period, or in the --row of a matrix whose --rows "
        "last for a --quantum each, at the same instants on all nodes.",
        "slices:SlicesArguments",
        "live.slices:slices",
    ),
    Command(
        "wait",
        "Wait for the ends of jobs.\n\n"
        "Exit code 0: all ended well. 1: some did not. 124: the time-out came first.",
        "jobs:WaitArguments",
        "live.following:wait",
    ),
    Command(
        "watch", "Print what happens to jobs, as it happens.", "jobs:WatchArguments", "live.following:watch"
    ),
    Command(
        "explain",
        "Tell why a job waits, and what would help.",
        "jobs:OneJobArguments",
        "live.reasons:explain",
    ),
    Command("forecast", "Tell when a job will start.", "jobs:OneJobArguments", "live.reasons:forecast"),
    Command(
        "accounting export",
        "Write what has ended as accounting of PBS, LSF or Slurm, or as SWF.",
        "accounting:ExportArguments",
        "live.accounting:export",
    ),
    Command(
        "cluster",
        "Show the whole in figures: nodes, processors, jobs by state.",
        "shared:JsonArguments",
        "live.cluster_command:cluster",
    ),
    Command(
        "nodes",
        "List nodes, or take them out of service.",
        "cluster:NodesArguments",
        "live.node_commands:nodes",
    ),
    Command(
        "agents", "List node agents, or release their names.", "cluster:AgentsArguments", "live.agents:agents"
    ),
    Command("queues", "List queues, or change one.", "cluster:QueuesArguments", "live.queues:queues"),
    Command(
        "policy", "Show or change the policy that decides.", "cluster:PolicyArguments", "live.policy:policy"
    ),
    Command(
        "schedule",
        "Make one iteration of the policy maui and tell what each of its steps did.",
        "cluster:ScheduleArguments",
        "maui.showing:schedule",
    ),
    Command(
        "shadow",
        "Have another policy look on, without effect, and tell what it would have done differently.",
        "cluster:ShadowArguments",
        "live.shadow:shadow",
    ),
    Command("clock status", "Show the clock.", "shared:JsonArguments", "live.clock:status"),
    Command(
        "clock advance",
        "Turn a stepped clock forward.\n\nPrints the clock when everything on the way has happened.",
        "cluster:AdvanceArguments",
        "live.clock:advance",
    ),
    Command(
        "clock rate", "Let a scaled clock run at another rate.", "cluster:RateArguments", "live.clock:rate"
    ),
    Command("clock pause", "Stop the clock.", "shared:JsonArguments", "live.clock:pause"),
    Command("clock resume", "Let the clock go on.", "shared:JsonArguments", "live.clock:resume"),
    Command(
        "scheduling pause",
        "Let the policy make no more passes, or so many more.",
        "cluster:PauseArguments",
        "live.scheduling_commands:pause",
    ),
    Command(
        "scheduling resume",
        "Let the policy make passes again.",
        "shared:JsonArguments",
        "live.scheduling_commands:resume",
    ),
    Command(
        "statistics reset",
        "Let the reports count what ends from now on.",
        "shared:JsonArguments",
        "live.scheduling_commands:reset",
    ),
    Command(
        "reservations list",
        "List what is reserved.",
        "shared:JsonArguments",
        "live.reservation_commands:listed",
    ),
    Command(
        "reservations create",
        "Reserve processors, once or again and again.\n\n"
        "Jobs without access start only if they are over before, or leave them free.",
        "reservations:ReserveArguments",
        "live.reservation_commands:create",
    ),
    Command(
        "reservations delete",
        "Give reservations up.",
        "reservations:DeleteReservationArguments",
        "live.reservation_commands:delete",
    ),
    Command(
        "bank balance",
        "Show what accounts have, have set aside and have paid.",
        "bank:BalanceArguments",
        "live.bank_commands:balance",
    ),
    Command(
        "bank deposit",
        "Put processor-seconds into an account.",
        "bank:DepositArguments",
        "live.bank_commands:deposit",
    ),
    Command(
        "bank withdraw",
        "Take processor-seconds out of an account: what it has beside its liens.",
        "bank:BookArguments",
        "live.bank_commands:withdraw",
    ),
    Command(
        "bank refund",
        "Give an account back what a job has cost.",
        "bank:RefundArguments",
        "live.bank_commands:refund",
    ),
    Command(
        "bank statement",
        "Show what was booked last, by hand and for jobs.",
        "bank:StatementArguments",
        "live.bank_commands:statement",
    ),
    Command(
        "token issue",
        "Make a token for a user or a node agent, and print it once.\n\n"
        "The server keeps no copy. Show it as MOLOKINI_TOKEN, or keep it in a file that "
        "MOLOKINI_TOKEN_FILE names.",
        "tokens:IssueArguments",
        "live.token_commands:issue",
    ),
    Command(
        "token list",
        "List tokens: your own; an administrator's list has all.",
        "tokens:TokensArguments",
        "live.token_commands:list_tokens",
    ),
    Command(
        "token revoke",
        "Take tokens back, at once and for good.",
        "tokens:RevokeArguments",
        "live.token_commands:revoke",
    ),
    Command(
        "token rotate",
        "Sign tokens with a new key from now on.\n\n"
        "Tokens of the key before stay good until the next rotation; all tokens of older keys "
        "end.",
        "shared:JsonArguments",
        "live.token_commands:rotate",
    ),
    Command(
        "maui changeparam",
        "Change one parameter until the configuration is read again.",
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
        "Show when a job, or one of such a size, could start at the earliest.",
        "maui:ShowStartArguments",
        "maui.showing:showstart",
    ),
    Command(
        "maui showbf",
        "Show what could start now, and for how long.",
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
        "Show what has been finished, and what is left to do.",
        "maui:ShowStatisticsArguments",
        "maui.showing:showstats",
    ),
    Command(
        "maui showgrid",
        "Show a statistic of jobs that have ended by their size and wall clock limit.",
        "maui:ShowGridArguments",
        "maui.showing:showgrid",
    ),
    Command(
        "maui checkjob",
        "Show all that is known of an open job, and why it does not run.",
        "maui:CheckJobArguments",
        "maui.showing:checkjob",
    ),
    Command(
        "maui checknode",
        "Show a node, its jobs and its reservations.",
        "maui:CheckNodeArguments",
        "maui.showing:checknode",
    ),
    Command("maui setres", "Reserve processors for some.", "maui:SetResArguments", "maui.setres:setres"),
    Command(
        "maui releaseres",
        "Give reservations up.",
        "reservations:DeleteReservationArguments",
        "maui.setres:releaseres",
    ),
    Command(
        "completion",
        "Print what a shell sources to complete commands and options.",
        "shared:CompletionArguments",
        "completion:completion",
    ),
)
