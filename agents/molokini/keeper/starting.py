"""What a child does before its program: another user, limits, directory and files; then it is the program.

Whatever touches a path that the user has chosen comes after the change of user.
"""

from __future__ import annotations

import os
import pwd
import resource
import signal
import stat

from molokini.keeper import kernel, manners
from molokini.keeper.flavours import flavoured
from molokini.keeper.patterns import default_output, filled, of_node, values_of
from molokini.keeper.records import SCRIPT
from molokini.keeper.wishes import Wish

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

PATH = "/usr/local/bin:/usr/bin:/bin"
_UMASK = 0o022
_SHOWN = 200
"""Characters of a path in a message."""
_SIGNALS = range(1, signal.NSIG)
_OUTPUT = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class CannotStart(Exception):
    """Why no program was started: one line."""


class Account:
    """Who the job is on this machine."""

    def __init__(self, entry: pwd.struct_passwd, groups: list[int]) -> None:
        self.name, self.uid, self.gid = entry.pw_name, entry.pw_uid, entry.pw_gid
        self.home, self.shell = entry.pw_dir, entry.pw_shell or "/bin/sh"
        self.groups = groups


def account_of(wish: Wish) -> Account:
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


def environment_of(wish: Wish, account: Account, folder: str) -> dict[str, str]:
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


def place_of(wish: Wish, folder: str) -> dict[str, str]:
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
        **flavoured(wish, folder),
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
    for number in _SIGNALS:
        if number not in (signal.SIGKILL, signal.SIGSTOP) and not 32 <= number < 34:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def run(wish: Wish, folder: str, environment: dict[str, str], account: Account) -> NoReturn:
    """Become the program of *wish*. Raises CannotStart where that cannot be."""
    default_signals()
    if wish.switches:
        become(account)
    if wish.cpus:
        # Where there is no control group for it, the job is asked to keep to them.
        os.sched_setaffinity(0, set(map(int, wish.cpus.split(","))))
    kernel.keep_privileges_as_they_are()
    kernel.die_with_parent(signal.SIGKILL)
    os.umask(_UMASK)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    _enter_directory(wish.directory or account.home)
    _open_files(wish, account)
    program = [os.path.join(folder, SCRIPT), *wish.argv] if wish.script else wish.argv
    try:
        os.execvpe(program[0], program, environment)
    except OSError as error:
        raise CannotStart(_why_not_executed(wish, program[0], error)) from None
    except ValueError as error:
        raise CannotStart(f"the program cannot be started: {error}") from None


def _why_not_executed(wish: Wish, program: str, error: OSError) -> str:
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


def _open_files(wish: Wish, account: Account) -> None:
    """Give the program its three files, opened as its user."""
    node = wish.nodes[wish.node][0] if wish.nodes else ""
    values = values_of(wish.job, wish.index, wish.user, wish.name, node)
    given = _path("standard input", wish.stdin or "/dev/null", values)
    stdout = of_node(wish.stdout or default_output(wish.index), wish.node)
    out = _path("standard output", stdout, values)
    error = _path("standard error", of_node(wish.stderr, wish.node), values) if wish.stderr else out
    os.dup2(_input(given), 0)
    # A second attempt adds to what the first has written.
    appends = wish.attempt > 1 or manners.appends(wish.environment)
    os.dup2(_output("standard output", out, appends), 1)
    os.dup2(1 if error == out else _output("standard error", error, appends), 2)


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
    """A file to write to; *appends*: after what is in it."""
    try:
        file = os.open(path, _OUTPUT | os.O_CREAT, 0o666)
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
    if appends:
        os.lseek(file, 0, os.SEEK_END)
    elif path != "/dev/null":
        os.ftruncate(file, 0)
    return file


def _kind(file: int) -> str:
    return _words(os.fstat(file).st_mode)


def _kind_of_path(path: str) -> str:
    return _words(os.stat(path).st_mode)


def _words(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"))
    return next((words for test, words in kinds if test(mode)), "a device")
