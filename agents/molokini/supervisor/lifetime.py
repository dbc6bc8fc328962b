"""The life of one supervisor: start the job, obey the agent's commands, end the job in time, record its end.

It holds a lock on the folder of its attempt as long as it lives. Its own clock ends the job at its limit and
with the lease; nothing that the agent does, or fails to do, is needed for that.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import time
from contextlib import suppress
from math import inf

from molokini.supervisor import job_options, kernel, launch_record, launching, records, reports, starter
from molokini.supervisor.cgroups import QUOTA_US, ControlGroup, remove_left_bases
from molokini.supervisor.hooks import Hook
from molokini.supervisor.launch_record import LaunchRecord
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.pacing import Pace
from molokini.supervisor.records import AGENT_LOCK, CONTROL, LOCK, NODES, RUNNING, SUSPENDED, VOID
from molokini.supervisor.starting import (
    Account,
    CannotStart,
    Program,
    account_of,
    pass_signals_over,
    place_of,
)
from molokini.supervisor.trees import Descendants, Reaper, kill_all, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LOOK_S = 60.0
_PATIENCE_S, _AGAIN_S = 3600.0, 0.5
"""So long a supervisor tries to write down an end, and so often."""


def keep(folder: str, starts: str = "") -> bool:
    """Run the attempt in *folder* to its end. Nothing, where another supervisor has it or none may begin.

    *starts* is the starter's file; empty: there is none. True: nothing is left of the attempt but open files,
    and this process may keep another one.
    """
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600, dir_fd=place)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    number = b"%d" % os.getpid()
    os.pwrite(lock, number, 0)
    os.ftruncate(lock, len(number))
    if os.path.exists(os.path.join(folder, VOID)):
        return True
    wish = launch_record.read(folder)
    if records.read(folder, wish.label).started is not None:
        return True
    kernel.adopt_orphans()
    return _Supervisor(folder, place, wish, starts).keep()


class _Supervisor:
    def __init__(self, folder: str, place: int, wish: LaunchRecord, starts: str) -> None:
        self._folder, self._place, self._wish = folder, place, wish
        self._starts = starts
        # Open for writing as well, so that it does not end when the agent closes its side.
        self._control = os.open(CONTROL, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
        self._lease = LeaseFile(wish.lease)
        self._tree = Descendants(os.getpid())
        self._reaper = Reaper()
        self._pid = 0
        self._program: Program | None = None
        self._began = 0.0
        self._limit_s = wish.limit_s or inf
        self._work_s, self._since = wish.work_s, 0.0
        self._pace = Pace(place, wish.rate)
        self._suspended = False
        self._warning = job_options.warning(wish.environment)
        self._how, self._reason = "exited", ""
        self._kill_at = self._gives_up_at = inf
        self._read = self._fault = b""
        self._told = self._woken = -1
        self._opened = False
        """Whether the prolog was begun, or would have been, so that the epilog is to follow."""
        self._end_noted: dict[str, Any] = {}

    def _make_group(self) -> None:
        group = ControlGroup(os.getpid(), self._wish.groups, self._wish.label)
        self._tree = group
        try:
            group.make(self._wish.memory_kb, self._wish.most_processes, self._wish.cpus)
            group.share(self._wish.processors, self._wish.rate)
        except OSError as error:
            raise CannotStart(
                f"its control group cannot be made: {error.filename}: {error.strerror}"
            ) from None

    def keep(self) -> bool:
        """Start it, stay with it, note its end; whether nothing is left of it."""
        self._woken, wakes = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        pass_signals_over()
        if self._begin():
            self._stay()
            self._finish()
        if self._opened and self._wish.epilog:
            self._close()
        if self._wish.groups:
            lock = os.path.join(os.path.dirname(self._wish.lease), AGENT_LOCK)
            remove_left_bases(self._wish.groups, lock)
        signal.set_wakeup_fd(-1)
        # A slicer uses the number of the supervisor until it gets the report of the end.
        return not self._pace.sliced and not self._end_noted["drain"] and not self._reaper()

    def _begin(self) -> bool:
        """Run the prolog and start the job; whether that was done."""
        drain = ""
        try:
            self._write_nodes()
            account = account_of(self._wish)
            self._opened = True
            if self._wish.prolog and (drain := self._run_hook("prolog", self._wish.prolog, {})):
                raise CannotStart(drain)
            if self._how == "exited":
                self._start(account)
                return True
        except (CannotStart, OSError) as fault:
            if self._how == "exited":
                self._how, self._reason = "not-started", _words(fault)
        self._note_end(how=self._how, reason=self._reason, drain=drain)
        self._tree.remove()
        return False

    def _run_hook(self, what: str, path: str, more: dict[str, str], obeys: bool = True) -> str:
        """Run a program of the administrator's to its end; why it has failed, empty where it has not.

        With *obeys* orders and the lease end it, too.
        """
        variables = {**place_of(self._wish, self._folder), "MOLOKINI_USER": self._wish.user, **more}
        hook = Hook(what, path, variables, self._wish.hook_limit_s)
        poll = select.poll()
        for file in (self._woken, hook.file, *([self._control] if obeys else ())):
            poll.register(file, select.POLLIN)
        while not hook.over():
            left = max(0.0, hook.until - time.monotonic()) * 1000 + 1
            for file, _ in poll.poll(min(left, self._milliseconds()) if obeys else left):
                if file == self._woken:
                    os.read(self._woken, 4096)
                elif file == self._control:
                    self._obey(os.read(self._control, 65536))
                elif not hook.hear():
                    poll.unregister(file)
            if obeys:
                self._look()
        reason = hook.finish()
        return reason if self._how == "exited" or not obeys else ""

    def _close(self) -> None:
        """Run the epilog. That it was begun is noted first: a supervisor that is killed in it tells
        nothing."""
        more = {
            "MOLOKINI_EXIT_CODE": str(self._end_noted["exit_code"]),
            "MOLOKINI_SIGNAL": str(self._end_noted["signal"]),
            "MOLOKINI_END": self._end_noted["how"],
        }
        self._note_closing(over=False)
        reason = self._run_hook("epilog", self._wish.epilog, more, obeys=False)
        self._note_closing(over=True, reason=reason)

    def _note_closing(self, **values: Any) -> None:
        # On a full disk the end of the job is known all the same.
        with suppress(OSError):
            records.append(self._place, self._wish.label, "closing", synced=False, **values)

    def _stay(self) -> None:
        """Stay with the job until its first process has ended, or cannot be ended."""
        self._stay_with_process()
        if self._fault == starter.AGAIN and self._how == "exited":
            # The group of a job that stands still would hold the second process before it has entered.
            suspended = self._suspended or self._wish.suspended
            self._thaw()
            self._wish.suspended = suspended
            try:
                self._launch(by_starter=False)
            except OSError as error:
                self._how, self._reason = "not-started", f"no process can be made: {error.strerror}"
            else:
                self._stay_with_process()

    def _stay_with_process(self) -> None:
        if self._wish.suspended:
            self._suspend()
        poll = select.poll()
        for file in (self._woken, self._control, self._told):
            poll.register(file, select.POLLIN)
        while self._alive() and time.monotonic() < self._gives_up_at:
            for file, _ in poll.poll(self._milliseconds()):
                if file == self._woken:
                    os.read(self._woken, 4096)
                elif file == self._control:
                    self._obey(os.read(self._control, 65536))
                elif not self._hear_child():
                    poll.unregister(file)
            self._look()
        while not self._alive() and self._hear_child():
            pass

    def _hear_child(self) -> bool:
        """Read why no program is started; False: that is all. A child that says nothing is the program."""
        part = os.read(self._told, 4096)
        self._fault += part
        return bool(part)

    def _start(self, account: Account) -> None:
        if self._wish.groups:
            self._make_group()
        if self._wish.script and self._wish.switches:
            os.chown(os.path.join(self._folder, "script"), account.uid, account.gid)
        self._program = Program(self._wish, self._folder, account)
        self._launch(by_starter=bool(self._starts))
        if self._fault == starter.AGAIN:
            self._launch(by_starter=False)

    def _launch(self, by_starter: bool) -> None:
        """Make the process that becomes the program, note it, and let it go."""
        assert self._program is not None
        program = self._program
        child = launching.make(program, self._tree, self._starts if by_starter else "")
        self._pid = child.pid
        self._reaper.expect(self._pid)
        self._since = self._began = time.monotonic()
        try:
            self._note_start(program)
        except OSError:
            child.end()
            raise
        self._fault = child.let_go()
        # What a child does on a dead file system may never end: nothing here waits for it.
        self._told = child.told

    def _note_start(self, program: Program) -> None:
        # Before the program runs: no process of a job without a record.
        records.append(
            self._place,
            self._wish.label,
            "started",
            synced=False,
            pid=self._pid,
            uid=program.account.uid,
            at=self._since,
            boot=records.boot_id(),
            cgroup=self._tree.cgroup,
        )

    def _write_nodes(self) -> None:
        text = "".join(f"{name}\n" * count for name, count in self._wish.nodes).encode()
        # Where the folder was another's before, it mostly has them.
        file = os.open(NODES, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644, dir_fd=self._place)
        try:
            if os.pread(file, len(text) + 1, 0) != text:
                os.ftruncate(file, 0)
                written = 0
                while written < len(text):
                    written += os.pwrite(file, text[written:], written)
            os.fchmod(file, 0o644)
        finally:
            os.close(file)

    def _alive(self) -> bool:
        self._reaper()
        return self._reaper.ends[self._pid] < 0

    def _milliseconds(self) -> float:
        now = time.monotonic()
        warns_at, looks_at = self._warns_at(), self._pace.looks_at
        due = (self._kill_at, self._gives_up_at, warns_at, self._limit_at(), self._lease.ends_s, looks_at)
        ends = min(*due, now + _LOOK_S)
        return max(0.0, ends - now) * 1000 + 1

    def _limit_at(self) -> float:
        if self._suspended or self._how != "exited" or not self._pid:
            return inf
        return self._pace.done_at(self._since, self._limit_s - self._work_s)

    def _warns_at(self) -> float:
        return self._limit_at() - self._warning[1] if self._warning is not None else inf

    def _look(self) -> None:
        """Do what is due."""
        now = time.monotonic()
        if self._pace.looks_at <= now:
            self._count()
            self._pace.look(now, self._tree, self._suspended)
        if self._warning is not None and self._warns_at() <= now:
            number, _, asked = self._warning
            self._warning = None
            self._signal(number, asked)
        if self._lease.ends_s <= now and self._how != "lease":
            # At once: the next attempt may begin elsewhere.
            self._how, self._reason, self._kill_at = "lease", "its lease ran out", now
            self._thaw()
        elif self._limit_at() <= now:
            self._end("limit", "")
        if self._kill_at <= now:
            self._thaw()
            send(self._tree.pids(), signal.SIGKILL)
            self._kill_at = now + 0.05
            self._gives_up_at = min(self._gives_up_at, now + self._wish.kill_limit_s)

    def _end(self, how: str, reason: str) -> None:
        """Warn all processes; those that are there after the grace are killed."""
        if self._how == "exited":
            self._how, self._reason = how, reason
            self._kill_at = time.monotonic() + self._wish.grace_s
            self._thaw()
            send(self._tree.pids(), signal.SIGTERM)

    def _obey(self, text: bytes) -> None:
        *lines, self._read = (self._read + text).split(b"\n")
        for line in lines:
            try:
                wish = json.loads(line)
            except ValueError:
                continue
            self._do(wish)

    def _do(self, wish: dict[str, Any]) -> None:
        match wish.get("do"):
            case "kill":
                self._end("killed", "")
            case "kill-now":
                self._how, self._reason = "killed", wish.get("reason", "")
                self._kill_at = time.monotonic()
            case "signal" if self._pid:
                self._signal(int(wish["signal"]), job_options.whom(self._wish.environment))
            case "suspend":
                self._suspend()
            case "resume":
                self._thaw()
            case "limit":
                self._limit_s = float(wish["limit_s"]) or inf
            case "pace" if self._how == "exited":
                self._count()
                self._pace.order(wish["rate"], wish["beat"], SUSPENDED if self._suspended else RUNNING)
                self._tree.share(
                    self._wish.processors,
                    1.0 if wish["beat"] else wish["rate"],
                    wish.get("period_us", QUOTA_US),
                )
            case "slice" if self._how == "exited":
                self._count()
                self._pace.slice(wish["period"], wish["windows"], wish["origin"])

    def _signal(self, number: int, asked: str) -> None:
        send(job_options.chosen(self._tree.pids(), self._pid, asked), number)

    def _suspend(self) -> None:
        if not self._pid:
            # It will stand still from its start on.
            self._wish.suspended = True
        elif not self._suspended and self._how == "exited":
            self._pace.suspends()
            self._tree.suspend()
            self._count()
            self._suspended = True

    def _thaw(self) -> None:
        """Let it go on; where it is to end, so that it hears of it."""
        self._wish.suspended = False
        if self._suspended:
            self._suspended, self._since = False, time.monotonic()
            self._tree.resume()
        if self._how == "exited":
            self._pace.resumed(self._tree)
        else:
            self._pace.ends(self._tree)

    def _count(self) -> None:
        """Add the work that was done since it was counted last, before it goes at another rate."""
        now = time.monotonic()
        if self._pid and not self._suspended:
            self._work_s += self._pace.work_s(self._since, now)
        self._since = now

    def _finish(self) -> None:
        """The job is over with its first process: what it has left behind goes with it."""
        at = time.monotonic()
        gone = kill_all(self._tree, self._reaper, min(self._gives_up_at, at + self._wish.kill_limit_s))
        self._reaper()
        status = self._reaper.ends[self._pid]
        if status < 0:
            # It cannot be ended, and its exit code will never be known.
            status = signal.SIGKILL
        if self._how == "exited" and self._tree.out_of_memory():
            self._how, self._reason = "out-of-memory", f"out of memory: more than {self._wish.memory_kb} kB"
        if self._fault and self._how == "exited":
            self._how, self._reason = "not-started", self._fault.decode("utf-8", "replace")
        used = self._used()
        if gone and reports.wanted(self._wish.environment, self._how):
            self._report(status, at, used)
        left = "" if gone else f"kill failed: processes {self._tree.pids()[:5]} do not end"
        self._note_end(
            at=at,
            how=self._how if gone else "kill-failed",
            reason=left or self._reason,
            drain=left,
            exit_code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0,
            signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
            **used,
        )
        self._tree.remove()

    def _report(self, status: int, at: float, used: dict[str, float]) -> None:
        """Have a report written of a program that ran, and wait for that: readers look when it has ended."""
        if self._program is None or self._how in ("not-started", "lease"):
            return
        now_s, now = time.time(), time.monotonic()
        ending = reports.Ending(self._how, status, now_s - now + self._began, now_s - now + at, used)
        pid = os.fork()
        if not pid:
            reports.be_writer(self._program, self._folder, ending)
        self._reaper.expect(pid)
        until = now + reports.LONGEST_S
        poll = select.poll()
        poll.register(self._woken, select.POLLIN)
        while self._reaper() and self._reaper.ends[pid] < 0:
            left_s = until - time.monotonic()
            if left_s <= 0:
                send([pid], signal.SIGKILL)
                return
            if poll.poll(left_s * 1000 + 1):
                os.read(self._woken, 4096)

    def _used(self) -> dict[str, float]:
        """What it has used."""
        return {
            "cpu_s": self._reaper.seconds,
            "memory_kb": self._reaper.memory_kb,
            "read_kb": self._reaper.blocks[0] // 2,
            "written_kb": self._reaper.blocks[1] // 2,
            **self._tree.usage(),
        }

    def _note_end(self, at: float = 0.0, exit_code: int = 0, **values: Any) -> None:
        end = {
            "at": at or time.monotonic(),
            "exit_code": exit_code,
            "signal": 0,
            "drain": "",
            **({} if "cpu_s" in values else self._used()),
            **values,
        }
        self._end_noted = end
        until = time.monotonic() + _PATIENCE_S
        while True:
            try:
                records.append(self._place, self._wish.label, "ended", True, **end)
                break
            except FileNotFoundError:
                # The folder itself was removed: no patience brings it back.
                return _log(
                    f"{self._folder} was removed: the end of job {self._wish.label} is recorded nowhere"
                )
            except OSError:
                # A full disk may have room again soon, and the exit code is known here alone.
                if time.monotonic() >= until:
                    raise
                time.sleep(_AGAIN_S)
        # Until the server has the end, which may take long, other jobs of this user may look.
        with suppress(OSError):
            launch_record.wipe(self._place, self._wish)
        return None


def _words(fault: Exception) -> str:
    """Why a job was not started, in one line."""
    if not isinstance(fault, OSError):
        return str(fault)
    return ": ".join(filter(None, (fault.filename, fault.strerror)))


def _log(line: str) -> None:
    """Tell the administrator; the agent may be gone, and a supervisor has no other place for words."""
    import syslog

    syslog.openlog("molokini-supervisor", syslog.LOG_PID, syslog.LOG_DAEMON)
    syslog.syslog(syslog.LOG_ERR, line)
