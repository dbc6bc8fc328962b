"""What facts about the server, its nodes, its queues and its policy make of a state."""

from molokini.model import facts as h
from molokini.model.actors import Origin
from molokini.model.choices import StandingChoice
from molokini.model.decisions import Decision
from molokini.model.states import NodeState
from molokini.server.state.effects.banking import put_bank
from molokini.server.state.effects.entering import leave, place_unplaced
from molokini.server.state.effects.reserving import put_reservations
from molokini.server.state.effects.table import effect_of
from molokini.server.state.jobs import JobStatus
from molokini.server.state.node_names import NodeRecord, NodeStatus
from molokini.server.state.queues import Queue
from molokini.server.state.state import State
from molokini.tables import transitions
from molokini.tables.additions import add_nodes
from molokini.tables.rows import open_matrix, widen_matrix
from molokini.tables.usage import charge_as


@effect_of(h.ServerStarted)
def server_started(state: State, fact: h.ServerStarted) -> None:
    """Another process has taken over."""
    state.epoch, state.clock = fact.epoch, fact.clock or state.clock
    state.says_passes = fact.says_passes
    # Whatever the policy remembered is gone with the process that it lived in.
    state.tables.cycle.replan = 1


@effect_of(h.PassMade)
def pass_made(state: State, fact: h.PassMade) -> None:
    """What had ended early has been seen."""
    state.tables.holes.count = 0


@effect_of(h.NodesAdded)
def nodes_added(state: State, fact: h.NodesAdded) -> None:
    """New nodes, with the marks of the queues that may use them."""
    first = len(state.machine.nodes)
    made = []
    for k, name in enumerate(fact.names):
        record = NodeRecord(
            first + k,
            name,
            fact.agent,
            fact.processors,
            fact.memory_kb,
            fact.generic,
            fact.features,
            fact.cluster,
            fact.real,
        )
        made.append(state.machine.add(record))
    add_nodes(state.tables, made)
    widen_matrix(state.tables)
    state.rows.edition = object()
    for queue in state.queues.values():
        state.rows.mark_nodes(queue, fact.names)
    if state.reservations:
        put_reservations(state)
    place_unplaced(state)


@effect_of(h.NodeDrained)
def node_drained(state: State, fact: h.NodeDrained) -> None:
    """The node takes no new work; jobs that run there go on."""
    record = state.machine.node(fact.node)
    record.drained = (fact.by, fact.reason)
    if record.status is NodeStatus.DOWN:
        # It takes no work as it is, and will take none when it returns.
        return
    if record.status is NodeStatus.UP:
        # Placement passes a draining node by, but what runs there goes on.
        state.tables.nodes.state[record.number] = NodeState.DRAINING
        # Its free processors are still counted, so counting is not enough while it drains.
        state.tables.queue.wishing += 1
    record.status, record.reason = NodeStatus.DRAINING, fact.reason
    state.tables.cycle.replan = 1


@effect_of(h.NodeLost)
def node_lost(state: State, fact: h.NodeLost) -> None:
    """It is down."""
    record = state.machine.node(fact.node)
    if record.status is NodeStatus.DRAINING:
        state.tables.queue.wishing -= 1
    if record.status is not NodeStatus.DOWN:
        transitions.lose_node(state.tables, record.number)
    record.status, record.reason, record.lost_by = NodeStatus.DOWN, fact.reason, fact.by


@effect_of(h.NodeReturned)
def node_returned(state: State, fact: h.NodeReturned) -> None:
    """It takes work again."""
    record = state.machine.node(fact.node)
    if record.status is NodeStatus.DOWN:
        transitions.return_node(state.tables, record.number)
    elif record.status is NodeStatus.DRAINING:
        state.tables.nodes.state[record.number] = NodeState.UP
        state.tables.queue.wishing -= 1
        state.tables.cycle.replan = 1
    record.status, record.reason, record.drained, record.lost_by = NodeStatus.UP, "", None, ""


@effect_of(h.QueueSet)
def queue_set(state: State, fact: h.QueueSet) -> None:
    """A queue is made, or is another from now on; its jobs may have places that they had not."""
    queue = Queue.from_json(fact.queue)
    state.queues[queue.name] = queue
    if fact.by == Origin.CONFIGURATION:
        state.configured_queues[queue.name] = queue
    state.rows.mark_nodes(queue, state.machine.by_name)
    state.rows.set_queue_priority(queue)
    state.tables.cycle.replan = 1
    if not queue.started:
        _stop_queue(state, queue.name)
    # Places may have become free, by the queue's start or by a higher limit.
    state.to_look_at.update(state.claims.of_queue(queue.name))
    for several in state.rows.queue_lists.values():
        if queue.name in several:
            state.to_look_at.update(state.claims.of_queue(several[0]))


def _stop_queue(state: State, name: str) -> None:
    """What waits in the queue waits outside of the tables until it is started again."""
    for job in list(state.open_jobs.values()):
        if name not in job.queues or state.claims.started(job):
            continue
        for element in job.known_elements():
            if element.status is JobStatus.WAITING and element.row >= 0:
                leave(state, element, Decision.CANCEL)
                element.status = JobStatus.HELD
                element.reason = state.claims.why_not(job)
                state.claims.wait(job)


@effect_of(h.QueueRemoved)
def queue_removed(state: State, fact: h.QueueRemoved) -> None:
    """An empty queue is gone."""
    del state.queues[fact.name]
    if fact.by == Origin.CONFIGURATION:
        # If it is named there again, it shall be there again.
        state.configured_queues.pop(fact.name, None)


@effect_of(h.PolicySet)
def policy_set(state: State, fact: h.PolicySet) -> None:
    """Another policy, or the same by other parameters, decides from now on."""
    state.policy, state.choice = (fact.name, fact.parameters), None
    site = state.site
    charge_as(state.tables, *site.charged(), state.now)
    if state.tables.matrix.held == 0:
        # Jobs in rows keep them until they have ended, should a policy without rows have to stand in.
        open_matrix(state.tables, *site.rows())
    put_bank(state)
    state.tables.cycle.planning = int(site.plans)
    state.tables.machine.overrun = int(site.overruns)
    # Numbered here, they are the same after a recovery; a policy looks for credentials by number.
    for name in site.names():
        state.rows.number(name)
    if fact.by == Origin.CONFIGURATION:
        state.configured_policy = state.policy
    if state.reservations:
        put_reservations(state)


@effect_of(h.CandidateChosen)
def candidate_chosen(state: State, fact: h.CandidateChosen) -> None:
    """Kept for the policy of the next process."""
    state.choice = StandingChoice(fact.chosen, fact.wanted, fact.period)


@effect_of(h.ReportsTaken)
def reports_taken(state: State, fact: h.ReportsTaken) -> None:
    """What this agent says up to here has had its effect."""
    state.taken[fact.agent] = (fact.boot_id, fact.serial)


@effect_of(h.CommandTaken)
def command_taken(state: State, fact: h.CommandTaken) -> None:
    """Kept for the record alone; but a plan is void once a job is about to start past it."""
    if fact.what == h.STARTED_PAST_POLICY:
        state.tables.cycle.replan = 1


@effect_of(h.SchedulingSet)
def scheduling_set(state: State, fact: h.SchedulingSet) -> None:
    """The policy decides, or it does not."""
    state.paused, state.paused_because = fact.paused, fact.reason if fact.paused else ""


@effect_of(h.StatisticsReset)
def statistics_reset(state: State, fact: h.StatisticsReset) -> None:
    """Statistics start again from now."""
    state.statistics_since_s = state.now
