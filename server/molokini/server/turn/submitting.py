"""Submitting jobs: defaults, limits, and every reason for which a job is refused at once."""

from collections.abc import Mapping, Sequence

from molokini.model.errors import BadInput, BadValue, Conflict, UnknownName
from molokini.model.facts import JobsSubmitted
from molokini.model.job_specs import JobSpec, Resources
from molokini.model.ranks import Rank
from molokini.model.site import Asked
from molokini.model.written_specs import WrittenSpec
from molokini.server.state.clusters import check_fits, with_processors
from molokini.server.state.queues import Queue
from molokini.server.state.state import State
from molokini.server.turn.accounts import account_for
from molokini.server.turn.aiming_checks import check_submitted
from molokini.server.turn.asked import AskedBatch, AskedSpec, Basis
from molokini.server.turn.checks import (
    Limits,
    check_numbers,
    check_priorities,
    check_texts,
    short,
    with_array,
)
from molokini.server.turn.command import Command, Draft, RetryNextTurn
from molokini.server.turn.communicating import with_messages
from molokini.server.turn.counts import Places
from molokini.server.turn.depending import check_dependencies, with_elements
from molokini.server.turn.dividing import with_load
from molokini.server.turn.room import lacking
from molokini.server.turn.together import accepted_together, keys_free

_EACH_TIME = frozenset({"dependencies", "rate", "work"})
"""Fields of which a check says something about the present alone."""


class Submit(Command):
    """Accept one or several jobs of one user; the answer is a list of ids, or of the error of each."""

    rank = Rank.ARRIVAL

    def __init__(
        self,
        user: str,
        specs: Sequence[AskedSpec | JobSpec] | AskedBatch,
        limits: Limits,
        operator: bool = False,
        programs: bool = False,
    ) -> None:
        self.user, self.limits, self.operator = user, limits, operator
        self.specs = specs if isinstance(specs, AskedBatch) else [_asked(one) for one in specs]
        self.programs = programs
        """Whether a job that has nothing to run is refused where no node pretends to run it."""
        self.repeated: list[bool] = []
        """Of each job: whether its submission key was known already."""
        self.together = False
        """Whether all were accepted at once, and none was refused, repeated, or promised anything."""

    def check(self, state: State, draft: Draft) -> list[int | BadInput]:
        if draft.repeats_admission(state):
            raise RetryNextTurn
        runs = self.programs and state.machine.all_real
        asked = self.specs
        if (
            isinstance(asked, AskedBatch)
            and not state.site.refuses
            and not (runs and _lacks_programs(asked))
            and self._all(state, draft, asked)
        ):
            return list(range(draft.next_id - len(self.specs), draft.next_id))
        answers: list[int | BadInput] = []
        self.repeated = []
        accepted: list[WrittenSpec] = []
        first = draft.next_id
        places = Places(state, draft, self.user, self.limits.jobs_per_user)
        for one in asked:
            key = one.spec.get("submission_key", "")
            known = self._known(state, draft, key)
            self.repeated.append(known is not None)
            try:
                if known is None:
                    if runs:
                        _check_program(one.spec)
                    if "further_queues" in one.spec:
                        one = AskedSpec(of_open_queues(state, one.spec, self.user))
                    queue = _queue(state, one.spec)
                    places.ask(queue)
                    full = self._full(state, draft, one, queue)
                    known = first + len(accepted)
                    accepted.append(full)
                    places.take()
                    if key:
                        draft.keys[self.user, key] = known
                answers.append(known)
            except BadInput as error:
                answers.append(error)
        places.settle()
        if accepted:
            draft.facts.append(JobsSubmitted(first, self.user, tuple(accepted)))
            draft.next_id = first + len(accepted)
        return answers

    def _all(self, state: State, draft: Draft, batch: AskedBatch) -> bool:
        """Accept all of *batch* at once, if everything about it is in order; whether it is."""

        def full(spec: AskedSpec) -> tuple[WrittenSpec, Queue]:
            queue = _queue(state, spec.spec)
            return self._full(state, draft, spec, queue), queue

        keys = batch.own.get("submission_key", ())
        if not keys_free(keys, self.user, state, draft):
            return False
        places = Places(state, draft, self.user, self.limits.jobs_per_user)
        accepted = accepted_together(batch, self.limits, places, full)
        if accepted is None:
            return False
        first, draft.next_id = draft.next_id, draft.next_id + len(accepted)
        draft.keys.update(((self.user, key), number) for number, key in enumerate(keys, first))
        draft.facts.append(JobsSubmitted(first, self.user, tuple(accepted)))
        self.repeated = [False] * len(accepted)
        self.together = True
        return True

    def _known(self, state: State, draft: Draft, key: str) -> int | None:
        """The id that this submission key has been given before."""
        return state.keys.get((self.user, key), draft.keys.get((self.user, key))) if key else None

    def _full(self, state: State, draft: Draft, asked: AskedSpec, queue: Queue) -> WrittenSpec:
        """*asked* with defaults, validated; an identical specification accepted before is reused."""
        spec = asked.spec
        if "divisible" in spec:
            # The meaning of its deadline changes with time, and the pass decides on its admission.
            self.after_pass = True
            spec = self._paid(state, spec, queue)
            return self._checked(
                state, with_load(spec, queue, state, draft.now, self.limits.costs), queue, draft.now
            )
        if state.ledger.rules is not None:
            # The account depends on the user: a spec accepted for another user cannot be reused.
            return self._checked(state, self._paid(state, spec, queue), queue, draft.now)
        basis = Basis(state.rows.edition, queue, self.limits, self.operator, state.policy)
        if asked.accepted is None or asked.basis is None or not basis.same(asked.basis):
            full = self._checked(state, spec, queue, draft.now)
            if not _EACH_TIME.isdisjoint(spec):
                # Whether they can be met has to be checked each time.
                return full
            asked.accepted, asked.basis = full, basis
        return asked.accepted

    def _paid(self, state: State, spec: JobSpec, queue: Queue) -> JobSpec:
        """*spec* with the account that pays for it, if there is one."""
        account = account_for(state.ledger, self.user, spec, queue.name)
        return {**spec, "account": account} if account else spec

    def _checked(self, state: State, spec: JobSpec, queue: Queue, now_s: float) -> WrittenSpec:
        full = with_defaults(spec, queue, state.site.default_limit_s(queue.name))
        if "communication" in full:
            full = with_messages(full, self.limits.message_inside_s, self.limits.message_between_s)
        check_texts(full, self.limits)
        check_numbers(full, self.limits)
        if "rate" in full or "work" in full:
            check_submitted(state, full, now_s)
        if not self.operator:
            check_priorities(full, {})
        full = with_elements(state, with_array(full, self.limits))
        check_dependencies(state, self.user, full, self.limits)
        check_possible(state, full, queue)
        _check_rules(state, full, self.user)
        check_counted(state, full, queue)
        return WrittenSpec(full)


def _asked(spec: AskedSpec | JobSpec) -> AskedSpec:
    return spec if isinstance(spec, AskedSpec) else AskedSpec(spec)


def _has_program(spec: JobSpec) -> bool:
    return bool(spec.get("argv") or spec.get("script"))


def _lacks_programs(batch: AskedBatch) -> bool:
    """Whether a job of *batch* may have nothing to run."""
    # A column is set in each of its jobs.
    return batch.own.keys().isdisjoint({"argv", "script"}) and not all(
        _has_program(one.spec) for one in batch.bare
    )


def _check_program(spec: JobSpec) -> None:
    if not _has_program(spec):
        raise Conflict("argv", "all nodes run real jobs, and this one has no command and no script")


def _queue(state: State, spec: JobSpec) -> Queue:
    name = spec.get("queue") or next(iter(state.queues))
    if name not in state.queues:
        raise UnknownName("queue", name, state.queues)
    return state.queues[name]


def of_open_queues(state: State, spec: JobSpec, user: str) -> JobSpec:
    """*spec* with those of its queues that take jobs of *user*, all of them where none does.

    Under a policy that does not choose among queues it is of the first alone. UnknownName for a queue that
    there is not.
    """
    names = dict.fromkeys((_queue(state, spec).name, *spec["further_queues"]))
    for name in names:
        if name not in state.queues:
            raise UnknownName("queue", name, state.queues)
    queues = [state.queues[name] for name in names]
    taken = [one.name for one in queues if one.enabled and (not one.users or user in one.users)]
    queue, *further = taken or names
    made: JobSpec = {**spec, "queue": queue, "further_queues": further if state.site.chooses_queues else []}
    if not made["further_queues"]:
        del made["further_queues"]
    return made


def with_defaults(spec: JobSpec, queue: Queue, limit_s: float = 0.0) -> JobSpec:
    """*spec* with what the queue gives to jobs that do not say.

    *limit_s* is the estimate that the policy's configuration gives them, before the queue's own; 0: none.
    """
    resources: Resources = with_processors(spec.get("resources", {}))
    if not ("processors" in resources or "nodes" in resources or "processors_per_node" in resources):
        resources = {**resources, "processors": queue.default_processors}
    if queue.default_memory_kb and not resources.get("memory_kb") and "divisible" not in spec:
        resources = {**resources, "memory_kb": queue.default_memory_kb}
    full: JobSpec = {**spec, "queue": queue.name, "resources": resources}
    if not full.get("estimate_s"):
        given_s = limit_s or queue.default_estimate_s
        full["estimate_s"] = min(given_s, queue.max_estimate_s or given_s)
    return full


def _check_rules(state: State, spec: JobSpec, user: str) -> None:
    """BadInput where the configuration of the policy has such a job refused."""
    if state.site.refuses:
        resources = spec["resources"]
        state.site.check_asked(
            Asked(
                queue=spec["queue"],
                further_queues=tuple(spec.get("further_queues", ())),
                account=spec.get("account", ""),
                qos=spec.get("qos", ""),
                estimate_s=spec["estimate_s"],
                nodes=resources.get("nodes", 0),
                user=user,
            )
        )


def check_possible(state: State, spec: JobSpec, queue: Queue) -> None:
    """BadValue where the job breaks its queue's limits, or could never start on this machine.

    As long as no node has registered the machine is not known, and the job may wait for the first nodes.
    """
    check_licenses(state, spec["resources"].get("licenses", {}))
    request = state.rows.request_for(spec["resources"], queue.name, spec.get("further_queues", ()))
    if queue.max_processors and request.processors > queue.max_processors:
        raise BadValue(
            "processors", request.processors, f"at most {queue.max_processors:,} in queue {queue.name}"
        )
    if queue.max_estimate_s and spec["estimate_s"] > queue.max_estimate_s:
        raise BadValue(
            "estimate_s", spec["estimate_s"], f"at most {queue.max_estimate_s:g} in queue {queue.name}"
        )
    if not state.machine.nodes:
        return
    t = state.tables
    if request.processors > t.machine.processors_in_all:
        raise BadValue(
            "processors", request.processors, f"at most the machine's {t.machine.processors_in_all:,}"
        )
    check_fits(request, list(state.machine.clusters), list(state.machine.clusters.values()))
    if not request.counted and not state.rows.could_ever_hold(request):
        raise lacking(state, spec, request)


def check_licenses(state: State, asked: Mapping[str, int]) -> None:
    """UnknownName or BadValue for licences that the policy does not count, or has fewer of."""
    known = state.site.licenses
    for name, count in asked.items():
        if name not in known:
            raise UnknownName("licence", name, known)
        if count > known[name]:
            raise BadValue(f"licenses.{name}", count, f"at most the {known[name]:,} that there are")


def check_counted(state: State, spec: JobSpec, queue: Queue) -> None:
    """Conflict where the job asks for nodes, memory or clusters under a policy that counts processors."""
    if not state.counts_processors or state.policy is None:
        return
    request = state.rows.request_for(spec["resources"], queue.name, spec.get("further_queues", ()))
    if not request.counted:
        wanted = ", ".join(f"{name} {value}" for name, value in spec["resources"].items())
        if state.rows.queue_bits(queue.name):
            wanted += f" in queue {queue.name}, which has nodes of its own"
        raise Conflict(
            "resources",
            f"policy {state.policy[0]} only counts processors (needs_nodes); this job wants {short(wanted)}",
        )
