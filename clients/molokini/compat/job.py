"""One job as the server answers it: each part that a batch system shows, with its type and what unset means.

A listing asks for the parts that it shows, so that any may be missing. Instants are seconds of the scheduling
clock, None where there is none; memory is in kilobytes.
"""

from __future__ import annotations

from molokini.compat._types import Any, Found, JobRef, Sequence, T

_ENDED = frozenset({"COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED", "NODE_LOST", "REFUSED"})
GROUP, PBS, SLURM = "molokini.lsf.group", "molokini.pbs", "molokini.slurm"
"""Annotations: the job group of LSF, and what PBS and Slurm know of a job and no field holds, as JSON."""
_FORMERLY = {GROUP: "MOLOKINI_LSF_GROUP", PBS: "MOLOKINI_PBS", SLURM: "MOLOKINI_SLURM"}
"""The variables in which jobs of earlier releases have them."""


ANSWERED: list[str] = []
"""The parts of the answer that ``Job`` has beside state and specification, by their names there."""


def _answered(name: str, unset: T) -> T:
    ANSWERED.append(name)
    return property(lambda job: job.answer.get(name, unset))  # type: ignore[return-value]


def _asked(name: str, unset: T) -> T:
    return property(lambda job: job.spec.get(name, unset))  # type: ignore[return-value]


def _needed(name: str, unset: T) -> T:
    return property(lambda job: job.resources.get(name, unset))  # type: ignore[return-value]


class Job:
    """A job, an element of an array, or what the elements of an array have in common."""

    __slots__ = ("answer", "id", "index", "spec", "state")

    def __init__(self, answer: Found) -> None:
        self.answer: Found = answer
        self.spec: Found = answer.get("spec", {})
        # What every listing looks at, more than once.
        self.id: int = answer.get("id", 0)
        self.index: int | None = answer.get("array_index")
        self.state: str = answer.get("state", "")

    # Whose it is, and where it stands.

    user: str = _answered("user", "")
    cause: str = _answered("cause", "")
    """``Job.Cause`` by its name; empty: none."""
    ended_by: str = _answered("ended_by", "")
    """The user who cancelled it; empty: none."""
    reason: str = _answered("reason", "")
    waiting: dict[str, Any] = _answered("waiting", {})
    promise: dict[str, Any] = _answered("promise", {})
    holds: Sequence[str] = _answered("holds", ())
    elements: dict[str, int] | None = _answered("elements", None)
    """How many elements are in which state; None of anything but an array as a whole."""
    attempt: int = _answered("attempt", 0)
    element_number: int = _answered("element_number", 0)
    """Of an element, its own number among those of jobs; 0: it has none."""

    # When.

    submitted_s: float = _answered("submitted_s", 0.0)
    eligible_s: float | None = _answered("eligible_s", None)
    first_start_s: float | None = _answered("first_start_s", None)
    start_s: float | None = _answered("start_s", None)
    end_s: float | None = _answered("end_s", None)
    reserved_s: float | None = _answered("reserved_s", None)
    expected_end_s: float | None = _answered("expected_end_s", None)
    priority: float | None = _answered("priority", None)
    """The number by which the policy ranks it; None: it has none."""
    chosen_queue: str = _answered("chosen_queue", "")
    """Of a job of several queues the one in which it was started; empty: it has not been, or is of one."""
    start_limit_s: float = _answered("limit_s", 0.0)
    """The limit that its start gave it, where that is another than it asked for; 0: it is not."""

    # What it has used.

    exit_code: int = _answered("exit_code", 0)
    signal: int = _answered("signal", 0)
    elapsed_s: float = _answered("elapsed_s", 0.0)
    """From the start of its present or last attempt to its end, or to now."""
    suspended_s: float = _answered("suspended_s", 0.0)
    """How long of that it was suspended."""
    work_s: float = _answered("work_s", 0.0)
    cpu_s: float = _answered("cpu_s", 0.0)
    memory_used_kb: int = _answered("memory_used_kb", 0)
    read_kb: int = _answered("read_kb", 0)
    written_kb: int = _answered("written_kb", 0)

    # What was asked for.

    name: str = _asked("name", "")
    queue: str = _asked("queue", "")
    further_queues: Sequence[str] = _asked("further_queues", ())
    """The others in which it may be started, where the policy chooses one."""
    account: str = _asked("account", "")
    group: str = _asked("group", "")
    qos: str = _asked("qos", "")
    comment: str = _asked("comment", "")
    argv: Sequence[str] = _asked("argv", ())
    script: str = _asked("script", "")
    variables: dict[str, str] = _asked("environment", {})
    working_directory: str = _asked("working_directory", "")
    asked_limit_s: float = _asked("estimate_s", 0.0)
    least_limit_s: float = _asked("least_estimate_s", 0.0)
    """The shortest limit with which it may be started; 0: none below the one that it asks for."""
    user_priority: int = _asked("user_priority", 0)
    system_priority: int = _asked("system_priority", 0)
    begin_at_s: float = _asked("begin_at_s", 0.0)
    deadline_s: float = _asked("deadline_s", 0.0)
    dependencies: Sequence[dict[str, Any]] = _asked("dependencies", ())
    array: dict[str, Any] | None = _asked("array", None)
    may_run_again: bool = _asked("requeue", True)
    mail_events: Sequence[str] = _asked("mail_events", ())
    mail_to: Sequence[str] = _asked("mail_to", ())

    resources: dict[str, Any] = _asked("resources", {})
    node_count: int = _needed("nodes", 0)
    per_node: int = _needed("processors_per_node", 0)
    memory_kb: int = _needed("memory_kb", 0)
    """For a processor; 0: not counted."""
    generic: dict[str, int] = _needed("generic", {})
    licenses: dict[str, int] = _needed("licenses", {})
    features: Sequence[str] = _needed("features", ())
    constraint: str = _needed("constraint", "")
    """Features as one expression."""

    # What follows.

    @property
    def processors(self) -> int:
        """So many were asked for, in all: of a job that counts nodes, those of all its nodes."""
        return self.node_count * self.per_node or int(self.resources.get("processors", 1))

    @property
    def queues(self) -> Sequence[str]:
        """The queue in which it was started; before that all in which it may be."""
        return (self.chosen_queue,) if self.chosen_queue else (self.queue, *self.further_queues)

    @property
    def limit_s(self) -> float:
        """The limit of its present or last attempt, or of the next one."""
        return self.start_limit_s or self.asked_limit_s

    @property
    def ref(self) -> JobRef:
        """Its name in calls."""
        return {"id": self.id} if self.index is None else {"id": self.id, "array_index": self.index}

    @property
    def number(self) -> str:
        """``7``, or ``7[3]`` for an element."""
        return str(self.id) if self.index is None else f"{self.id}[{self.index}]"

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.state in _ENDED

    @property
    def is_array(self) -> bool:
        """Whether it is an array as a whole."""
        return self.index is None and self.elements is not None

    @property
    def indices(self) -> Sequence[int]:
        """Those of its array; none where it is no array."""
        from molokini.compat.indices import indices_of

        return range(0) if self.array is None else indices_of(self.array)

    @property
    def out_of_memory(self) -> bool:
        """Whether it was ended because it used more memory than it may."""
        return self.cause == "OUT_OF_MEMORY"

    @property
    def allocation(self) -> Sequence[dict[str, Any]]:
        """The nodes that it has, or had last, and processors on each, as the server answers them."""
        found: Sequence[dict[str, Any]] = self.answer.get("allocation", ())
        return found

    @property
    def nodes(self) -> list[tuple[str, int]]:
        """Name and processors of each node that it has, or had last."""
        return [(one["node"], one.get("processors", 0)) for one in self.allocation]

    @property
    def slots(self) -> int:
        """Processors that it has, or asks for."""
        return sum(count for _, count in self.nodes) or self.processors

    @property
    def memory_limit_kb(self) -> int:
        """Memory of all its processors; 0: no limit."""
        return self.memory_kb * self.processors

    @property
    def gpus(self) -> int:
        """GPUs of all its tasks, each a node or, where nodes do not matter, a processor."""
        return self.generic.get("gpu", 0) * (self.node_count or self.processors)

    def waited_s(self, now_s: float) -> float:
        """Seconds from its submission to its first start, its end, or now."""
        until_s = self.first_start_s if self.first_start_s is not None else self.end_s
        return max(0.0, (now_s if until_s is None else until_s) - self.submitted_s)

    @property
    def patterns(self) -> dict[str, str]:
        """What stands for the letters in its paths, as far as that is known."""
        known = {"j": str(self.id), "u": self.user, "x": self.name.replace("/", "_"), "%": "%"}
        if self.index is not None:
            known["a"] = str(self.index)
        if self.index is None or self.element_number:
            known["i"] = str(self.element_number or self.id)
        if self.nodes:
            known["N"] = self.nodes[0][0]
        return known

    def annotation(self, name: str) -> str:
        """What was kept with it under *name*; empty where it may not be read, too."""
        return self.spec.get("annotations", {}).get(name) or self.variables.get(_FORMERLY[name], "")

    def details(self, name: str) -> dict[str, Any]:
        """The same where it is JSON."""
        import json

        try:
            found = json.loads(self.annotation(name) or "{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


def filled(path: str, known: dict[str, str]) -> str:
    """*path* with those patterns replaced that are *known*; digits before the letter are a number's least."""
    made, k = "", 0
    while k < len(path):
        end = k + 1
        while path[k] == "%" and path[end : end + 1].isdigit():
            end += 1
        letter = path[end : end + 1]
        if path[k] == "%" and letter in known:
            width = int(path[k + 1 : end] or 0)
            made += known[letter].zfill(width) if known[letter].isdigit() else known[letter]
            k = end + 1
        else:
            made += path[k]
            k += 1
    return made


def fields_of(annotation: str) -> tuple[str, str]:
    """What a listing asks for that shows what *annotation* holds."""
    return "spec.annotations", f"spec.environment.{_FORMERLY[annotation]}"


def written(details: dict[str, Any]) -> str:
    """*details* as the text of an annotation, without what is empty."""
    import json

    kept = {name: value for name, value in details.items() if value not in ("", None, 0)}
    return json.dumps(kept, separators=(",", ":"))
