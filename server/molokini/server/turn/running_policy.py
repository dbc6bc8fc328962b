"""One pass of the policy over the live tables, and its decisions as facts."""

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from molokini.cycle.calling import PolicyError, PythonView, compiled_function, nothing
from molokini.cycle.complaints import COMPLAINTS
from molokini.cycle.dry_run import decide_aside, decide_on, dry_run, machine_code
from molokini.cycle.entries import entries
from molokini.cycle.ports import PolicyFunction
from molokini.model.choices import CHOICES, STANDING, ChoiceMade, StandingChoice
from molokini.model.credentials import CredentialType
from molokini.model.decisions import IN_PLACE, IN_ROWS, LIMITED, PLACED, Decision
from molokini.model.facts import CandidateChosen, Fact, Placed, RowsSet
from molokini.model.site import NOT_YET, NumberOf
from molokini.policies import LoadedPolicy, load_policy
from molokini.server.state.effects.table import MAKERS, Decided
from molokini.server.state.node_names import Machine
from molokini.server.state.rooms import Starting, mark_rooms
from molokini.server.state.slices import has_real_nodes
from molokini.server.state.state import State
from molokini.server.turn.aside import aside
from molokini.server.turn.bounding import PassBound, PassTooLong
from molokini.server.turn.sharing import SharedNodes, placed_by_columns
from molokini.tables.making import set_parameters
from molokini.tables.tables import Tables

log = logging.getLogger("molokini.server.policy")

MOST_CHOICES = 1_000
NO_LISTS: Mapping[str, Sequence[str]] = {}


class RunningPolicy:
    """The running policy with its parameters."""

    def __init__(self, name: str, parameters: Mapping[str, str]) -> None:
        self.policy: LoadedPolicy = load_policy(name)
        self.given = dict(parameters)
        self.site = self.policy.site(parameters)
        self._functions: tuple[PolicyFunction, PolicyFunction] | None = None
        self._has_taken_over = False
        self._entries = entries()
        self.bound: PassBound | None = None
        """How long a pass of a policy from a file may take; None: as long as it does."""
        self.choices: deque[ChoiceMade] = deque(maxlen=MOST_CHOICES)
        """The last choices of a policy that chooses among others."""
        self.again = False
        """Whether a job of the last pass was left out for want of room, which the next pass knows."""
        self._nodes_known = 0
        """Nodes that had joined when the parameters were bound."""
        self._lists_known: Mapping[str, Sequence[str]] = NO_LISTS
        """The lists of queues that had a name then."""

    def vector(
        self, number_of: NumberOf, machine: Machine, lists: Mapping[str, Sequence[str]] = NO_LISTS
    ) -> Sequence[float]:
        """The whole vector of the policy where names and nodes have these numbers, and *lists* of queues
        these names.
        """
        nodes = machine.by_name
        return self.site.with_queues(lists).vector(
            number_of,
            lambda name: nodes[name].number if name in nodes else NOT_YET,
            lambda name: number_of(CredentialType.QUEUE, name),
        )

    def _bind(self, state: State) -> None:
        lists = state.open_queues()
        vector = self.vector(lambda _, name: state.rows.number(name), state.machine, lists)
        set_parameters(state.tables, vector)
        self._nodes_known, self._lists_known = len(state.machine.nodes), lists

    def _bind_again(self, state: State) -> None:
        """Bind where what the vector says by number is another than before."""
        lists, before = state.open_queues(), self._lists_known
        if len(state.machine.nodes) != self._nodes_known:
            # What is said of particular nodes is said by their numbers, and more have joined.
            state.tables.cycle.replan = 1
        elif lists == before:
            return
        elif any(lists.get(name) != queues for name, queues in before.items()):
            # A new list is looked up with the first job of it; the jobs of others are in the queue already.
            state.tables.cycle.replan = 1
        self._bind(state)

    def take_over(self, state: State) -> None:
        """From now on this policy decides over the tables of *state*; it plans again at its first pass."""
        tables = state.tables
        self._bind(state)
        tables.cycle.planning = int(self.policy.begin is not None)
        for name in ("memory_f", "memory_i", "global_f", "global_i"):
            getattr(tables, name)[...] = 0
        tables.profile.first = tables.profile.last = 0
        tables.noted.pop(STANDING, None)
        if state.choice is not None:
            tables.noted[STANDING] = state.choice
        tables.cycle.replan = 1
        tables.cycle.offering = 1
        self._functions, self._has_taken_over = None, True

    def compile(self) -> None:
        """Have the policy's functions compiled, or taken from the disk, before they are needed."""
        try:
            compiled_function(self.policy.begin or nothing)
            compiled_function(self.policy.schedule)
        except Exception:
            log.debug("policy %s runs as plain Python", self.policy.name)

    async def compile_aside(self) -> None:
        """``compile`` in a thread."""
        await aside(self.compile, "compiler")

    def functions(self, tables: Tables) -> tuple[PolicyFunction, PolicyFunction]:
        """The functions over *tables*, made at their first use: the first compilation takes seconds."""
        if self._functions is None:
            begin, schedule = self.policy.begin or nothing, self.policy.schedule
            try:
                self._functions = compiled_function(begin), compiled_function(schedule)
            except Exception:
                # Not compilable: plain Python sees tables that refuse to be written.
                view = PythonView(tables)
                self._functions = (
                    lambda _, now: begin(view.get(), now),
                    lambda _, now: schedule(view.get(), now),
                )
        return self._functions

    def decide(self, state: State, now: float) -> list[Fact]:
        """What the policy wants done now, as facts; the tables are as before.

        Raises PolicyError, with nothing decided, when the policy fails or does what no policy may.
        """
        t = state.tables
        if not self._has_taken_over:
            self.take_over(state)
        if self.site.by_number:
            self._bind_again(state)
        mark_rooms(state)
        begin, schedule = self.functions(t)
        try:
            with self._bounded():
                if self._entries.begin_pass(t, now):
                    begin(t, now)
                schedule(t, now)
        except Exception as error:
            self._entries.check_decisions(t)
            self._drop(t)
            raise PolicyError(self.policy.origin, self._cause(error)) from error
        self._entries.check_decisions(t)
        self._note_choices(t)
        if t.cycle.complaint:
            raise self._complained(t)
        return [*self._chosen(state), *self._facts(state, now)]

    def _chosen(self, state: State) -> list[Fact]:
        """What another process must know to go on with these choices, where it does not yet."""
        standing = state.tables.noted.get(STANDING)
        if not isinstance(standing, StandingChoice) or standing == state.choice:
            return []
        return [CandidateChosen(standing.chosen, standing.wanted, standing.period)]

    def _note_choices(self, t: Tables) -> None:
        """Keep what a policy that chooses among others has chosen in this pass; say where that is another."""
        for one in t.noted.pop(CHOICES, ()):
            self.choices.append(one)
            if one.switched:
                costs = ", ".join(f"{name} {cost:.6g}" for name, cost in one.costs)
                log.info("%s decides from %.15g s on: %s; %s", one.chosen, one.at_s, one.reason, costs)

    def dry_run(self, state: State, now: float) -> Tables:
        """A copy of the tables, on which the policy has just said why each job waits."""
        mark_rooms(state)
        with self._bounded():
            return dry_run(state.tables, self.policy.begin, self.policy.schedule, now)

    def decide_on(self, t: Tables, now: float) -> None:
        """A pass over copied tables, whose decisions are not carried out."""
        with self._bounded():
            decide_on(t, self.policy.begin, self.policy.schedule, now)

    async def decide_aside(self, t: Tables, now: float) -> None:
        """``decide_on``, while turns go on where the policy is machine code."""
        functions = machine_code(self.policy.begin, self.policy.schedule)
        if functions is None:
            self.decide_on(t, now)
            return

        def work() -> None:
            with self._bounded():
                decide_aside(t, functions, now)

        await aside(work, "reasons")

    def _bounded(self) -> AbstractContextManager[None]:
        if self.bound is None or not self.policy.from_file:
            return nullcontext()
        return self.bound.over(self.policy.origin)

    def _cause(self, error: Exception) -> str:
        if isinstance(error, PassTooLong) and self.bound is not None:
            return f"did not return within {self.bound.bound_s:g} s"
        return f"failed: {type(error).__name__}: {error}"

    def _drop(self, t: Tables) -> None:
        for k in range(t.cycle.decided):
            self._entries.take_allocation(t, k)
        t.cycle.decided = 0
        t.cycle.complaint = 0
        t.cycle.replan = 1

    def _complained(self, t: Tables) -> PolicyError:
        row, known = t.cycle.complaint_row, 0 <= t.cycle.complaint_row < t.jobs.state.size
        text = COMPLAINTS[t.cycle.complaint].format(
            row=row,
            job=t.jobs.number[row] if known else "?",
            width=t.jobs.width[row] if known else "?",
            idle=t.cycle.complaint_idle,
        )
        t.cycle.complaint = 0
        t.cycle.replan = 1
        return PolicyError(self.policy.origin, text)

    def _facts(self, state: State, now: float) -> list[Fact]:
        t, facts = state.tables, list[Fact]()
        shared: SharedNodes | None = None
        rated = Starting(state)
        self._refuse_unknown(t)
        decisions = [(t.cycle.decisions[k].tolist(), self._place_of(t, k)) for k in range(t.cycle.decided)]
        self._refuse_moves(state, decisions)
        for k, ((kind, row, argument, more), place) in enumerate(decisions):
            element, placed = state.by_row[row], place
            if kind == Decision.START and argument == IN_ROWS:
                placed = placed_by_columns(state, row)
            elif kind in (Decision.START, Decision.RESUME) and argument not in (1, IN_PLACE, LIMITED):
                shared = shared or SharedNodes(state)
                placed = shared.place(element.job.request.processors)
                if not placed:
                    # No node takes work, so no agent would get the order: the job waits for a node.
                    continue
            if kind == Decision.START and not rated.finds_room(element, placed):
                continue
            decided = Decided(element, now, float(t.cycle.decision_time_s[k]), argument, more, placed)
            facts.append(MAKERS[kind](state, decided))
        t.cycle.decided = 0
        if rated.left_out:
            # Another in this pass has taken its room: the next pass knows that.
            t.cycle.replan = 1
        self.again = bool(rated.left_out and rated.started)
        spent = t.matrix.count > 0 and t.matrix.migrated > 0
        return _together(facts, (int(t.matrix.slice), int(t.matrix.allowance)) if spent else ())

    def _place_of(self, t: Tables, k: int) -> Placed:
        return self._placed(t, k) if t.nodes.count and PLACED >> int(t.cycle.decisions[k, 0]) & 1 else ()

    def _refuse_moves(self, state: State, decisions: Sequence[tuple[list[int], Placed]]) -> None:
        """Nothing is decided by a pass that would have real processes go on on other nodes."""
        for (kind, row, *_), place in decisions:
            if kind not in (Decision.MIGRATE, Decision.RESUME) or not has_real_nodes(
                state, state.by_row[row]
            ):
                continue
            element = state.by_row[row]
            if {node for node, _, _ in place} != {node for node, _ in element.nodes}:
                state.tables.cycle.decided, state.tables.cycle.replan = 0, 1
                node = state.machine.nodes[element.nodes[0][0]].name
                raise PolicyError(
                    self.policy.origin,
                    f"decided to move job {element.job.id}, whose real processes stay on node {node}",
                )

    def _refuse_unknown(self, t: Tables) -> None:
        """Nothing is decided by a pass that wants what only the simulator can do."""
        for kind in set(t.cycle.decisions[: t.cycle.decided, 0].tolist()) - MAKERS.keys():
            self._drop(t)
            verb = Decision(kind).name.lower().replace("_", " ")
            raise PolicyError(self.policy.origin, f"decided to {verb}, which a live cluster cannot do")

    def _placed(self, t: Tables, k: int) -> Placed:
        count = self._entries.take_allocation(t, k)
        columns = (t.placing.node, t.placing.tasks, t.placing.component)
        return tuple(zip(*(column[:count].tolist() for column in columns), strict=True))


def _together(facts: list[Fact], budget: tuple[int, ...]) -> list[Fact]:
    """*facts* with one for all places in the matrix that the pass has changed: a pass may change many.

    *budget*: what it has left of the tasks that may migrate, where some have.
    """
    rows = [fact for fact in facts if isinstance(fact, RowsSet)]
    if len(rows) < 2 and not budget:
        return facts
    others = [fact for fact in facts if not isinstance(fact, RowsSet)]
    places = tuple(place for fact in rows for place in fact.places)
    return [RowsSet(places, rows[0].turns if rows else 0, budget), *others]
