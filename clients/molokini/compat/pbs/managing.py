"""The commands of qmgr: what they mean, and how they are carried out."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Invocation, Iterator, Queue
from molokini.compat.failures import Refused
from molokini.compat.pbs.failing import NOT_SUPPORTED, TEXTS, UNKNOWN_QUEUE, number_of
from molokini.compat.pbs.nodes import attributes as node_attributes
from molokini.compat.pbs.nodes import jobs_by_node, nodes
from molokini.compat.pbs.printing import flat, lines
from molokini.compat.pbs.qstat_server import server_attributes
from molokini.compat.pbs.queues import Counts, added, all_queues, counts, queue_attributes, settings
from molokini.compat.pbs.server import server_name
from molokini.compat.pbs.sizes import kilobytes
from molokini.compat.pbs.times import duration_s

_VERBS = ("list", "print", "set", "create", "delete", "unset", "active")
_KINDS = ("server", "queue", "node")
_FAILED, _WRONG = 1, 2


class ManagerError(Exception):
    """A command that was not carried out: what to print, and the exit code."""

    def __init__(self, text: str, code: int = _FAILED) -> None:
        super().__init__(text)
        self.code = code


class Change:
    """``attribute = value``; *operator* is ``=``, ``+=`` or ``-=``, and empty where there is no value."""

    def __init__(self, name: str, operator: str, value: str) -> None:
        self.name, self.operator, self.value = name, operator, value


class Manager:
    """Carries out one command after the other; with *only_looks* none."""

    def __init__(self, run: Invocation, only_looks: bool) -> None:
        self._run, self._only_looks = run, only_looks

    def done(self, text: str) -> list[str]:
        """The lines that the command *text* prints. Raises ManagerError."""
        verb, kind, names, changes = parsed(text)
        if self._only_looks or verb == "active":
            return []
        try:
            return list(self._carried_out(verb, kind, names, changes))
        except Refused as error:
            raise self._error(number_of(error), ",".join(names), str(error)) from None

    def _carried_out(self, verb: str, kind: str, names: list[str], changes: list[Change]) -> Iterator[str]:
        if verb == "list":
            yield from self._list(kind, names, {change.name for change in changes})
        elif verb == "print":
            yield from self._print(kind, names)
        elif kind == "server":
            raise self._error(NOT_SUPPORTED, "", "the server's attributes are those of its configuration")
        elif kind == "queue":
            for name in names:
                self._change_queue(verb, name, changes)
        else:
            for name in names:
                self._change_node(verb, name, changes)

    def _error(self, number: int, name: str, why: str = "") -> ManagerError:
        text = TEXTS.get(number, "").rstrip() + (f": {why}" if why else "")
        return ManagerError(
            f"qmgr obj={name} svr=default: {text}\nqmgr: Error ({number}) returned from server"
        )

    # Showing.

    def _list(self, kind: str, names: list[str], only: set[str]) -> Iterator[str]:
        for name, made in self._attributes(kind, names):
            shown = {key: value for key, value in made.items() if not only or key in only}
            yield f"{kind.capitalize()} {name}"
            yield from lines(shown, wraps=False)
            yield ""

    def _attributes(self, kind: str, names: list[str]) -> list[tuple[str, dict[str, Any]]]:
        run = self._run
        if kind == "server":
            cluster = run.transport.call("ClusterService", "GetCluster", {})
            return [(cluster["name"], server_attributes(run, cluster, added(counts(run).values())))]
        if kind == "queue":
            counted = counts(run)
            found = self._queues(names)
            return [(one["name"], queue_attributes(one, counted.get(one["name"], Counts()))) for one in found]
        running = jobs_by_node(run, server_name(run))
        wanted = [] if not names or names == ["@default"] else names
        return [
            (one["name"], node_attributes(one, running.get(one["name"], []), torque=False))
            for one in nodes(run, wanted)
        ]

    def _queues(self, names: list[str]) -> list[Queue]:
        known = {one["name"]: one for one in all_queues(self._run)}
        if not names or names == ["@default"]:
            return list(known.values())
        for name in names:
            if name not in known:
                raise self._error(UNKNOWN_QUEUE, name)
        return [known[name] for name in names]

    def _print(self, kind: str, names: list[str]) -> Iterator[str]:
        """The qmgr commands that would create these objects."""
        if kind == "node":
            yield from _headed("Create nodes and set their properties.")
            for name, made in self._attributes(kind, names):
                yield from _headed(f"Create and define node {name}")
                yield f"create node {name} Mom={name}"
                yield f"set node {name} state = {made['state'].partition(',')[0]}"
            return
        queues = self._queues(names if kind == "queue" else [])
        yield from _headed("Create queues and set their attributes.")
        for queue in queues:
            yield from _printed(queue)
        if kind == "server":
            yield from _headed("Set server attributes.")
            yield "set server scheduling = True"
            yield f"set server default_queue = {queues[0]['name']}"

    # Changing.

    def _change_queue(self, verb: str, name: str, changes: list[Change]) -> None:
        known = {one["name"]: one for one in all_queues(self._run)}
        if verb == "create":
            if name in known:
                raise self._error(15025, name, "the queue exists")
            queue: Queue = {"name": name}
        elif name not in known:
            raise self._error(UNKNOWN_QUEUE, name)
        else:
            queue = {key: value for key, value in known[name].items() if not key.startswith("jobs_")}
        if verb == "delete":
            self._run.transport.call("ClusterService", "SetQueue", {"queue": {"name": name}, "remove": True})
            return
        for change in changes:
            if verb == "unset":
                queue.pop(_field_of(change)[0], None)
            else:
                _note(queue, change)
        self._run.transport.call("ClusterService", "SetQueue", {"queue": queue})

    def _change_node(self, verb: str, name: str, changes: list[Change]) -> None:
        if verb in ("create", "delete"):
            raise self._error(NOT_SUPPORTED, name, "nodes come and go with their agents")
        found = {change.name: change for change in changes}
        states = {"offline": "DRAINING", "free": "UP", "down": "DOWN"}
        change = found.get("state")
        if found.keys() - {"state", "comment"} or change is None or change.value not in states:
            raise self._error(
                NOT_SUPPORTED,
                name,
                "of a node state = offline, free or down can be set, and a comment with it",
            )
        state = "UP" if verb == "unset" or change.operator == "-=" else states[change.value]
        reason = found["comment"].value if "comment" in found else ""
        asked = {"names": [name], "state": state, "reason": reason}
        self._run.transport.call("ClusterService", "ChangeNodes", asked)


def _headed(text: str) -> Iterator[str]:
    yield from ("#", f"# {text}", "#")


def _printed(queue: Queue) -> Iterator[str]:
    name = queue["name"]
    yield from _headed(f"Create and define queue {name}")
    yield f"create queue {name}"
    yield f"set queue {name} queue_type = Execution"
    if queue.get("priority"):
        yield f"set queue {name} Priority = {queue['priority']}"
    for key, value in flat(settings(queue)):
        yield f"set queue {name} {key} = {value}"


def parsed(text: str) -> tuple[str, str, list[str], list[Change]]:
    """Verb, kind of object, names, and attributes of the command *text*. Raises ManagerError."""
    verb, _, rest = text.partition(" ")
    kind, _, rest = rest.strip().partition(" ")
    found = [_one_of(verb, _VERBS, "directive"), _one_of(kind, _KINDS, "object")]
    rest = rest.strip()
    names: list[str] = []
    first, _, behind = rest.partition(" ")
    if first and not _begins_an_attribute(rest) and (found[1] != "server" or first == "@default"):
        names, rest = first.split(","), behind
    if found[0] in ("set", "create", "delete", "unset") and found[1] != "server" and not names:
        raise ManagerError(f"qmgr: Syntax error: expected a name in {text[:60]!r}", _WRONG)
    return found[0], found[1], names, _changes(rest)


def _one_of(word: str, known: tuple[str, ...], what: str) -> str:
    """The word that *word* begins."""
    fit = [one for one in known if word and one.startswith(word.lower().removesuffix("s") or "s")]
    if not fit:
        raise ManagerError(f"qmgr: Illegal {what}: {word[:40]!r}; {', '.join(known)} are known", _WRONG)
    return fit[0]


def _begins_an_attribute(text: str) -> bool:
    """Whether the first word of *text* is followed by an equals sign."""
    word = text.split("=", 1)[0]
    return "=" in text and len(word.split()) <= 1


def _changes(text: str) -> list[Change]:
    """``a = 1, b += x``; commas in values in quotes stay."""
    from molokini.compat.pbs.listed import parts_of

    found: list[Change] = []
    try:
        parts = parts_of(text) if text.strip() else []
    except ValueError as error:
        raise ManagerError(f"qmgr: Syntax error: {error}", _WRONG) from None
    for part in parts:
        name, equals, value = part.partition("=")
        if not equals and found and found[-1].operator:
            found[-1].value += f",{part.strip()}"
            continue
        operator = f"{name.rstrip()[-1:]}=" if name.rstrip()[-1:] in ("+", "-") else equals
        found.append(Change(name.rstrip().rstrip("+-").strip(), operator, value.strip()))
    return found


_FLAGS = ("enabled", "started")
_NUMBERS = {
    "Priority": "priority",
    "max_queuable": "max_jobs",
    "max_queued": "max_jobs",
    "max_user_run": "max_running_per_user",
    "max_user_queuable": "max_jobs_per_user",
    "resources_max.ncpus": "max_processors",
    "resources_default.ncpus": "default_processors",
}
_TIMES = {"resources_max.walltime": "max_estimate_s", "resources_default.walltime": "default_estimate_s"}
_SIZES = {"resources_default.mem": "default_memory_kb"}
_LISTS = {"acl_users": "users"}
_FIXED = {"queue_type": ("execution", "e", "exec"), "acl_user_enable": ("true", "t", "1", "y")}


def _field_of(change: Change) -> tuple[str, str]:
    """The field of a queue that the attribute is, and how its value is read. Raises ManagerError."""
    if change.name in _FLAGS:
        return change.name, "flag"
    for table, how in ((_NUMBERS, "number"), (_TIMES, "time"), (_SIZES, "size"), (_LISTS, "list")):
        if change.name in table:
            return table[change.name], how
    known = sorted([*_FLAGS, *_NUMBERS, *_TIMES, *_SIZES, *_LISTS])
    raise ManagerError(
        f"qmgr: Undefined attribute {change.name[:60]!r}: of a queue there are {', '.join(known)}"
    )


def _note(queue: Queue, change: Change) -> None:
    """Make the change in *queue*. Raises ManagerError."""
    if change.name in _FIXED:
        if change.value.lower() not in _FIXED[change.name]:
            raise ManagerError(f"qmgr: {change.name} = {change.value[:40]} is not supported")
        return
    field, how = _field_of(change)
    try:
        value = _READ[how](change.value)
    except ValueError:
        raise ManagerError(
            f"qmgr: Illegal attribute or resource value: {change.name} = {change.value[:60]}"
        ) from None
    if how == "list" and change.operator in ("+=", "-="):
        before = queue.get(field, [])
        value = (
            [*before, *value] if change.operator == "+=" else [name for name in before if name not in value]
        )
    queue[field] = value


def _flag(text: str) -> bool:
    if text.lower() not in ("true", "t", "1", "y", "false", "f", "0", "n"):
        raise ValueError
    return text.lower() in ("true", "t", "1", "y")


_READ: dict[str, Callable[[str], Any]] = {
    "flag": _flag,
    "number": int,
    "time": duration_s,
    "size": kilobytes,
    "list": lambda text: [name for name in text.split(",") if name],
}
