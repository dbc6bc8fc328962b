"""The columns of squeue: by letter for ``-o``, by name for ``-O``."""

from __future__ import annotations

from molokini.compat._types import Callable
from molokini.compat.columns import printable as plain
from molokini.compat.slurm import times
from molokini.compat.slurm.jobs import View
from molokini.compat.slurm.squeue_unset import UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    Field = tuple[str, Callable[[View], str]]

REASONS = frozenset({"r", "R", "reason", "reasonlist"})
STARTS = frozenset({"S", "e", "starttime", "endtime"})
"""Columns that show when jobs that wait are to start."""
COUNTS = frozenset({"D", "numnodes", "maxnodes", "tres-alloc", "tres"})
"""Columns that count the nodes of jobs that wait."""


def _plain_code(view: View) -> str:
    """As -O writes it: the signal only where there is one."""
    return view.exit_code.removesuffix(":0")


def _constant(text: str) -> Callable[[View], str]:
    return lambda view: text


_FIELDS: dict[str, Field] = {
    **{name: (header, _constant(text)) for name, (header, text) in UNSET.items()},
    "accruetime": ("ACCRUE_TIME", lambda v: times.shown(v.job.eligible_s)),
    "allocnodes": ("ALLOC_NODES", lambda v: plain(v.submit_host)),
    "allocsid": ("ALLOC_SID", lambda v: v.submit_session),
    "associd": ("ASSOC_ID", lambda v: "0"),
    "lastschedeval": ("LAST_SCHED_EVAL", lambda v: times.shown(v.evaluated_s)),
    "mintime": ("TIME_MIN", lambda v: times.shown_limit(v.job.least_limit_s)),
    "ntpernode": ("NTASKS_PER_NODE", lambda v: v.detail("ntasks_per_node", "0")),
    "pendingtime": ("PENDING_TIME", lambda v: str(int(v.waited_s))),
    "account": ("ACCOUNT", lambda v: plain(v.account)),
    "arrayjobid": ("ARRAY_JOB_ID", lambda v: v.array_id),
    "arraytaskid": ("ARRAY_TASK_ID", lambda v: v.task),
    "batchhost": ("EXEC_HOST", lambda v: v.first_node),
    "cluster": ("CLUSTER", lambda v: v.cluster),
    "command": ("COMMAND", lambda v: plain(v.command)),
    "comment": ("COMMENT", lambda v: plain(v.comment)),
    "cpus-per-task": ("CPUS_PER_TASK", lambda v: str(v.cpus_per_task)),
    "deadline": ("DEADLINE", lambda v: times.shown(v.job.deadline_s or None)),
    "dependency": ("DEPENDENCY", lambda v: v.dependency),
    "derivedec": ("DERIVED_EC", _plain_code),
    "eligibletime": ("ELIGIBLE_TIME", lambda v: times.shown(v.job.eligible_s)),
    "endtime": ("END_TIME", lambda v: times.shown(v.end_s)),
    "exit_code": ("EXIT_CODE", _plain_code),
    "feature": ("FEATURES", lambda v: plain(v.features)),
    "groupid": ("GROUP", lambda v: v.group_id),
    "groupname": ("GROUP", lambda v: plain(v.group)),
    "jobarrayid": ("JOBID", lambda v: v.id),
    "jobid": ("JOBID", lambda v: v.raw_id),
    "licenses": ("LICENSES", lambda v: v.licenses),
    "licensesalloc": ("LICENSES_ALLOC", lambda v: v.licenses if v.allocated else "(null)"),
    "maxcpus": ("MAX_CPUS", lambda v: str(v.processors)),
    "maxnodes": ("MAX_NODES", lambda v: str(v.most_nodes or v.node_count)),
    "mincpus": ("MIN_CPUS", lambda v: str(v.least_processors)),
    "minmemory": ("MIN_MEMORY", lambda v: v.least_memory),
    "name": ("NAME", lambda v: plain(v.name)),
    "nice": ("NICE", lambda v: v.nice),
    "nodelist": ("NODELIST", lambda v: v.nodes),
    "nodes": ("NODES", lambda v: v.nodes),
    "numcpus": ("CPUS", lambda v: str(v.processors)),
    "numnodes": ("NODES", lambda v: str(v.node_count)),
    "numtasks": ("TASKS", lambda v: str(v.tasks)),
    "oversubscribe": ("OVER_SUBSCRIBE", lambda v: "OK"),
    "partition": ("PARTITION", lambda v: plain(v.partition)),
    "priority": ("PRIORITY", lambda v: f"{v.priority / 2**32:.14f}"),
    "prioritylong": ("PRIORITY", lambda v: str(v.priority)),
    "qos": ("QOS", lambda v: plain(v.qos)),
    "reason": ("REASON", lambda v: v.reason),
    "reasonlist": ("NODELIST(REASON)", lambda v: v.nodes_or_reason),
    "requeue": ("REQUEUE", lambda v: str(int(v.job.may_run_again))),
    "reservation": ("RESERVATION", lambda v: plain(v.detail("reservation"))),
    "restartcnt": ("RESTART_COUNT", lambda v: str(max(0, v.job.attempt - 1))),
    "schednodes": ("SCHEDNODES", lambda v: "(null)"),
    "starttime": ("START_TIME", lambda v: times.shown(v.start_s)),
    "state": ("STATE", lambda v: v.state),
    "statecompact": ("ST", lambda v: v.short_state),
    "stderr": ("STDERR", lambda v: plain(v.path("stderr"))),
    "stdin": ("STDIN", lambda v: plain(v.path("stdin"))),
    "stdout": ("STDOUT", lambda v: plain(v.path("stdout"))),
    "submittime": ("SUBMIT_TIME", lambda v: times.shown(v.job.submitted_s)),
    "timeleft": ("TIME_LEFT", lambda v: v.left),
    "timelimit": ("TIME_LIMIT", lambda v: times.shown_limit(v.job.limit_s)),
    "timeused": ("TIME", lambda v: times.duration(v.elapsed_s)),
    "tres-alloc": ("TRES_ALLOC", lambda v: v.tres),
    "tres-per-node": ("TRES_PER_NODE", lambda v: v.generic),
    "userid": ("UID", lambda v: v.user_id),
    "username": ("USER", lambda v: plain(v.user)),
    "wckey": ("WCKEY", lambda v: plain(v.detail("wckey"))),
    "workdir": ("WORK_DIR", lambda v: plain(v.directory)),
}
_ALIASES = {
    "arrayid": "arrayjobid",
    "shared": "oversubscribe",
    "gres": "tres-per-node",
    "cpuspertask": "cpus-per-task",
    "exitcode": "exit_code",
    "packjobid": "hetjobid",
    "packjobidset": "hetjobidset",
    "packjoboffset": "hetjoboffset",
    "runtime": "timeused",
    "tres": "tres-alloc",
    "jobstate": "state",
    "user": "username",
    "st": "statecompact",
}
NAMED: dict[str, Field] = {**_FIELDS, **{alias: _FIELDS[name] for alias, name in _ALIASES.items()}}
"""For ``-O``."""

_LETTERS = {
    "a": "account", "A": "jobid", "b": "tres-per-node", "B": "batchhost", "c": "mincpus", "C": "numcpus",
    "d": "mintmpdisk", "D": "numnodes", "e": "endtime", "E": "dependency", "f": "feature", "F": "arrayjobid",
    "g": "groupname", "G": "groupid", "h": "oversubscribe", "H": "sockets", "i": "jobarrayid", "I": "cores",
    "j": "name", "J": "threads", "k": "comment", "K": "arraytaskid", "l": "timelimit", "L": "timeleft",
    "m": "minmemory", "M": "timeused", "n": "reqnodes", "N": "nodelist", "o": "command", "O": "contiguous",
    "p": "priority", "P": "partition", "q": "qos", "Q": "prioritylong", "r": "reason", "R": "reasonlist",
    "s": "selectjobinfo", "S": "starttime", "t": "statecompact", "T": "state", "u": "username", "U": "userid",
    "v": "reservation",
    "V": "submittime", "w": "wckey", "W": "licenses", "x": "excnodes", "X": "corespec", "y": "nice",
    "Y": "schednodes", "z": "sct", "Z": "workdir",
}  # fmt: skip
LETTERED: dict[str, Field] = {letter: _FIELDS[name] for letter, name in _LETTERS.items()}
"""For ``-o``."""
