"""Suspending and resuming by command, which takes and gives processors as a policy's preemption does."""

from molokini.availability.placement import place_now
from molokini.model.facts import JobResumed, JobSuspended, NodeLost, Placed
from molokini.server.state.jobs import Element, JobStatus
from molokini.server.state.node_names import NodeStatus
from molokini.server.state.slices import has_real_nodes
from molokini.server.state.state import State
from molokini.server.turn.changing import HasEnded, JobCommand, NotNow, does_not_run
from molokini.server.turn.command import Draft, RetryNextTurn
from molokini.server.turn.sharing import SharedNodes
from molokini.tables.allocations import entries_of, is_in_place
from molokini.tables.rows import has_row_for_its_columns


class SuspendJob(JobCommand):
    """Stop what runs."""

    def check(self, state: State, draft: Draft) -> None:
        job = self.job(state, draft)
        running = [e for e in self.elements(job) if e.status is JobStatus.RUNNING and not e.stopping]
        if not running:
            raise does_not_run(job)
        for element in running:
            draft.facts.append(JobSuspended(job.id, element.index, self.by, self.reason))


class ResumeJob(JobCommand):
    """Let what was suspended go on, of an array one element; only where its processors are free.

    The answer is how many of its elements are suspended still.
    """

    def check(self, state: State, draft: Draft) -> int:
        job = self.job(state, draft)
        suspended = [e for e in self.elements(job) if e.status is JobStatus.SUSPENDED]
        if not suspended:
            raise (HasEnded if job.over else NotNow)(f"job {job.id} is not suspended ({job.status})")
        if draft.resuming or any(isinstance(fact, NodeLost) for fact in draft.facts):
            # Each takes room that the next must not count on.
            draft.touched.discard(job.id)
            raise RetryNextTurn
        for element in suspended[:1]:
            real, in_place = has_real_nodes(state, element), is_in_place(state.tables, element.row)
            if in_place:
                placed = _kept_place(state, element)
            else:
                placed = own_place(state, element) if real else place_now(state.tables, element.row)
            shared = placed is None and not real and not in_place and shares_processors(state)
            if shared:
                placed = SharedNodes(state).place(job.request.processors)
            if not placed:
                told = "there is no room for it now"
                if real:
                    node = state.machine.nodes[element.nodes[0][0]].name
                    told = f"there is no room on node {node} now, and real processes stay where they are"
                raise NotNow(f"job {job.id}: {told}")
            draft.resuming = True
            rate = state.sliced_rate(job.id, element.index, 1.0)
            fact = JobResumed(job.id, element.index, placed, rate, not shared, self.by, in_place)
            draft.facts.append(fact)
        return len(suspended) - 1


def _kept_place(state: State, element: Element) -> Placed | None:
    """The place of an *element* that was suspended in place; None where its processors are not free."""
    t = state.tables
    placed = entries_of(t, element.row)
    wanted: dict[int, float] = {}
    for node, tasks, component in placed:
        wanted[node] = wanted.get(node, 0.0) + tasks * float(t.components.need[component, 0])
    return placed if all(t.nodes.free[node, 0] >= count for node, count in wanted.items()) else None


def own_place(state: State, element: Element) -> Placed | None:
    """The place that a suspended *element* had, if its nodes have room for it; None: they have none."""
    t, row = state.tables, element.row
    if not has_row_for_its_columns(t, row):
        return None
    component = int(t.jobs.components[row])
    if int(t.jobs.component_count[row]) > 1:
        found = place_now(t, row)
        same = found is not None and {node for node, _, _ in found} == {node for node, _ in element.nodes}
        return found if same else None
    need = t.components.need[component]
    made = []
    for number, processors in element.nodes:
        tasks = round(processors / float(need[0]))
        if (
            state.machine.nodes[number].status is NodeStatus.DOWN
            or (t.nodes.free[number] < tasks * need).any()
        ):
            return None
        made.append((number, tasks, component))
    return tuple(made)


def shares_processors(state: State) -> bool:
    """Whether jobs share processors as things are: one that runs holds none for itself."""
    t = state.tables
    return bool((t.jobs.held[t.queue.running[: t.queue.running_count]] == 0).any())
