"""The tasks of a step: one process each, on this node, inside the job that srun runs in."""

from __future__ import annotations

import os
import signal
import sys

from molokini.compat._types import Invocation, Values
from molokini.compat.slurm.environments import exported
from molokini.compat.slurm.resources import ResourceNumbers
from molokini.compat.slurm.streams import Streams
from molokini.compat.tool import Failed

_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SHRUGGED = (signal.SIGUSR1, signal.SIGUSR2)
"""Signals that are not forwarded: one sent to the job reaches the tasks directly."""
_NO_PROGRAM = 2


def run_step(run: Invocation, given: Values, command: list[str]) -> int:
    """Run *command* as all tasks; the largest of their exit codes."""
    return _Step(run, given, command).run()


class _Step:
    def __init__(self, run: Invocation, given: Values, command: list[str]) -> None:
        self._run, self._given, self._command = run, given, command
        self._job = run.variables["SLURM_JOB_ID"]
        asked = ResourceNumbers("srun", given)
        nodes = _number(run, "SLURM_JOB_NUM_NODES", "MOLOKINI_NODES")
        self._node = (
            run.variables.get("SLURMD_NODENAME") or run.variables.get("MOLOKINI_NODE_LIST", "").split(",")[0]
        )
        self._tasks = asked.tasks or max(1, asked.per_node) * (asked.nodes or nodes)
        self._cpus = asked.cpus
        self._check(nodes, asked.nodes)
        self._pids: dict[int, int] = {}
        """Number of each task by its process."""
        self._ended_by_us = False
        self._streams = Streams(run, given, self._tasks, self._node)

    def _check(self, nodes: int, wanted_nodes: int) -> None:
        """Failed for what the job has no room for here."""
        room = _number(self._run, "SLURM_CPUS_ON_NODE", "MOLOKINI_PROCESSORS")
        if wanted_nodes > nodes:
            raise self._no_step("More nodes requested than the job has")
        if nodes > 1 and self._tasks > 1 and wanted_nodes != 1:
            raise Failed("srun: error: tasks on other nodes are not supported: -N1 runs them all on this one")
        if self._tasks * max(1, self._cpus) > room and not self._given.flag("overcommit"):
            raise self._no_step("More processors requested than permitted")

    def _no_step(self, why: str) -> Failed:
        return Failed(f"srun: error: Unable to create step for job {self._job}: {why}")

    def run(self) -> int:
        """Start all tasks, wait for all, tell of those that have failed."""
        for number in _FORWARDED:
            signal.signal(number, self._forward)
        for number in _SHRUGGED:
            signal.signal(number, lambda *_: None)
        sys.stdout.flush()
        for rank in range(self._tasks):
            self._pids[self._start(rank)] = rank
        self._streams.started()
        largest = 0
        while self._pids:
            pid, status = self._next()
            if pid and not self._streams.is_one(pid):
                largest = max(largest, self._ended(self._pids.pop(pid), status))
        self._streams.finished()
        return largest

    def _next(self) -> tuple[int, int]:
        try:
            return os.wait()
        except InterruptedError:
            return 0, 0

    def _forward(self, number: int, _: object) -> None:
        if number == signal.SIGALRM:
            self._run.complain("srun: error: the tasks that are left are ended")
            number = signal.SIGKILL
        for pid in self._pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def _ended(self, rank: int, status: int) -> int:
        """Report a task that has failed, and end the others if the options say so; its exit code."""
        code = os.waitstatus_to_exitcode(status)
        said = ""
        if code < 0:
            said = signal.strsignal(-code) or f"signal {-code}"
            code = 128 - code
        elif code:
            said = f"Exited with exit code {code}"
        if said and not self._given.flag("quiet") and not self._ended_by_us:
            self._run.complain(f"srun: error: {self._node}: task {rank}: {said}")
            sys.stderr.flush()
        if code and self._kills() and not self._ended_by_us:
            self._ended_by_us = True
            self._forward(signal.SIGTERM, None)
        elif self._pids and self._given.one("wait").isdigit() and int(self._given.one("wait")):
            signal.signal(signal.SIGALRM, self._forward)
            signal.alarm(int(self._given.one("wait")))
        return code

    def _kills(self) -> bool:
        return self._given.flag("kill_on_bad_exit") and self._given.one("kill_on_bad_exit") != "0"

    # One task.

    def _start(self, rank: int) -> int:
        self._streams.prepare(rank)
        pid = os.fork()
        if pid:
            self._streams.handed_over(rank)
            return pid
        try:
            self._be(rank)
        except Failed as failed:
            os.write(2, f"{failed.text}\n".encode())
            os._exit(failed.code)
        except OSError as error:
            os.write(2, f"slurmstepd: error: execve(): {self._command[0]}: {error.strerror}\n".encode())
            os._exit(_NO_PROGRAM if isinstance(error, FileNotFoundError) else 13)
        finally:
            # Whatever happened: there is one srun.
            os._exit(1)

    def _be(self, rank: int) -> None:
        for number in (*_FORWARDED, *_SHRUGGED, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        self._streams.become(rank)
        if directory := self._given.one("chdir"):
            try:
                os.chdir(directory)
            except OSError as error:
                text = f"slurmstepd: error: couldn't chdir to `{directory}': {error.strerror}: going to /tmp"
                os.write(2, f"{text}\n".encode())
                os.chdir("/tmp")
        os.execvpe(self._command[0], self._command, self._environment(rank))

    def _environment(self, rank: int) -> dict[str, str]:
        variables = dict(self._run.variables)
        export = self._given.one("export")
        if export and export != "ALL":
            kept = exported(variables, export)
            ours = [name for name in variables if name.startswith(("SLURM_", "MOLOKINI_"))]
            variables = {**kept, **{name: variables[name] for name in ours}}
        tasks = str(self._tasks)
        variables |= {
            "SLURM_PROCID": str(rank),
            "SLURM_LOCALID": str(rank),
            "SLURM_NODEID": "0",
            "SLURM_NTASKS": tasks,
            "SLURM_NPROCS": tasks,
            "SLURM_STEP_ID": "0",
            "SLURM_STEPID": "0",
            "SLURM_STEP_NUM_TASKS": tasks,
            "SLURM_STEP_NUM_NODES": "1",
            "SLURM_STEP_NODELIST": self._node,
            "SLURM_STEP_TASKS_PER_NODE": tasks,
            "SLURM_TASKS_PER_NODE": tasks,
            "SLURM_GTIDS": ",".join(map(str, range(self._tasks))),
            "SLURM_TASK_PID": str(os.getpid()),
            "SLURMD_NODENAME": self._node,
        }
        if self._cpus:
            variables["SLURM_CPUS_PER_TASK"] = str(self._cpus)
        variables.setdefault("SLURM_JOB_NUM_NODES", variables.get("MOLOKINI_NODES", "1"))
        variables.setdefault("SLURM_NNODES", variables["SLURM_JOB_NUM_NODES"])
        variables.setdefault("SLURM_JOB_NODELIST", variables.get("MOLOKINI_NODE_LIST", self._node))
        return variables


def _number(run: Invocation, *names: str) -> int:
    """The first of these variables that is there, as a number; else 1."""
    for name in names:
        text = run.variables.get(name, "")
        if text.isdigit():
            return int(text)
    return 1
