"""``srun`` outside a job: it submits one that runs srun's tasks, shows what they write, and waits.

Output comes by files in a folder of its own beside which the user stands; so does input, which the tasks'
side follows as it grows. Nodes need nothing but the file system that they share with the user anyway.
"""

from __future__ import annotations

import os
import signal
import sys

from molokini.compat._types import Any, Invocation, Values
from molokini.compat.failures import Refused
from molokini.compat.job import Job
from molokini.compat.slurm.specs import Making
from molokini.compat.slurm.streams import INPUT, aside
from molokini.compat.submitting import submit, without_patterns
from molokini.compat.tool import Failed

_LOOK_S = 0.1
_PASSED_ON = ("ntasks", "nodes", "ntasks_per_node", "cpus_per_task", "output", "error", "input", "open_mode",
              "kill_on_bad_exit", "wait", "label", "overcommit", "quiet")  # fmt: skip


def run_job(run: Invocation, given: Values, command: list[str]) -> int:
    """Run *command* as a job; its exit code."""
    if given.flag("pty"):
        raise Failed(
            "srun: error: --pty is not supported outside a job: there are no interactive allocations"
        )
    if given.flag("test_only"):
        from molokini.compat.slurm.testing import say_when

        return say_when(run, Making(run, given, os.path.basename(command[0])).spec())
    folder = _folder()
    try:
        made = _specification(run, given, command, folder)
        try:
            number = submit(run, made)
        except Refused as error:
            raise _refused(run, error, made) from None
        if given.flag("verbose"):
            run.complain(f"srun: job {number} has been submitted")
        return _Watch(run, number, folder, given.flag("quiet")).end()
    finally:
        _remove(folder)


def _specification(run: Invocation, given: Values, command: list[str], folder: str) -> dict[str, Any]:
    making = Making(run, given, os.path.basename(command[0]))
    made = making.spec()
    made["argv"] = [os.path.abspath(sys.argv[0]), *_step_options(given), *command]
    made["stdout_path"] = without_patterns(f"{folder}/out")
    made["stderr_path"] = without_patterns(f"{folder}/err")
    if not given.one("input") and _has_input():
        open(f"{folder}/in", "wb").close()
        made["environment"][INPUT] = f"{folder}/in"
    made["environment"].pop("ENVIRONMENT", None)
    return making.finish(made, command[0])


def _step_options(given: Values) -> list[str]:
    """What the tasks' side has to know, as its options."""
    words = []
    for field in _PASSED_ON:
        if given.flag(field):
            value = given.one(field)
            name = f"--{field.replace('_', '-')}"
            words.append(f"{name}={value}" if value else name)
    return words


def _refused(run: Invocation, error: Refused, made: dict[str, Any]) -> Failed:
    from molokini.compat.slurm.failing import unknown_partition, words

    why = str(error)
    if words(error) == "Invalid partition name specified":
        why = f"invalid partition specified: {unknown_partition(run, made)}"
    return Failed(f"srun: error: {why}\nsrun: error: Unable to allocate resources: {words(error)}")


def _folder() -> str:
    """A new folder for the files: here, or where scratch files go if nothing can be written here."""
    name = f".srun-{os.urandom(6).hex()}"
    for place in (os.getcwd(), os.environ.get("TMPDIR") or "/tmp"):
        try:
            os.mkdir(os.path.join(place, name), 0o700)
        except OSError:
            continue
        return os.path.join(place, name)
    raise Failed("srun: error: neither the working directory nor /tmp can be written to")


def _remove(folder: str) -> None:
    for name in ("in", "in.end", "out", "err"):
        try:
            os.unlink(f"{folder}/{name}")
        except OSError:
            continue
    try:
        os.rmdir(folder)
    except OSError:
        return


def _has_input() -> bool:
    """Whether something may come on standard input that is for the tasks."""
    try:
        return not os.isatty(0) and not os.path.samestat(os.fstat(0), os.stat(os.devnull))
    except OSError:
        return False


class _Watch:
    """Shows what job *number* writes until it has ended."""

    def __init__(self, run: Invocation, number: int, folder: str, quiet: bool) -> None:
        self._run, self._number, self._folder, self._quiet = run, number, folder, quiet
        self._places = {"out": 0, "err": 0}
        self._feeder = 0

    def end(self) -> int:
        """The exit code of the job, when it has one."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._cancel)
        if os.path.exists(f"{self._folder}/in"):
            self._feeder = aside(self._feed)
        waits = False
        while True:
            asked = {"jobs": [{"id": self._number}], "timeout_s": _LOOK_S}
            answer = self._run.transport.call("JobService", "WaitJobs", asked)
            job = Job(answer["jobs"][0])
            waits = self._tell(job.state, waits)
            self._show()
            if answer.get("all_ended"):
                self._stop_feeding()
                return self._code(job)

    def _stop_feeding(self) -> None:
        if self._feeder:
            os.kill(self._feeder, signal.SIGKILL)
            os.waitpid(self._feeder, 0)

    def _tell(self, state: str, waits: bool) -> bool:
        """Say that the job waits, and that it does no more; whether it waits."""
        if state in ("WAITING", "HELD") and not waits:
            self._say(f"srun: job {self._number} queued and waiting for resources")
        elif state == "RUNNING" and waits:
            self._say(f"srun: job {self._number} has been allocated resources")
        return state in ("WAITING", "HELD")

    def _say(self, text: str) -> None:
        if not self._quiet:
            self._run.complain(text)
            sys.stderr.flush()

    def _show(self) -> None:
        """Write what has come since the last look."""
        for name, stream in (("out", sys.stdout), ("err", sys.stderr)):
            try:
                with open(f"{self._folder}/{name}", "rb") as file:
                    file.seek(self._places[name])
                    while part := file.read(1 << 20):
                        self._places[name] += len(part)
                        stream.flush()
                        stream.buffer.write(part)
                stream.flush()
            except FileNotFoundError:
                continue

    def _feed(self) -> None:
        """Copy standard input into the file that the tasks' side follows."""
        try:
            with open(f"{self._folder}/in", "ab", buffering=0) as file:
                while part := os.read(0, 65536):
                    file.write(part)
            open(f"{self._folder}/in.end", "wb").close()
        except OSError:
            # The job has ended, and its files are gone.
            return

    def _cancel(self, number: int, _: object) -> None:
        self._say(f"srun: interrupt: job {self._number} is being cancelled")
        self._run.transport.call("JobService", "CancelJobs", {"jobs": [{"id": self._number}]})
        self._show()
        self._stop_feeding()
        _remove(self._folder)
        os._exit(128 + number)

    def _code(self, job: Job) -> int:
        if job.state in ("COMPLETED", "FAILED"):
            if job.state == "FAILED" and not job.exit_code:
                self._say(f"srun: error: {job.reason or 'the job was ended by a signal'}")
                return 128 + job.signal if job.signal else 1
            return job.exit_code
        if job.state == "TIMED_OUT":
            self._say(f"srun: error: job {self._number} CANCELLED DUE TO TIME LIMIT")
        else:
            self._say(f"srun: error: job {self._number}: {job.reason or job.state.lower()}")
        return job.exit_code or 1
