"""One attempt by itself: what becomes of it, and how much of its work is done when."""

from collections.abc import Callable

import pytest

from molokini.agents.attempt import Attempt, Fate, launched, taken_up
from molokini.applications.communicating import extension_s
from molokini.applications.kinds import JobKind
from molokini.model.errors import BadValue
from molokini.proto.v1.agent_service_pb2 import Division, Rows
from molokini.proto.v1.jobs_pb2 import Communication, Outcome
from tests.kit.agents import launch, resumed

OWN = frozenset({"n1", "n2"})


def test_a_limit_that_comes_before_the_death_of_the_node_ends_it() -> None:
    dies = Outcome(run_s=100.0, node_dies_after_s=30.0)
    one = launched(launch(1, 0.0, limit_s=20.0, nodes=["n1"], outcome=dies), OWN)
    assert (one.fate, one.fate_s()) == (Fate.TIMES_OUT, 20.0)


def test_only_the_first_attempt_takes_its_node_with_it() -> None:
    dies = Outcome(run_s=100.0, node_dies_after_s=30.0)
    fates = [launched(launch(1, 0.0, attempt=number, outcome=dies), OWN).fate for number in (1, 2, 3)]
    assert fates == [Fate.NODE_DIES, Fate.ENDS, Fate.ENDS]


def test_resumed_without_a_rate_it_goes_on_at_the_one_before() -> None:
    one = launched(launch(1, 0.0, 10.0, rate=0.5), OWN)
    one.suspend(4.0)
    one.resume(20.0, 0.0)
    assert one.fate_s() == 36.0
    stood = launched(launch(1, 0.0, 10.0), OWN)
    stood.set_rate(4.0, 0.0)
    stood.suspend(5.0)
    stood.resume(20.0, 0.0)
    assert stood.fate_s() == 26.0


@pytest.mark.parametrize(
    ("order", "rate", "end_s"),
    [
        (lambda one: one.set_rate(20.0, 2.0), 0.0, 33.0),
        (lambda one: one.set_limit(20.0, 12.0, 12.0), 0.0, 36.0),
        (lambda one: one.set_rows(20.0, Rows(bits=0b01, count=1, quantum_s=4.0), 1.0), 1.0, 36.0),
    ],
    ids=["another rate", "another limit", "other rows"],
)
def test_an_order_while_it_is_suspended_counts_no_work_and_lets_it_stand(
    order: Callable[[Attempt], None], rate: float, end_s: float
) -> None:
    one = launched(launch(1, 0.0, 10.0), OWN)
    one.suspend(4.0)
    order(one)
    assert one.fate_s() is None
    one.resume(30.0, rate)
    assert one.fate_s() == end_s


def test_a_word_of_an_earlier_instant_takes_no_work_back() -> None:
    one = launched(launch(1, 10.0, 10.0), OWN)
    one.set_rate(4.0, 0.5)
    assert one.fate_s() == 30.0
    one.suspend(14.0)
    one.resume(12.0, 1.0)
    assert one.fate_s() == 22.0


def test_work_that_a_checkpoint_has_kept_is_done_at_the_start() -> None:
    assert launched(resumed(launch(1, 50.0, 10.0), work_s=4.0, updated_s=50.0), OWN).fate_s() == 56.0


def test_a_launch_without_a_rate_runs_at_1() -> None:
    assert launched(launch(1, 5.0, 10.0, rate=0.0), OWN).fate_s() == 15.0


def test_the_limit_is_the_estimate_of_what_is_not_scripted_where_none_is_said() -> None:
    one = launched(launch(1, 0.0, estimate_s=10.0, limit_s=10.0), OWN)
    one.set_limit(5.0, 30.0)
    assert (one.fate, one.fate_s()) == (Fate.ENDS, 30.0)
    one.set_limit(6.0, 50.0, 20.0)
    assert (one.fate, one.fate_s()) == (Fate.ENDS, 20.0)


@pytest.mark.parametrize(
    ("work_s", "updated_s", "rate", "field"),
    [
        (0.0, float("inf"), 1.0, "updated_s"),
        (0.0, float("nan"), 1.0, "updated_s"),
        (-1.0, 0.0, 1.0, "work_s"),
        (0.0, 0.0, -1.0, "rate"),
    ],
)
def test_a_bad_welcome_is_refused_by_field(work_s: float, updated_s: float, rate: float, field: str) -> None:
    with pytest.raises(BadValue, match=f"^{field}: "):
        taken_up(resumed(launch(1, 0.0, 10.0), work_s, updated_s, rate), OWN)


def test_messages_prolong_a_job_by_where_it_lies() -> None:
    spread = launch(1, 0.0, 100.0)
    spread.processors_by_cluster.extend([5, 3])
    asked = Communication(pattern=Communication.ALL_TO_ALL, inside_s=1.0, between_s=10.0)
    spread.spec.communication.CopyFrom(asked)
    more_s = extension_s(JobKind.ALL_TO_ALL, 100.0, 8, 3, 5, 1.0, 10.0)
    assert more_s != extension_s(JobKind.ALL_TO_ALL, 100.0, 8, 5, 5, 1.0, 10.0)
    assert launched(spread, OWN).fate_s() == 100.0 + more_s


def test_a_load_takes_what_its_division_takes() -> None:
    divided = launch(1, 10.0, estimate_s=1000.0)
    divided.division.CopyFrom(Division(rule="opr-mn", processors=4, execution_s=250.0))
    assert launched(divided, OWN).fate_s() == 260.0


def test_each_agent_has_its_own_nodes_of_an_attempt_and_the_first_loses_one() -> None:
    dies = Outcome(node_dies_after_s=5.0)
    wide = launch(1, 0.0, limit_s=20.0, nodes=["n1", "m1", "n2"], outcome=dies)
    first, other = launched(wide, OWN), launched(wide, frozenset({"m1"}))
    assert (first.nodes, other.nodes) == (("n1", "n2"), ("m1",))
    assert (first.fate, other.fate) == (Fate.NODE_DIES, Fate.TIMES_OUT)


def test_in_rows_it_progresses_by_its_slices_and_loses_what_its_migration_takes() -> None:
    one = launched(launch(1, 0.0, 10.0), OWN)
    one.set_rows(0.0, Rows(bits=0b01, count=2, quantum_s=4.0, exact=True), 0.5)
    assert one.fate_s() == 18.0
    one.set_rows(8.0, Rows(bits=0b11, count=2, quantum_s=4.0, exact=True, stall_s=1.0), 1.0)
    assert one.fate_s() == 15.0
    one.suspend(8.5)
    one.resume(20.0, 1.0)
    assert one.fate_s() == 26.0, "what it has still to lose is forgotten with its row"


def test_what_a_second_migration_takes_comes_to_what_the_first_has_left() -> None:
    one = launched(launch(1, 0.0, 10.0), OWN)
    one.set_rows(0.0, Rows(bits=0b01, count=1, quantum_s=4.0, stall_s=2.0), 1.0)
    one.set_rows(1.0, Rows(bits=0b01, count=1, quantum_s=4.0, stall_s=0.5), 1.0)
    assert one.fate_s() == 12.5
    one.set_rows(1.5, Rows(bits=0b01, count=1, quantum_s=4.0), 1.0)
    assert one.fate_s() == 12.5


def test_a_job_that_goes_on_in_the_next_row_may_lose_no_switch() -> None:
    one = launched(launch(1, 0.0, 10.0), OWN)
    rows = Rows(bits=0b011, count=3, quantum_s=4.0, exact=True, context_switch=0.25)
    one.set_rows(0.0, rows, 0.5)
    assert one.fate_s() == 18.0
    rows.changed = True
    one.set_rows(0.0, rows, 7 / 12)
    assert one.fate_s() == 16.0


@pytest.mark.parametrize("rows", [Rows(bits=4, count=2, quantum_s=1.0), Rows(bits=1, count=1), Rows(count=2)])
def test_rows_that_cannot_be_are_refused(rows: Rows) -> None:
    word = launch(1, 0.0, 10.0)
    word.rows.CopyFrom(rows)
    with pytest.raises(BadValue, match="rows"):
        launched(word, OWN)
