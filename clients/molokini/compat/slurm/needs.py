"""Which parts of jobs a listing has to ask for: those of its columns, its order and its filters.

What is not asked for need not be made, sent and read: with 10,000 jobs that is half of the time.
"""

from __future__ import annotations

from molokini.compat._types import Iterable
from molokini.compat.job import ANSWERED, SLURM, fields_of

DETAILS = fields_of(SLURM)
_SPEC = (
    *("name", "argv", "working_directory", "stdin_path", "stdout_path", "stderr_path", "resources"),
    *("estimate_s", "queue", "account", "qos", "user_priority", "begin_at_s", "deadline_s", "dependencies"),
    *("array", "requeue", "mail_events", "mail_to", "comment", "group", "least_estimate_s", "further_queues"),
)
EVERYTHING = ("state", *ANSWERED, "allocation", *DETAILS, *(f"spec.{name}" for name in _SPEC))
ALWAYS = (
    "state",
    "cause",
    "promise",
    "holds",
    "spec.array",
    "spec.queue",
    "spec.further_queues",
    "chosen_queue",
    "element_number",
    "attempt",
    "spec.dependencies",
)
"""State, arrays, and which partition waits for what."""

_WHY = ("waiting", "reason", "exit_code", "signal")
_PRIORITY = ("spec.user_priority", "priority")
_BY_LETTER = {
    "A": (),
    "B": ("allocation",),
    "C": ("allocation", "spec.resources"),
    "D": ("allocation", "spec.resources"),
    "F": (),
    "K": (),
    "M": ("elapsed_s", "suspended_s"),
    "N": ("allocation",),
    "P": (),
    "Q": _PRIORITY,
    "R": ("allocation", *_WHY),
    "S": ("start_s", "end_s", "reserved_s", "waiting"),
    "T": (),
    "V": ("submitted_s",),
    "Z": ("spec.working_directory",),
    "a": ("spec.account",),
    "e": ("start_s", "end_s", "reserved_s", "expected_end_s", "spec.estimate_s", "limit_s", "waiting"),
    "i": (),
    "j": ("spec.name",),
    "k": ("spec.comment",),
    "l": ("spec.estimate_s", "limit_s"),
    "p": _PRIORITY,
    "q": ("spec.qos",),
    "r": _WHY,
    "t": (),
    "u": ("user",),
}
_BY_NAME = {
    "jobarrayid": "i",
    "jobid": "A",
    "name": "j",
    "nodelist": "N",
    "numcpus": "C",
    "numnodes": "D",
    "partition": "P",
    "reason": "r",
    "reasonlist": "R",
    "state": "T",
    "statecompact": "t",
    "timelimit": "l",
    "timeused": "M",
    "username": "u",
}


def fields(columns: Iterable[str], more: Iterable[str] = ()) -> list[str]:
    """The fields to ask for where *columns* of squeue (letters or names) are shown, and *more* beside."""
    found = dict.fromkeys((*ALWAYS, *more))
    for column in columns:
        letter = _BY_NAME.get(column, column)
        if letter not in _BY_LETTER:
            return list(dict.fromkeys((*EVERYTHING, *more)))
        found.update(dict.fromkeys(_BY_LETTER[letter]))
    return list(found)
