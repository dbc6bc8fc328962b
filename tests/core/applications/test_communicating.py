"""How long communicating tasks take: the published example, and what every placement keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.applications.communicating import extension_s, messages_between, most_messages_between
from molokini.applications.kinds import JobKind

parts_of_a_job = st.lists(st.integers(1, 12), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("parts", "messages", "average", "most"), [((8, 8, 2), 192, 10.7, 16), ((6, 6, 6), 216, 12.0, 12)]
)
def test_eighteen_tasks_on_four_clusters(
    parts: tuple[int, ...], messages: int, average: float, most: int
) -> None:
    # Bucur and Epema, JSSPP 2001, Fig. 3: cluster-filling, then load-balancing.
    assert messages_between(parts) == messages
    assert round(messages_between(parts) / 18, 1) == average
    assert most_messages_between(parts) == most


@given(parts=parts_of_a_job, inside_s=st.floats(0, 1), between_s=st.floats(0, 10))
def test_the_slowest_task_decides(parts: list[int], inside_s: float, between_s: float) -> None:
    tasks = sum(parts)
    of_each = [(part - 1) * inside_s + (tasks - part) * between_s for part in parts]
    found = extension_s(JobKind.ALL_TO_ALL, 7.0, tasks, min(parts), max(parts), inside_s, between_s)
    assert found == pytest.approx(max(of_each))
    each_second = JobKind.ALL_TO_ALL_EACH_SECOND
    again = extension_s(each_second, 7.0, tasks, min(parts), max(parts), inside_s, between_s)
    assert again == pytest.approx(7.0 * max(of_each))
    given_up = JobKind.ALL_TO_ALL_GIVEN_UP
    less = extension_s(given_up, 7.0, tasks, min(parts), max(parts), inside_s, between_s)
    # What is held and the exchanges in it, one for each second of it, make up the time that was drawn.
    assert (7.0 + less) * (1.0 + max(of_each)) == pytest.approx(7.0)


@given(parts=parts_of_a_job)
def test_messages_counted_task_by_task(parts: list[int]) -> None:
    cluster_of = [cluster for cluster, part in enumerate(parts) for _ in range(part)]
    sent = [sum(mine != other for other in cluster_of) for mine in cluster_of]
    assert (messages_between(parts), most_messages_between(parts)) == (sum(sent), max(sent))


def test_a_cluster_without_tasks_sends_nothing() -> None:
    assert most_messages_between([0, 4]) == 0
    assert most_messages_between([0, 4, 1]) == 4
    assert most_messages_between([]) == 0


def test_measured_borders_ask_only_whether_there_are_several_clusters() -> None:
    assert extension_s(JobKind.BORDERS, 7.0, 8, 8, 8, 1.0, 15.0) == 1.0
    assert extension_s(JobKind.BORDERS, 7.0, 8, 2, 2, 1.0, 15.0) == 15.0
    assert extension_s(JobKind.RIGID, 7.0, 8, 2, 2, 1.0, 15.0) == 0.0
