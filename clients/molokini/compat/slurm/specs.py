"""The specification of a job, from the options of sbatch or srun."""

from __future__ import annotations

import os

from molokini.compat._types import Any, Clock, Invocation, Values
from molokini.compat.groups import my_group
from molokini.compat.job import SLURM, written
from molokini.compat.slurm import arrays, dependencies, times
from molokini.compat.slurm.environments import exported, told
from molokini.compat.slurm.failing import BAD_OPTION
from molokini.compat.slurm.patterns import batch_path
from molokini.compat.slurm.resources import ResourceNumbers
from molokini.compat.slurm.signals import number_of
from molokini.compat.submitting import here
from molokini.compat.tool import Failed

_MAIL = {"BEGIN": ["begin"], "END": ["end"], "FAIL": ["fail"], "ALL": ["begin", "end", "fail"]}
_MAIL_WORDS = frozenset(
    (
        *_MAIL,
        *("NONE", "REQUEUE", "INVALID_DEPEND", "STAGE_OUT", "TIME_LIMIT", "TIME_LIMIT_90", "TIME_LIMIT_80"),
        *("TIME_LIMIT_50", "ARRAY_TASKS"),
    )
)
_MOST_NICE = 1024


class Making:
    """Makes the specification of one job from *given*; what is wrong is Failed in the command's words."""

    def __init__(self, run: Invocation, given: Values, name: str) -> None:
        self.run, self.given = run, given
        self._asked = ResourceNumbers(run.name, given)
        self._name = given.one("job_name", name)
        self._clock: Clock | None = None
        self.cluster = run.transport.cluster
        self.noted: dict[str, Any] = {}

    def fail(self, text: str, code: int = 1) -> Failed:
        """The end of the command with *text*."""
        return Failed(f"{self.run.name}: error: {text}", code)

    def spec(self) -> dict[str, Any]:
        """Everything but what the job runs."""
        given, run = self.given, self.run
        if given.flag("clusters"):
            from molokini.compat.slurm.cluster import check_clusters

            self.cluster = check_clusters(run, given.one("clusters"))
        submitted_in = here(run.variables)
        directory = given.one("chdir", submitted_in)
        queues = self._partitions()
        made: dict[str, Any] = {
            "name": self._name,
            "working_directory": directory if directory.startswith("/") else f"{submitted_in}/{directory}",
            "queue": queues[0],
            "further_queues": queues[1:],
            "account": given.one("account"),
            "qos": given.one("qos"),
            "comment": given.one("comment"),
            "group": my_group(),
            "held": given.flag("hold"),
            "estimate_s": self._limit_s("time"),
            "least_estimate_s": self._limit_s("time_min"),
            "begin_at_s": self._instant("begin", ahead=True),
            "deadline_s": self._instant("deadline", ahead=True),
            "user_priority": self._priority(),
            "mail_to": [one for one in given.one("mail_user").split(",") if one],
            "mail_events": self._mail_events(),
        }
        if given.flag("no_requeue") or given.flag("requeue"):
            made["requeue"] = not given.flag("no_requeue")
        if given.flag("array"):
            made["array"] = self._array(given.one("array"))
        if given.one("dependency"):
            made["dependencies"] = self._dependencies(given.one("dependency"))
            made["keep_if_never_met"] = self._keeps()
        made["resources"] = self._asked.resources(run, queues)
        self._check_reservation()
        self._note()
        variables = exported(run.variables, given.one("export"))
        variables |= told(made, self.noted, self.cluster, submitted_in)
        # Signals of users go to the steps: a script that waits for them is spared.
        variables["MOLOKINI_SIGNALS"] = "rest"
        if warning := self._warning():
            variables["MOLOKINI_WARNING"] = warning
        if given.flag("open_mode") and given.one("open_mode")[:1] not in ("a", "t"):
            raise self.fail("Invalid --open-mode specification", BAD_OPTION)
        if given.one("open_mode").startswith("a"):
            variables["MOLOKINI_OPEN_MODE"] = "append"
        made["environment"] = variables
        empty: tuple[Any, ...] = ("", 0, 0.0, [], False, None)
        return {name: value for name, value in made.items() if name == "requeue" or value not in empty}

    def files(self, made: dict[str, Any], default: str) -> None:
        """Put the paths of the three files into the specification *made*."""
        given, array = self.given, "array" in made
        made["stdout_path"] = batch_path(given.one("output") or default, array)
        for option, field in (("error", "stderr_path"), ("input", "stdin_path")):
            if path := given.one(option):
                made[field] = batch_path(path, array)

    def finish(self, made: dict[str, Any], command: str) -> dict[str, Any]:
        """The specification with its details noted: a batch script runs on the first node."""
        made["first_node_alone"] = True
        self.noted["command"] = command
        made["annotations"] = {SLURM: written(self.noted)}
        return made

    # One value each.

    def _partitions(self) -> list[str]:
        """Each partition once, in the order in which they are named; without one, as if it were empty."""
        words = (one.strip() for one in self.given.one("partition").split(","))
        return [*dict.fromkeys(one for one in words if one)] or [""]

    def _limit_s(self, option: str) -> float:
        if not self.given.flag(option):
            return 0.0
        try:
            return times.whole_minutes(times.limit_s(self.given.one(option)))
        except ValueError:
            raise self.fail(f"Invalid --{option.replace('_', '-')} specification", BAD_OPTION) from None

    def _instant(self, option: str, ahead: bool) -> float:
        text = self.given.one(option)
        if not text:
            return 0.0
        from molokini.compat.slurm.cluster import Clock

        self._clock = self._clock or Clock(self.run)
        try:
            found = self._clock.instant(text, ahead)
        except ValueError:
            self.run.complain(f"Invalid time specification (pos={times.mistaken_at(text)}): {text[:60]}")
            raise self.fail(f"Invalid --{option} specification", BAD_OPTION) from None
        if option == "deadline" and found < self._clock.now_s:
            why = "Requested time limit is invalid (missing or exceeds some limit)"
            raise self.fail(f"Batch job submission failed: {why}")
        return found

    def _priority(self) -> int:
        if not self.given.flag("nice"):
            return 0
        text = self.given.one("nice") or "100"
        digits = text[1:] if text[:1] in "+-" else text
        if not digits.isdigit() or not digits.isascii():
            raise self.fail(f'Invalid --nice specification "{text[:60]}"')
        nice = int(text)
        if not -_MOST_NICE < nice <= _MOST_NICE:
            raise self.fail(f"--nice {nice}: must be from {1 - _MOST_NICE} to {_MOST_NICE}")
        return -nice

    def _mail_events(self) -> list[str]:
        found: list[str] = []
        for word in self.given.one("mail_type").split(","):
            name = word.strip().upper()
            if name and name not in _MAIL_WORDS:
                raise self.fail("Invalid --mail-type specification", BAD_OPTION)
            for event in _MAIL.get(name, [name.lower()] if name not in ("", "NONE") else []):
                if event not in found:
                    found.append(event)
        return found

    def _array(self, text: str) -> dict[str, Any]:
        try:
            return {**arrays.asked(text), "own_numbers": True}
        except ValueError as error:
            why = f"--array {text[:60]}: {error}\n{self.run.name}: error: "
            raise self.fail(why + "Batch job submission failed: Invalid job array specification") from None

    def _dependencies(self, text: str) -> list[dict[str, Any]]:
        try:
            return dependencies.asked(text)
        except ValueError as error:
            why = f"--dependency: {error}\n{self.run.name}: error: "
            raise self.fail(why + "Batch job submission failed: Job dependency problem") from None

    def _keeps(self) -> bool:
        """Whether it goes on waiting where a dependency can never be met: unless it says that it does not."""
        text = self.given.one("kill_on_invalid_dep").lower()
        if text not in ("", "yes", "no"):
            raise self.fail("Invalid --kill-on-invalid-dep specification", BAD_OPTION)
        return text != "yes"

    def _check_reservation(self) -> None:
        name = self.given.one("reservation")
        if not name:
            return
        found = self.run.transport.call("ClusterService", "ListReservations", {}).get("reservations", [])
        if name not in [one["name"] for one in found]:
            text = f"--reservation {name}: there is none of this name\n{self.run.name}: error: "
            raise self.fail(f"{text}Batch job submission failed: Requested reservation is invalid")

    def _warning(self) -> str:
        """``12@90:rest`` for the node: which signal, how long before the limit, to whom."""
        text = self.given.one("signal")
        if not text:
            return ""
        options, colon, rest = text.rpartition(":")
        name, at, seconds = rest.partition("@")
        number = number_of(name)
        options = options.upper()
        if not number or (at and not seconds.isdigit()) or (colon and options not in ("B", "R", "BR", "RB")):
            raise self.fail("Invalid --signal specification", BAD_OPTION)
        if int(seconds or 60) > 65535:
            raise self.fail(f"--signal {text[:60]}: at most 65535 seconds before the limit")
        return f"{number}@{int(seconds or 60)}:{'first' if 'B' in options else 'rest'}"

    def _note(self) -> None:
        """What no field of a job holds, and what it learns of itself."""
        from molokini.compat.slurm import sizes

        given, asked, noted = self.given, self._asked, self.noted
        wants_tasks = any(given.flag(one) for one in ("ntasks", "ntasks_per_node", "ntasks_per_gpu"))
        tasks = asked.tasks or (asked.per_node * max(1, asked.nodes) if asked.per_node else 0)
        noted["ntasks"] = tasks if wants_tasks else 0
        noted["cpus_per_task"] = asked.cpus
        noted["ntasks_per_node"] = asked.per_node
        for name in ("wckey", "reservation", "gpus", "gpus_per_node", "gres", "nodes", "signal"):
            noted[name] = given.one(name)
        noted["host"], noted["session"] = os.uname().nodename, os.getsid(0)
        noted["dependency"] = given.one("dependency")
        noted["exclusive"] = given.flag("exclusive")
        for name in ("mem", "mem_per_cpu"):
            if given.one(name):
                noted[name] = given.one(name)
                noted[f"{name}_mb"] = -(-sizes.kilobytes(given.one(name)) // 1024)
        noted["line"] = " ".join([self.run.name, *self.run.line])[:4096]


def name_of(path: str) -> str:
    """The name of a job whose script is the file *path*."""
    return os.path.basename(path)
