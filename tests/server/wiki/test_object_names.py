"""Names of jobs and lists of tasks, as they come over the wire."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.job_specs import JobSpec
from molokini.server.wiki.looking import ObjectQuery
from molokini.server.wiki.messages import Request, WikiError, request_of
from molokini.server.wiki.object_names import MOST_TASKS, job_named, tasks_by_node
from molokini.server.wiki.orders import changes_of, signal_of


def test_lists_of_tasks() -> None:
    assert tasks_by_node("a:a:b") == {"a": 2, "b": 1}
    assert tasks_by_node("tux[0-1]*2:tux2") == {"tux0": 2, "tux1": 2, "tux2": 1}
    assert tasks_by_node("r[1-2]n[01,03]:r1n01") == {"r1n01": 2, "r1n03": 1, "r2n01": 1, "r2n03": 1}


def code_of(read: Callable[[str], object], text: str) -> int:
    """With which code *text* is refused; 0: it is not."""
    try:
        read(text)
    except WikiError as error:
        return error.code
    return 0


@given(st.text("a1[]-,*:;# ", max_size=30) | st.text(max_size=30))
def test_any_text_is_a_list_of_tasks_or_refused(text: str) -> None:
    if code_of(tasks_by_node, text):
        assert code_of(tasks_by_node, text) == -300
        return
    found = tasks_by_node(text)
    assert 0 < sum(found.values()) <= MOST_TASKS
    assert all(count > 0 for count in found.values())


@given(st.text("1[]:0aALL-", max_size=12) | st.text(max_size=12))
def test_any_text_is_a_name_and_a_wish_or_refused(text: str) -> None:
    def modify(text: str) -> object:
        return changes_of(request_of("u", f"CMD=MODIFYJOB ARG=1 {text}"), {})

    assert code_of(job_named, text) in (0, -300, -700)
    for read in (ObjectQuery, signal_of, modify):
        assert code_of(read, text) in (0, -300)


def test_names_of_jobs() -> None:
    assert [job_named("7"), job_named("7[0]")] == [(7, -1), (7, 0)]
    for text in ("7[]", "-1", "7[-1]", "1" * 30, "7.tux", "\u0667"):
        with pytest.raises(WikiError, match="no job"):
            job_named(text)


def test_names_of_signals() -> None:
    assert [signal_of(text) for text in ("9", "TERM", "sigusr1", "SIGSTOP")] == [9, 15, 10, 19]


def test_what_is_changed_of_a_job() -> None:
    more = {"NODES": "3", "RFEATURES": "ib:big", "MINSTARTTIME": "70"}
    found = changes_of(Request("u", "MODIFYJOB", "1", more), {"resources": {"processors": 6}})
    assert found == {
        "resources": {"nodes": 3, "processors": 6, "features": ["ib", "big"]},
        "begin_at_s": 70.0,
    }
    more = {"NODES": "3"}
    before: JobSpec = {"resources": {"nodes": 2, "processors": 8, "processors_per_node": 4}}
    changed = {"nodes": 3, "processors_per_node": 4}
    assert changes_of(Request("u", "MODIFYJOB", "1", more), before) == {"resources": changed}


def test_which_are_wanted() -> None:
    wanted = ObjectQuery("12:7:8[1]")
    assert [wanted.takes(name) for name in ("7", "8[1]", "8", "70")] == [True, True, False, False]
    assert [wanted.is_new(at_s) for at_s in (11.9, 12.0, 12.9, 13.0)] == [False, True, True, True]
