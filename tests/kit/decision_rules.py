"""Tables with a job in every state, and the verb of every decision with plain arguments."""

import inspect
from collections.abc import Callable

from molokini.cycle import verbs
from molokini.cycle.cycle import begin_pass, close_pass, end_pass
from molokini.model.decisions import DECISION_RULES, Decision
from molokini.model.machine import Machine
from molokini.model.states import JobState
from molokini.tables import transitions
from molokini.tables.bank_changes import open_account
from molokini.tables.making import make_tables
from molokini.tables.rows import open_matrix
from molokini.tables.snapshot_columns import kept
from molokini.tables.tables import Tables

MACHINES = {"counted": Machine.counted(16), "nodes": Machine.uniform(8, 2)}
STATES = (JobState.HELD, JobState.WAITING, JobState.RUNNING, JobState.SUSPENDED)
NOW = 20.0
_PLAIN = {int: 1, float: 0.5}
_PLACES = ("entries.node", "entries.tasks", "entries.component", "entries.next", "jobs.entries")


def say(t: Tables, decision: Decision, row: int) -> None:
    """Call the verb of *decision*; whatever it asks for besides is 1 or a half."""
    verb: Callable[..., object] = getattr(verbs, DECISION_RULES[decision].verb)
    # Where it is to stand, should the decision be about that: in the first columns of the first row.
    t.matrix.to_rows[row], t.matrix.to_bits[row, 0] = 1, 0b11
    more = list(inspect.signature(verb).parameters.values())[2:]
    verb(t, row, *(_PLAIN[one.annotation] for one in more))


def tables_of(machine: Machine, each: int = 1) -> tuple[Tables, dict[JobState, list[int]]]:
    """At ``NOW``, in a pass: so many jobs of two processors in each state, by state; and one account."""
    t = make_tables(machine, rows=8 * each)
    open_matrix(t, 2, 60.0, 0.0, False)
    open_account(t, 21)
    rows: dict[JobState, list[int]] = {}
    for state in STATES:
        rows[state] = [_job(t) for _ in range(each)]
        if state is JobState.HELD:
            for row in rows[state]:
                transitions.hold(t, row)
        if state not in (JobState.RUNNING, JobState.SUSPENDED):
            continue
        begin_pass(t, 0.0)
        for row in rows[state]:
            assert verbs.start(t, row)
        end_pass(t)
        for row in rows[state]:
            transitions.start(t, row, 0.0, 1.0, True)
        close_pass(t)
    for row in rows[JobState.SUSPENDED]:
        transitions.suspend(t, row, 10.0)
    begin_pass(t, NOW)
    return t, rows


def _job(t: Tables) -> int:
    row = transitions.new_row(t)
    t.jobs.number[row] = t.jobs.serial[row] = row
    t.jobs.width[row], t.jobs.estimate_s[row] = 2, 100.0
    transitions.submit(t, row)
    return row


def contents(t: Tables) -> dict[str, object]:
    """All that lasts longer than a pass; of places what they take of the nodes."""
    lasting = {name: array.tolist() for name, array in kept(t).arrays.items() if name != "record"}
    jobs = {f"jobs.{name}": getattr(t.jobs, name).tolist() for name in t.jobs.columns()}
    return {name: values for name, values in (lasting | jobs).items() if name not in _PLACES}
