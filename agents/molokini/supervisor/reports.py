"""What batch systems write behind the output of a job: LSF its report, Slurm a line where the job was ended.

bsub asks for the report by a variable of the job, which has the name of the cluster; Slurm's line is among
the errors of its jobs. A child of the supervisor writes either, as the job's user: where that takes too long,
the supervisor goes on without it.
The lines are those of openlava and of LSF 10.1 (``sbatchd``); what a node does not know stays out, or is
``-``.
"""

from __future__ import annotations

import os
import signal
import time

from molokini.supervisor import kernel
from molokini.supervisor.batch_variables import SYSTEM, element_number
from molokini.supervisor.records import SCRIPT
from molokini.supervisor.starting import CannotStart, become, default_signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import NoReturn

    from molokini.supervisor.starting import Program

VARIABLE = "MOLOKINI_LSF_REPORT"
LONGEST_S = 5.0
"""How long the end of a job waits for its report."""
_RULE = "-" * 60
_COMMAND = "#!/bin/sh\n# LSBATCH: User input\n"
"""How a script begins that bsub has made of a command."""
_LINES, _BYTES = 50, 1 << 16
"""Of the script so much is shown."""
_RUN_LIMIT_CODE, _OWNER_CODE, _SIGNALLED = 140, 130, 128
_CANCELLED = {"limit": " DUE TO TIME LIMIT", "killed": ""}
"""By how a job was ended, what Slurm's line says of it."""
_TERMINATIONS = {
    "limit": "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
    "out-of-memory": "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.",
    # The order names no user, so the owner stands for an operator as well.
    "killed": "TERM_OWNER: job killed by owner.",
}


class Ending:
    """How an attempt has ended. Instants are seconds of the epoch."""

    def __init__(
        self, how: str, status: int, began_s: float, ended_s: float, used: Mapping[str, float]
    ) -> None:
        self.how = how
        """As in the record: ``exited``, ``limit``, ``killed``, ``out-of-memory``."""
        self.code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        self.began_s, self.ended_s, self.used = began_s, ended_s, used

    @property
    def done(self) -> bool:
        """Whether it has ended by itself, and well."""
        return self.how == "exited" and not self.code and not self.signal

    def sentences(self) -> list[str]:
        """The outcome; exit codes are those that LSF's listings have."""
        if self.done:
            return ["Successfully completed."]
        if self.how not in _TERMINATIONS:
            if self.signal:
                return [f"Exited with signal termination: {_signal_name(self.signal)}."]
            return [f"Exited with exit code {self.code}."]
        usual = _OWNER_CODE if self.how == "killed" else 1
        code = _SIGNALLED + self.signal if self.signal else self.code or usual
        if self.how == "limit":
            code = _RUN_LIMIT_CODE
        return [_TERMINATIONS[self.how], f"Exited with exit code {code}."]


def wanted(environment: Mapping[str, str], how: str) -> bool:
    """Whether a job with these variables, which has ended by *how*, gets a report or a line."""
    if environment.get(SYSTEM) == "slurm":
        return how in _CANCELLED
    return bool(environment.get(VARIABLE)) and environment.get(SYSTEM) == "lsf"


def be_writer(program: Program, folder: str, ending: Ending) -> NoReturn:
    """In a child of the supervisor: write the report of *program*, and end. It says nothing where it
    cannot."""
    try:
        sender = _own_name()
        os.setsid()
        default_signals()
        kernel.die_with_parent(signal.SIGKILL)
        if program.wish.switches:
            become(program.account)
        os.umask(0o022)
        os.chdir(program.directory)
        script = _script(os.path.join(folder, SCRIPT)) if program.wish.script else ""
        slurm = program.wish.environment.get(SYSTEM) == "slurm"
        text = line(program, ending) if slurm else report(program, script, ending, sender, time.time())
        left = memoryview(text.encode("utf-8", "replace"))
        file = program.files.open_again(errors=slurm)
        while left:
            left = left[os.write(file, left) :]
    except (CannotStart, OSError):
        # A full disk, or a folder that has gone: the end of the job is no other for it.
        pass
    finally:
        os._exit(0)


def line(program: Program, ending: Ending) -> str:
    """Slurm's line of a job that was ended."""
    wish = program.wish
    node = wish.nodes[wish.node][0] if wish.nodes else "localhost"
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(ending.ended_s))
    why = _CANCELLED[ending.how]
    number = element_number(wish)
    return f"slurmstepd-{node}: error: *** JOB {number} ON {node} CANCELLED AT {at}{why} ***\n"


def report(program: Program, script: str, ending: Ending, sender: str, now_s: float) -> str:
    """The lines of the report, written at *now_s*, of a job that ran *script* or else its arguments.

    *sender*: the user of the agent.
    """
    return "\n".join((*_heading(program, ending, sender, now_s), *_body(program, script, ending), "", ""))


def _heading(program: Program, ending: Ending, sender: str, now_s: float) -> Iterator[str]:
    wish, cluster = program.wish, program.wish.environment[VARIABLE]
    element = f"[{wish.index}]" if wish.index >= 0 else ""
    name, user = f"{wish.name}{element}", program.account.name
    yield f"\n{_RULE}"
    yield f"Sender: LSF System <{sender}@{wish.nodes[wish.node][0] if wish.nodes else 'localhost'}>"
    yield f"Subject: Job {wish.job}{element}: <{name}> in cluster <{cluster}> " + (
        "Done" if ending.done else "Exited"
    )
    host = wish.environment.get("LSB_SUB_HOST", "-")
    yield f"\nJob <{name}> was submitted from host <{host}> by user <{wish.user}> in cluster <{cluster}>."
    first, *others = [f"<{count}*{node}>" if count > 1 else f"<{node}>" for node, count in wish.nodes] or [
        "-"
    ]
    ran = "Job was executed on host(s) "
    yield f"{ran}{first}, in queue <{wish.queue}>, as user <{user}> in cluster <{cluster}>."
    yield from (" " * len(ran) + other for other in others)
    yield f"<{program.account.home}> was used as the home directory."
    yield f"<{program.directory}> was used as the working directory."
    yield f"Started at {time.ctime(ending.began_s)}"
    yield f"Terminated at {time.ctime(ending.ended_s)}"
    yield f"Results reported at {time.ctime(now_s)}"


def _body(program: Program, script: str, ending: Ending) -> Iterator[str]:
    yield f"\nYour job looked like:\n\n{_RULE}\n# LSBATCH: User input"
    yield from (script.removeprefix(_COMMAND) or " ".join(program.wish.argv)).splitlines()[:_LINES]
    yield f"{_RULE}\n"
    yield from ending.sentences()
    used = ending.used
    yield "\nResource usage summary:\n"
    yield f"    CPU time   : {used['cpu_s']:>9.2f} sec."
    yield f"    Max Memory : {used['memory_kb'] / 1024:>9.0f} MB"
    yield f"    Max Swap   : {'-':>9}\n"
    yield f"    Max Processes  : {'-':>9}"
    yield f"    Run time       : {max(0.0, ending.ended_s - ending.began_s):>9.0f} sec."
    yield "\nThe output (if any) is above this job summary."


def _script(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(_BYTES).decode("utf-8", "replace")


def _own_name() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _signal_name(number: int) -> str:
    return signal.strsignal(number) or f"signal {number}"
