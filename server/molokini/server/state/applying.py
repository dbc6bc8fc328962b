"""Facts applied to a state: one function a kind of fact, and nothing else changes it.

The same functions run when a fact has just become durable and when a journal is replayed, so a state that was
recovered equals the one that was lost. They check nothing: what is journalled has been checked.
"""

from collections.abc import Callable
from typing import Any

from molokini.model import happened as h
from molokini.model.happened import Happened
from molokini.server.state.effects import banking, ending, entering, holding, machine, reserving, running
from molokini.server.state.state import State

EFFECTS: dict[type[Happened], Callable[[State, Any], None]] = {
    h.ServerStarted: machine.server_started,
    h.NodesAdded: machine.nodes_added,
    h.NodeDrained: machine.node_drained,
    h.NodeLost: machine.node_lost,
    h.NodeReturned: machine.node_returned,
    h.QueueSet: machine.queue_set,
    h.QueueRemoved: machine.queue_removed,
    h.PolicySet: machine.policy_set,
    h.AccountBooked: banking.account_booked,
    h.LienPlaced: banking.lien_placed,
    h.ReservationMade: reserving.reservation_made,
    h.ReservationReleased: reserving.reservation_released,
    h.ReservationsRolled: reserving.reservations_rolled,
    h.JobsSubmitted: entering.jobs_submitted,
    h.ElementsReady: entering.elements_ready,
    h.JobEligible: entering.job_eligible,
    h.JobHeld: holding.job_held,
    h.JobReleased: holding.job_released,
    h.JobAltered: holding.job_altered,
    h.JobReserved: running.job_reserved,
    h.JobBypassed: running.job_bypassed,
    h.JobAccrues: running.job_accrues,
    h.JobDeferred: running.job_deferred,
    h.JobMolded: running.job_molded,
    h.JobStarted: running.job_started,
    h.JobResumed: running.job_resumed,
    h.JobMoved: running.job_moved,
    h.AttemptGone: running.attempt_gone,
    h.JobSuspended: running.job_suspended,
    h.JobShared: running.job_shared,
    h.JobRequeued: ending.job_requeued,
    h.JobStopping: ending.job_stopping,
    h.JobEnded: ending.job_ended,
    h.JobsRetired: ending.jobs_retired,
    h.ReportsTaken: machine.reports_taken,
    h.CommandTaken: machine.command_taken,
}
"""What each kind of fact does."""
_NO_SPEC: tuple[h.Spec, ...] = ({},)


def apply(state: State, fact: Happened, serial: int, time_s: float) -> None:
    """*fact*, number *serial* of the journal, has happened at *time_s*."""
    state.serial, state.now = serial, time_s
    EFFECTS[type(fact)](state, fact)
    remember(state, fact, serial, time_s)


def remember(state: State, fact: Happened, serial: int, time_s: float) -> None:
    """Keep *fact* for those who watch."""
    if isinstance(fact, h.JobsSubmitted):
        # Watchers want to know how many; what was asked for is kept by the jobs.
        fact = h.JobsSubmitted(fact.first_id, fact.user, _NO_SPEC * len(fact.specs))
    state.events.append((serial, time_s, fact))
