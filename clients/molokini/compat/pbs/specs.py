"""What qsub asks of the server: a JobSpec from the options of a command line and of its script."""

from __future__ import annotations

import os

from molokini.compat._types import Any, Callable, Invocation, T, Values
from molokini.compat.failures import UsageError
from molokini.compat.groups import my_group
from molokini.compat.job import PBS
from molokini.compat.pbs import values
from molokini.compat.pbs.arrays import pro, torque
from molokini.compat.pbs.attributes import Attributes, attributes
from molokini.compat.pbs.paths import Places, files
from molokini.compat.pbs.remembered import Remembered
from molokini.compat.pbs.resources import ResourceRequest, pairs_of, wanted
from molokini.compat.pbs.server import here_is
from molokini.compat.pbs.times import instant_s
from molokini.compat.pbs.variables import NotSet, of_job, of_resources
from molokini.compat.submitting import here, with_interpreter


class BadOption(Exception):
    """An option that cannot be meant: one line."""


def checked(given: Values, field: str, read: Callable[[str], T], default: T) -> T:
    """What *read* makes of the last value of an option. Raises BadOption."""
    if not given.flag(field):
        return default
    text = given.one(field)
    try:
        return read(text)
    except ValueError as error:
        raise BadOption(f"illegal -{field} value {text[:60]!r}: {error}") from None


def destination(text: str, server: str) -> str:
    """The queue of ``queue[@server]``; empty for the server's own choice. Raises BadOption."""
    queue, _, named = text.partition("@")
    if not here_is(server, named):
        raise BadOption(f"cannot connect to server {named[:60]}: this one is {server}")
    return queue


class Submission:
    """One command line. Raises BadOption or BadResource."""

    def __init__(self, run: Invocation, given: Values, server: str, is_torque: bool, queue: str) -> None:
        self._run, self._given, self._server, self._torque = run, given, server, is_torque
        self._queue = queue
        self.attributes = self._attributes()
        self._pairs = pairs_of(given.all("l"))
        self._wanted = wanted(self._pairs)
        if (self._wanted.exclusive or given.flag("n")) and self._wanted.resources:
            _take_whole_nodes(run, self._wanted)

    def _attributes(self) -> Attributes:
        try:
            return attributes(self._given.all("W"))
        except ValueError as error:
            raise BadOption(f"illegal -W value: {error}") from None

    def spec(self, script: str, command: list[str], line: str) -> dict[str, Any]:
        """The specification of the job with *script*, or else with *command*."""
        given, made = self._given, self._wanted
        directory = given.one("w") or here(self._run.variables)
        array = self._array()
        spec: dict[str, Any] = {
            "name": self._name(command),
            "working_directory": self._start(made, directory),
            "environment": self._environment(directory),
            "annotations": {PBS: Remembered(self._shown(line), self._pairs, made.resources).text()},
            "resources": made.resources,
            "estimate_s": made.estimate_s,
            "queue": self._queue,
            "account": given.one("A"),
            "qos": made.qos,
            "user_priority": checked(given, "p", values.priority, 0),
            "requeue": checked(given, "r", values.rerunnable, True),
            "held": given.flag("h"),
            "first_node_alone": True,
            "group": my_group(),
            "begin_at_s": self._begin_at_s(),
            "mail_events": checked(given, "m", values.mail_events, ["fail"]),
            "mail_to": [name for name in given.one("M").split(",") if name],
            **files(given, Places(directory, self._server, bool(array), self._torque)),
            **self.attributes.spec,
        }
        if command:
            spec["argv"] = command
        else:
            spec["script"] = with_interpreter(script, checked(given, "S", values.shell, "") or _login_shell())
        if array:
            spec["array"] = array
        self._check_the_rest()
        return {name: value for name, value in spec.items() if value or name == "requeue"}

    def _name(self, command: list[str]) -> str:
        if self._given.flag("N"):
            return checked(self._given, "N", values.job_name, "")
        if command or not self._given.words or self._given.words[0] == "-":
            return "STDIN"
        return os.path.basename(self._given.words[0])[:200]

    def _start(self, made: ResourceRequest, directory: str) -> str:
        """Where it starts; empty: in the home directory."""
        named = self._given.one("d")
        if named:
            return named if named.startswith("/") else os.path.join(directory, named)
        return directory if made.here else ""

    def _array(self) -> dict[str, Any]:
        none: dict[str, Any] = {}
        if self._torque and self._given.flag("J"):
            raise UsageError("argument", "J", "The -J option can only be used in conjunction with -P")
        return checked(self._given, "J", pro, none) or checked(self._given, "t", torque, none)

    def _begin_at_s(self) -> float:
        if not self._given.flag("a"):
            return 0.0
        clock = self._run.transport.call("ClusterService", "GetClock", {})
        now_s = clock.get("now_s", 0.0)
        found = checked(self._given, "a", lambda text: instant_s(text, now_s), 0.0)
        return max(0.0, found)

    def _environment(self, directory: str) -> dict[str, str]:
        given = self._given
        try:
            found = of_job(self._run.variables, given.flag("V"), given.all("v"), directory, self._queue)
        except NotSet as error:
            raise BadOption(f"cannot send environment with the job: {error} is not set") from None
        except ValueError as error:
            raise BadOption(f"illegal -v value: {error}") from None
        return {
            **found,
            **of_resources(self._wanted, self._torque),
            "PBS_SERVER": self._server,
        }

    def _shown(self, line: str) -> dict[str, str]:
        """Attributes that no field of the server has."""
        given = self._given
        shown = {
            "Checkpoint": checked(given, "c", values.checkpoint, ""),
            "Join_Path": checked(given, "j", values.join, ""),
            "Keep_Files": checked(given, "k", values.keep, ""),
            "Shell_Path_List": checked(given, "S", values.shell, ""),
            "project": given.one("P"),
            "Submit_arguments": line,
            **self.attributes.shown,
        }
        return {name: value for name, value in shown.items() if value}

    def _check_the_rest(self) -> None:
        user = self._given.one("u").split(",")[0].partition("@")[0]
        if user and user != _own_name():
            raise BadOption(f"illegal -u value {user[:60]!r}: jobs run as their submitter")


def _take_whole_nodes(run: Invocation, made: ResourceRequest) -> None:
    """Ask for all processors of each node, so that no other job is there. Raises BadOption."""
    sizes = set()
    asked: dict[str, Any] = {"states": ["UP", "DRAINING"], "page_size": 10_000}
    for node in run.transport.call("ClusterService", "ListNodes", asked).get("nodes", ()):
        sizes.add(node["processors"])
    if len(sizes) != 1:
        raise BadOption("whole nodes can be asked for only where all nodes are up and of one size")
    [size] = sizes
    nodes = made.resources.get("nodes") or -(-made.resources["processors"] // size)
    each = made.resources.get("processors_per_node", 1)
    if each > size:
        raise BadOption(f"the job asks for {each} processors per node, but nodes have {size}")
    made.resources.update(nodes=nodes, processors_per_node=size, processors=nodes * size)
    if memory_kb := made.resources.get("memory_kb"):
        made.resources["memory_kb"] = -(-memory_kb * each // size)


def _login_shell() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_shell or "/bin/sh"
    except KeyError:
        return "/bin/sh"


def _own_name() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""
