"""What an agent says at its start of target rates, and which ways of keeping slices it refuses."""

from typing import Any

import pytest

from molokini.feedback.keeping import Keeps
from molokini.model.errors import BadInput
from molokini.processes import slicing_report
from molokini.processes.slicing_report import check_enforcement, report_text, wired
from molokini.proto.v1.jobs_pb2 import NodeSlices
from molokini.server.link.node_slices import keeps_of
from tests.kit.depth import deep

FOUND: dict[str, Any] = {
    "mechanisms": ["signals", "deadline"],
    "real_time": True,
    "no_real_time": "",
    "awake": True,
    "no_awake": "",
    "least_period_s": 0.01,
    "least_slice_s": 0.001,
    "usable_share": 0.9,
    "late_s": 0.00012,
}


def test_the_report_is_one_line() -> None:
    assert report_text(FOUND) == (
        "target rates, as measured now: enforces by signals, deadline; ranks have a real-time priority; "
        "cores wake at once; period 10 ms or more; slice 1 ms or more; 90% of a core usable; "
        "latest wake-up 0.12 ms"
    )
    poor = {**FOUND, "real_time": False, "no_real_time": "Operation not permitted", "least_period_s": None}
    poor |= {"awake": False, "no_awake": "/dev/cpu_dma_latency: Permission denied"}
    text = report_text({**poor, "least_slice_s": None, "usable_share": None})
    assert "no isolation: Operation not permitted; cores may sleep: /dev/cpu_dma_latency: Perm" in text
    assert "Permission denied; no period that was tried is kept; no slice" in text
    assert "under 80% of a core usable" in text


def test_the_server_is_told_what_was_measured() -> None:
    told = wired(FOUND, "deadline")
    assert (list(told.mechanisms), told.measured, told.real_time) == (["deadline", "signals"], True, True)
    assert (told.least_period_s, told.least_slice_s, told.usable_share) == (0.01, 0.001, 0.9)
    assert wired({**FOUND, "least_period_s": None}, "signals").least_period_s == 0.0
    assumed = wired(None, "quota")
    assert (list(assumed.mechanisms), assumed.measured) == (["quota"], False)
    assert keeps_of(replace_measured(assumed)) == Keeps()


def replace_measured(told: NodeSlices) -> NodeSlices:
    """The same figures as if they were measured."""
    found = NodeSlices()
    found.CopyFrom(told)
    found.measured = True
    return found


@pytest.mark.parametrize(
    ("enforce", "groups", "said"),
    [
        ("freezer", {}, "one of signals, deadline, quota"),
        ("", {}, "one of signals, deadline, quota"),
        ("quota", {}, "needs a control group of processor time"),
        ("quota", {"unified": "/nowhere"}, "needs a control group of processor time"),
        ("deadline", {}, "needs SCHED_DEADLINE: Operation not permitted"),
    ],
)
def test_ways_that_are_not_there(
    monkeypatch: pytest.MonkeyPatch, enforce: str, groups: dict[str, str], said: str
) -> None:
    monkeypatch.setattr(slicing_report, "_asked", lambda what: {"no_deadline": "Operation not permitted"})
    with pytest.raises(BadInput, match=said):
        check_enforcement(enforce, groups)


def test_ways_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slicing_report, "_asked", lambda what: {"no_deadline": ""})
    for enforce, groups in (("signals", {}), ("quota", {"cpu": "/x"}), ("deadline", {})):
        check_enforcement(enforce, groups)


@pytest.mark.waits
def test_a_measuring_process_answers() -> None:
    """In the deep suite it measures for two seconds; else it asks the kernel alone."""
    found = slicing_report._asked("all" if deep() else "deadline")
    assert isinstance(found["no_deadline"], str)
    if deep():
        assert report_text({**found, "mechanisms": ["signals"]}).startswith("target rates, as measured now")
        assert found["usable_share"] is None or 0.8 <= found["usable_share"] <= 0.95
