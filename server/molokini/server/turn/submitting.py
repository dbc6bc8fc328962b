"""Submitting jobs: defaults, limits, and every reason for which a job is refused at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from molokini.model.codec import text_of
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.facts import Rank
from molokini.model.happened import JobsSubmitted, Spec, WrittenSpec
from molokini.server.state.clusters import check_fits, with_processors
from molokini.server.state.dependencies import IN_WORDS
from molokini.server.state.queues import Queue
from molokini.server.state.state import State
from molokini.server.turn.accounts import account_for
from molokini.server.turn.asked import AskedSpec, Basis
from molokini.server.turn.command import Again, Command, Draft
from molokini.server.turn.communicating import with_messages
from molokini.server.turn.counts import Places
from molokini.server.turn.dividing import with_load


@dataclass(frozen=True, slots=True)
class Limits:
    """What a single submission may hold, and what it is given where it does not say."""

    script_bytes: int = 2**20
    environment_bytes: int = 2**18
    environment_variables: int = 1000
    array_elements: int = 1_000_000
    dependencies: int = 1000
    text_characters: int = 255
    jobs_per_user: int = 1_000_000
    most_estimate_s: float = 100 * 365.25 * 86400
    costs: tuple[float | None, ...] = (None, None, 0.0, 0.0)
    """What a unit of a divisible load costs where its job does not say, as ``loads.COSTS``; None: it must."""
    message_inside_s: float | None = None
    """How long a message takes inside a cluster where a communicating job does not say; None: it must say."""
    message_between_s: float | None = None
    """The same between two clusters."""


class Submit(Command):
    """Accept one or several jobs of one user; the answer is a list of ids, or of the error of each."""

    rank = Rank.ARRIVAL

    def __init__(self, user: str, specs: Sequence[Spec], limits: Limits, operator: bool = False) -> None:
        super().__init__()
        self.user, self.specs, self.limits, self.operator = user, specs, limits, operator
        self.repeated: list[bool] = []
        """Of each job: whether its submission key was known already."""

    def check(self, state: State, draft: Draft) -> list[int | BadInput]:
        if draft.other_policy:
            raise Again
        answers: list[int | BadInput] = []
        self.repeated = []
        accepted: list[WrittenSpec] = []
        first = draft.next_id
        places = Places(state, draft, self.user, self.limits.jobs_per_user)
        for spec in self.specs:
            try:
                known = self._known(state, draft, spec)
                repeated = known is not None
                if known is None:
                    queue = _queue(state, spec)
                    places.ask(queue)
                    full = self._full(state, draft, spec, queue)
                    known = first + len(accepted)
                    accepted.append(full)
                    places.take()
                    if full.get("submission_key"):
                        draft.keys[self.user, full["submission_key"]] = known
                answers.append(known)
                self.repeated.append(repeated)
            except BadInput as error:
                answers.append(error)
                self.repeated.append(False)
        places.settle()
        if accepted:
            draft.facts.append(JobsSubmitted(first, self.user, tuple(accepted)))
            draft.next_id = first + len(accepted)
        return answers

    def _known(self, state: State, draft: Draft, spec: Spec) -> int | None:
        """The id that this submission key has been given before."""
        key = spec.get("submission_key")
        if not key:
            return None
        return state.keys.get((self.user, key), draft.keys.get((self.user, key)))

    def _full(self, state: State, draft: Draft, spec: Spec, queue: Queue) -> WrittenSpec:
        """*spec* with its defaults, checked, unless just the same was asked for and accepted before."""
        if "divisible" in spec:
            # What its deadline means is another thing each time, and whether it is admitted, the pass says.
            self.after_pass = True
            spec = self._paid(state, spec, queue)
            return self._checked(state, with_load(spec, queue, state, draft.now, self.limits.costs), queue)
        if state.ledger.rules is not None:
            # Whose account it is depends on who asks: nothing that others have asked is of use.
            return self._checked(state, self._paid(state, spec, queue), queue)
        if not isinstance(spec, AskedSpec):
            return self._checked(state, spec, queue)
        basis = Basis(state.rows.edition, queue, self.limits, self.operator, state.policy)
        if spec.accepted is None or spec.basis is None or not basis.same(spec.basis):
            full = self._checked(state, spec, queue)
            if "dependencies" in spec:
                # Whether they can be met is another question each time.
                return full
            spec.accepted, spec.basis = full, basis
        return spec.accepted

    def _paid(self, state: State, spec: Spec, queue: Queue) -> Spec:
        """*spec* with the account that pays for it, if there is one."""
        account = account_for(state.ledger, self.user, spec, queue.name)
        return {**spec, "account": account} if account else spec

    def _checked(self, state: State, spec: Spec, queue: Queue) -> WrittenSpec:
        full = with_defaults(spec, queue, state.default_limit_s(queue.name))
        if "communication" in full:
            full = with_messages(full, self.limits.message_inside_s, self.limits.message_between_s)
        check_texts(full, self.limits)
        check_numbers(full, self.limits)
        if full.get("user_priority", 0) > 0 and not self.operator:
            raise BadValue("user_priority", full["user_priority"], "at most 0 unless by an operator")
        check_array(full, self.limits)
        _check_dependencies(state, self.user, full, self.limits)
        check_possible(state, full, queue)
        check_counted(state, full, queue)
        return WrittenSpec(full, text_of(full))


def _queue(state: State, spec: Spec) -> Queue:
    name = spec.get("queue") or next(iter(state.queues))
    if name not in state.queues:
        raise UnknownName("queue", name, state.queues)
    return state.queues[name]


def with_defaults(spec: Spec, queue: Queue, limit_s: float = 0.0) -> Spec:
    """*spec* with what the queue gives to jobs that do not say.

    *limit_s* is the estimate that the policy's configuration gives them, before the queue's own; 0: none.
    """
    resources = with_processors(spec.get("resources", {}))
    if not ("processors" in resources or "nodes" in resources or "processors_per_node" in resources):
        resources = {**resources, "processors": queue.default_processors}
    if queue.default_memory_kb and not resources.get("memory_kb") and "divisible" not in spec:
        resources = {**resources, "memory_kb": queue.default_memory_kb}
    full = {**spec, "queue": queue.name, "resources": resources}
    if not full.get("estimate_s"):
        given_s = limit_s or queue.default_estimate_s
        full["estimate_s"] = min(given_s, queue.max_estimate_s or given_s)
    return full


_SHORT = frozenset({"name", "queue", "account", "group", "qos", "notify"})
_LONG = frozenset({"stdin_path", "stdout_path", "stderr_path", "working_directory", "comment"})
_MOST_CHARACTERS = 4096


def check_texts(spec: Spec, limits: Limits) -> None:
    """BadValue where a text is too long or holds control characters."""
    for field, value in spec.items():
        if field in _SHORT or field in _LONG:
            most = limits.text_characters if field in _SHORT else _MOST_CHARACTERS
            if len(value) > most or not printable(value):
                raise BadValue(field, _short(value), f"at most {most} characters, no control characters")
        elif field in _CHECKS:
            _CHECKS[field](value, limits)
    if "argv" in spec and "script" in spec:
        raise BadValue("script", "(with argv)", "either a script or argv, not both")


def _check_key(key: str, limits: Limits) -> None:
    if len(key) > 128 or not printable(key):
        raise BadValue("submission_key", _short(key), "at most 128 printable characters")


def _check_script(script: str, limits: Limits) -> None:
    if len(script) > limits.script_bytes or len(script.encode()) > limits.script_bytes:
        raise BadValue("script", "(too long)", f"at most {limits.script_bytes:,} bytes")
    if "\0" in script:
        raise BadValue("script", "(with a NUL)", "without NUL characters")


def _check_argv(argv: list[str], limits: Limits) -> None:
    for part in argv:
        if "\0" in part:
            raise BadValue("argv", "(with a NUL)", "without NUL characters")


def _check_environment(environment: dict[str, str], limits: Limits) -> None:
    if len(environment) > limits.environment_variables:
        raise BadValue("environment", len(environment), f"at most {limits.environment_variables:,} variables")
    size = 0
    for name, value in environment.items():
        size += len(name.encode()) + len(value.encode()) + 2
        if not name or "=" in name or not printable(name) or "\0" in value:
            raise BadValue("environment", _short(name), "names without =, values without NUL")
    if size > limits.environment_bytes:
        raise BadValue("environment", f"{size:,} bytes", f"at most {limits.environment_bytes:,} bytes")


def _check_mail(field: str) -> Callable[[list[str], Limits], None]:
    def check(texts: list[str], limits: Limits) -> None:
        if len(texts) > _MOST_MAIL:
            raise BadValue(field, len(texts), f"at most {_MOST_MAIL}")
        for text in texts:
            if len(text) > limits.text_characters or not printable(text):
                allowed = f"at most {limits.text_characters} characters, no control characters"
                raise BadValue(field, _short(text), allowed)

    return check


_MOST_MAIL = 100
"""Addresses, and events, of one job."""
_CHECKS: dict[str, Callable[[Any, Limits], None]] = {
    "mail_to": _check_mail("mail_to"),
    "mail_events": _check_mail("mail_events"),
    "submission_key": _check_key,
    "script": _check_script,
    "argv": _check_argv,
    "environment": _check_environment,
}


def printable(text: str) -> bool:
    """Whether *text* holds no control character and no mark that turns the direction of writing."""
    return text.isprintable() and (text.isascii() or _TURNING.isdisjoint(text))


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028\u2029")


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def check_numbers(spec: Spec, limits: Limits) -> None:
    """BadValue where a number is outside its range, or no number at all."""
    estimate_s = spec["estimate_s"]
    if not 0 < estimate_s <= limits.most_estimate_s:
        raise BadValue("estimate_s", estimate_s, f"more than 0 and at most {limits.most_estimate_s:.0f}")
    for field in ("begin_at_s", "deadline_s"):
        if field in spec and not 0 <= spec[field] < _LATEST_S:
            raise BadValue(field, spec[field], "an instant from 0 to 2^43 seconds")
    if "user_priority" in spec and not -1024 <= spec["user_priority"] <= 1023:
        raise BadValue("user_priority", spec["user_priority"], "from -1024 to 1023")
    for field, value in spec.get("outcome", {}).items():
        most, words = _OUTCOMES[field]
        if not 0 <= value <= most:
            raise BadValue(f"outcome.{field}", value, words)


_LATEST_S = 2.0**43
_OUTCOMES: dict[str, tuple[float, str]] = {
    "run_s": (_LATEST_S, "from 0 to 2^43 seconds"),
    "node_dies_after_s": (_LATEST_S, "from 0 to 2^43 seconds"),
    "exit_code": (255, "from 0 to 255"),
    "signal": (64, "from 0 to 64"),
    "memory_kb": (2**53, "from 0 to 2^53 kilobytes"),
    "never_starts": (1, "true or false"),
}


def check_array(spec: Spec, limits: Limits) -> None:
    """BadValue where the indices of an array are none or too many."""
    array = spec.get("array")
    if array is None:
        return
    first, last, step = array.get("first", 0), array.get("last", 0), array.get("step", 0) or 1
    if step < 1:
        raise BadValue("array.step", step, "1 or more")
    if not 0 <= first <= last < 2**31:
        raise BadValue("array", f"{first}-{last}", "from 0 to 2^31 - 1, the first not after the last")
    if (last - first) // step + 1 > limits.array_elements:
        raise BadValue("array", f"{first}-{last}:{step}", f"at most {limits.array_elements:,} elements")
    if not 0 <= array.get("running_limit", 0) < 2**31:
        raise BadValue("array.running_limit", array["running_limit"], "zero or more")
    spec["array"] = {
        "first": first,
        "last": last,
        "step": step,
        "running_limit": array.get("running_limit", 0),
    }


def _check_dependencies(state: State, user: str, spec: Spec, limits: Limits) -> None:
    dependencies = spec.get("dependencies", ())
    if len(dependencies) > limits.dependencies:
        raise BadValue("dependencies", len(dependencies), f"at most {limits.dependencies:,}")
    for one in dependencies:
        if one.get("kind", "KIND_UNSPECIFIED") == "KIND_UNSPECIFIED":
            raise BadValue("dependencies.kind", 0, "AFTER_OK, AFTER_NOT_OK, AFTER_ANY, AFTER or SINGLETON")
        if one["kind"] == "SINGLETON":
            if not spec.get("name"):
                raise BadValue("dependencies", IN_WORDS["SINGLETON"], "used with a name")
            continue
        other = state.known(one.get("job_id", 0))
        # Another's job and no job at all look the same: ids are not to be guessed.
        if other is None or other.user != user:
            raise BadValue("dependencies.job_id", one.get("job_id", 0), "the id of a job of the same user")


def check_possible(state: State, spec: Spec, queue: Queue) -> None:
    """BadValue where the job could never start on this machine, or breaks its queue's limits."""
    request = state.rows.request_for(spec["resources"], queue.name)
    if queue.max_processors and request.processors > queue.max_processors:
        raise BadValue(
            "processors", request.processors, f"at most {queue.max_processors:,} in queue {queue.name}"
        )
    if queue.max_estimate_s and spec["estimate_s"] > queue.max_estimate_s:
        raise BadValue(
            "estimate_s", spec["estimate_s"], f"at most {queue.max_estimate_s:g} in queue {queue.name}"
        )
    t = state.tables
    if request.processors > t.processors_in_all:
        raise BadValue("processors", request.processors, f"at most the machine's {t.processors_in_all:,}")
    check_fits(request, list(state.machine.clusters), list(state.machine.clusters.values()))
    if not request.counted and not state.rows.could_ever_hold(request):
        wanted = ", ".join(f"{name} {value}" for name, value in spec["resources"].items())
        raise BadValue("resources", _short(wanted), "what the nodes could hold if all were up and empty")


def check_counted(state: State, spec: Spec, queue: Queue) -> None:
    """BadValue where the job wishes for nodes, memory or clusters under a policy that counts processors."""
    if not state.counts_processors or state.policy is None:
        return
    request = state.rows.request_for(spec["resources"], queue.name)
    if not request.counted:
        wanted = ", ".join(f"{name} {value}" for name, value in spec["resources"].items())
        if state.rows.queue_bits(queue.name):
            wanted += f" in queue {queue.name}, which has nodes of its own"
        raise BadValue(
            "resources",
            _short(wanted),
            f"processors alone under policy {state.policy[0]}, which looks at no nodes (needs_nodes)",
        )
