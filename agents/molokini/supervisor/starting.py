"""What a child does before its program: another user, limits, directory and files; then it is the program.

Whatever touches a path that the user has chosen comes after the change of user.
"""

from __future__ import annotations

import os
import pwd
import resource
import signal
import stat
import time

from molokini.supervisor import job_options, kernel
from molokini.supervisor.batch_variables import element_number, system_variables
from molokini.supervisor.launch_record import LaunchRecord
from molokini.supervisor.patterns import default_output, filled, of_node, values_of
from molokini.supervisor.records import SCRIPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

PATH = "/usr/local/bin:/usr/bin:/bin"
_UMASK = 0o022
_FOLDER_S = 2.0
"""How long a folder may take that is made when the job's number is known."""
_SHOWN = 200
"""Characters of a path in a message."""
_SIGNALS = range(1, signal.NSIG)
_IGNORED = {number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_IGN}
"""Those that were ignored when this process began; others are set back when a program is executed."""
_ENDING = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
"""Those that a supervisor outlives."""
_OUTPUT = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class CannotStart(Exception):
    """Why no program was started: one line."""


class Account:
    """Who the job is on this machine."""

    def __init__(self, entry: pwd.struct_passwd, groups: list[int]) -> None:
        self.name, self.uid, self.gid = entry.pw_name, entry.pw_uid, entry.pw_gid
        self.home, self.shell = entry.pw_dir, entry.pw_shell or "/bin/sh"
        self.groups = groups


def account_of(wish: LaunchRecord) -> Account:
    """The account under which *wish* runs. Raises CannotStart."""
    try:
        entry = pwd.getpwnam(wish.user) if wish.switches else pwd.getpwuid(os.geteuid())
    except KeyError:
        raise CannotStart(f"there is no user {wish.user!r} on this node") from None
    if wish.switches and entry.pw_uid == 0 and not wish.allow_root:
        raise CannotStart("jobs of root are refused: start the agent with --allow-root to run them")
    if wish.switches and 0 < entry.pw_uid < wish.lowest_uid:
        raise CannotStart(
            f"user {wish.user!r} is {entry.pw_uid} on this node, and jobs run from {wish.lowest_uid} on"
        )
    groups = os.getgrouplist(entry.pw_name, entry.pw_gid) if wish.switches else os.getgroups()
    return Account(entry, groups)


def environment_of(wish: LaunchRecord, account: Account, folder: str) -> dict[str, str]:
    """All variables that the job has: a few of ours, then its own, then those that tell it where it is."""
    return {
        "HOME": account.home,
        "LOGNAME": account.name,
        "USER": account.name,
        "SHELL": account.shell,
        "PATH": PATH,
        **wish.environment,
        **place_of(wish, folder),
    }


def place_of(wish: LaunchRecord, folder: str) -> dict[str, str]:
    """The variables that say which job it is and where it runs."""
    counts = [count for _, count in wish.nodes]
    found = {
        "MOLOKINI_JOB_ID": str(wish.job),
        "MOLOKINI_ATTEMPT": str(wish.attempt),
        "MOLOKINI_JOB_NAME": wish.name,
        "MOLOKINI_QUEUE": wish.queue,
        "MOLOKINI_PROCESSORS": str(sum(counts)),
        "MOLOKINI_NODES": str(len(wish.nodes)),
        "MOLOKINI_NODE_NAME": wish.nodes[wish.node][0] if wish.nodes else "",
        "MOLOKINI_NODE_INDEX": str(wish.node),
        "MOLOKINI_NODE_PROCESSORS": str(wish.processors),
        "MOLOKINI_FIRST_RANK": str(sum(counts[: wish.node])),
        "MOLOKINI_NODE_FILE": os.path.join(folder, "nodes"),
        "MOLOKINI_NODE_LIST": ",".join(name for name, _ in wish.nodes),
        **system_variables(wish, folder),
    }
    if wish.index >= 0:
        found["MOLOKINI_ARRAY_INDEX"] = str(wish.index)
    return found


def become(account: Account) -> None:
    """Change to *account*, for good. Raises CannotStart."""
    try:
        os.setgroups(account.groups)
        os.setresgid(account.gid, account.gid, account.gid)
        os.setresuid(account.uid, account.uid, account.uid)
    except OSError as error:
        raise CannotStart(f"cannot become user {account.name!r}: {error.strerror}") from None
    if account.uid:
        try:
            os.setresuid(0, 0, 0)
        except OSError:
            return
        raise CannotStart(f"user {account.name!r} could become root again")


def default_signals() -> None:
    """What a program finds when it begins: no signal ignored, none blocked."""
    for number in _IGNORED | _ENDING | {signal.SIGCHLD}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def pass_signals_over() -> None:
    """Let no signal end this process, and no program that it starts find one ignored, or blocked.

    What is handled, and not ignored, is as at first where a program begins: its process has nothing to set
    back, each step of which would copy pages.
    """
    supervisor = os.getpid()

    def end(number: int, _: object) -> None:
        if os.getpid() != supervisor:
            # A child that is no program yet.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    for number in _ENDING:
        signal.signal(number, end)
    for other in _IGNORED - _ENDING | {signal.SIGCHLD}:
        signal.signal(other, lambda *_: None)
    kernel.default_signals_of_the_c_library()
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


class Program:
    """What a child is to become, worked out before it is made: there each page that it touches is copied."""

    def __init__(self, wish: LaunchRecord, folder: str, account: Account) -> None:
        self.argv = [os.path.join(folder, SCRIPT), *wish.argv] if wish.script else wish.argv
        self.environment = environment_of(wish, account, folder)
        self.account, self.wish = account, wish
        self.directory = wish.directory or account.home
        self.files = _Files(wish)
        core = resource.getrlimit(resource.RLIMIT_CORE)
        self.core = (0, core[1])
        self.supervisor = os.getpid()
        name = self.argv[0]
        # As execvpe looks for it; a name with a slash is a path.
        folders = [""] if "/" in name else self.environment.get("PATH", os.defpath).split(os.pathsep)
        self.places = [os.path.join(one, name) for one in folders]


def run(program: Program) -> NoReturn:
    """Become *program*. Raises CannotStart where that cannot be."""
    wish, account = program.wish, program.account
    if wish.switches:
        become(account)
    if wish.cpus:
        # Where there is no control group for it, the job has to keep to them by itself.
        os.sched_setaffinity(0, set(map(int, wish.cpus.split(","))))
    kernel.keep_privileges_as_they_are()
    kernel.die_with_parent(signal.SIGKILL)
    if os.getppid() != program.supervisor:
        # It ended before that, and nothing would end the job with it.
        os._exit(127)
    os.umask(_UMASK)
    resource.setrlimit(resource.RLIMIT_CORE, program.core)
    _enter_directory(program.directory)
    program.files.open()
    raise CannotStart(_why_not_executed(wish, program.argv[0], _executed(program)))


def _executed(program: Program) -> OSError:
    """Why none of the places has the program; nothing returns where one has it."""
    found: OSError | None = None
    for place in program.places:
        try:
            os.execve(place, program.argv, program.environment)
        except (FileNotFoundError, NotADirectoryError) as error:
            last: OSError = error
        except OSError as error:
            # It is there: this tells more than that it is nowhere else.
            found = found or error
        except ValueError as error:
            raise CannotStart(f"the program cannot be started: {error}") from None
    return found or last


def _why_not_executed(wish: LaunchRecord, program: str, error: OSError) -> str:
    if not wish.script:
        return f"{_shown(program)}: {error.strerror}"
    first = _first_line(program)
    if not first.startswith("#!"):
        return "the job script does not begin with #! and the program that runs it (#!/bin/sh)"
    if first.endswith("\r"):
        return f"the first line of the job script ends with CR LF: {first[:80]!r}; lines end with LF alone"
    return f"the job script names {first[2:82].strip()!r}: {error.strerror}"


def _first_line(path: str) -> str:
    with open(path, "rb") as file:
        return file.readline(4096).rstrip(b"\n").decode("utf-8", "replace")


def _enter_directory(path: str) -> None:
    try:
        os.chdir(path)
    except OSError as error:
        raise CannotStart(f"working directory {_shown(path)}: {error.strerror}") from None


class _Files:
    """The three files of the program."""

    def __init__(self, wish: LaunchRecord) -> None:
        node = wish.nodes[wish.node][0] if wish.nodes else ""
        values = values_of(wish.job, wish.index, wish.user, wish.name, node, element_number(wish))
        self.given = _path("standard input", wish.stdin or "/dev/null", values)
        stdout = of_node(wish.stdout or default_output(wish.index), wish.node)
        self.out = _path("standard output", stdout, values)
        error = of_node(wish.stderr, wish.node)
        self.error = _path("standard error", error, values) if wish.stderr else self.out
        self._named = ((stdout, self.out), (error, self.error))
        # A second attempt adds to what the first has written.
        self.adds, self.adds_error = (
            wish.attempt > 1 or job_options.appends(wish.environment, stream)
            for stream in ("output", "error")
        )

    def open(self) -> None:
        """Give them to this process, opened as its user. Raises CannotStart."""
        os.dup2(_input(self.given), 0)
        for pattern, path in self._named:
            _await_folder(pattern, path)
        os.dup2(_output("standard output", self.out, self.adds), 1)
        same = self.error == self.out
        os.dup2(1 if same else _output("standard error", self.error, self.adds_error), 2)

    def open_again(self, errors: bool = False) -> int:
        """Standard output, or where *errors* go, once more, to add to it, by its user in its directory.

        Raises CannotStart.
        """
        if errors:
            return _output("standard error", self.error, appends=True)
        return _output("standard output", self.out, appends=True)


def _await_folder(pattern: str, path: str) -> None:
    """Give the submitter a moment to make the folder of *path*, where the job's number is in its name.

    Tools make it when they have been told the number, and a job may start sooner than that.
    """
    if "%" not in os.path.dirname(pattern):
        return
    until = time.monotonic() + _FOLDER_S
    while not os.path.isdir(os.path.dirname(path)) and time.monotonic() < until:
        time.sleep(0.02)


def _path(what: str, pattern: str, values: dict[str, str]) -> str:
    try:
        return filled(pattern, values)
    except ValueError as error:
        raise CannotStart(f"{what} {_shown(pattern)}: {error}") from None


def _shown(path: str) -> str:
    """A path as messages have it."""
    return path if len(path) <= _SHOWN else f"{path[:_SHOWN]}..."


def _input(path: str) -> int:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise CannotStart(f"standard input {_shown(path)}: {error.strerror}") from None
    if not (stat.S_ISREG(os.fstat(file).st_mode) or path == "/dev/null"):
        raise CannotStart(
            f"standard input {_shown(path)}: {_kind(file)}; a job reads a regular file or /dev/null"
        )
    os.set_blocking(file, True)
    return file


def _output(what: str, path: str, appends: bool) -> int:
    """A file to write to; *appends*: at its end, also behind what others have added."""
    try:
        file = os.open(path, _OUTPUT | os.O_CREAT | (os.O_APPEND if appends else 0), 0o666)
    except OSError as error:
        if os.path.islink(path):
            raise CannotStart(f"{what} {_shown(path)}: a symbolic link; name the file itself") from None
        if os.path.exists(path) and not os.path.isfile(path):
            raise CannotStart(
                f"{what} {_shown(path)}: {_kind_of_path(path)}; a job writes a regular file"
            ) from None
        raise CannotStart(f"{what} {_shown(path)}: {error.strerror}") from None
    if not (stat.S_ISREG(os.fstat(file).st_mode) or path == "/dev/null"):
        raise CannotStart(f"{what} {_shown(path)}: {_kind(file)}; a job writes a regular file or /dev/null")
    os.set_blocking(file, True)
    if not appends and path != "/dev/null":
        os.ftruncate(file, 0)
    return file


def _kind(file: int) -> str:
    return _words(os.fstat(file).st_mode)


def _kind_of_path(path: str) -> str:
    return _words(os.stat(path).st_mode)


def _words(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"))
    return next((words for test, words in kinds if test(mode)), "a device")
