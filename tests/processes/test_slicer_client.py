"""Windows of sliced attempts on the agent's clock: told to those who count in them, and told anew."""

from pathlib import Path

import pytest

from molokini.agents.offset import ClockOffset
from molokini.model.slicing import Slicing
from molokini.processes.slicer_client import Slicer, Windows
from molokini.processes.spool import Spool
from molokini.proto.v1.agent_service_pb2 import AttemptRef

HALF = Slicing(period_s=1.0, slice_s=0.5, origin_s=5.0)


@pytest.mark.parametrize("known_before", [True, False])
def test_windows_follow_what_is_known_of_the_servers_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known_before: bool
) -> None:
    """The supervisor counts the work of a job in them, so they have to be where the slicer has them."""
    offset, heard = ClockOffset(), list[tuple[str, Windows]]()
    offset.begin()
    slicer = Slicer(Spool(tmp_path), {}, offset)
    monkeypatch.setattr(slicer, "_start", lambda: None)
    slicer.windows = lambda label, windows: heard.append((label, windows))
    if known_before:
        offset.heard(10.0, 0.0, 10.2)
    slicer.take("1-1", AttemptRef(), HALF, 1)
    assert len(heard) == known_before
    if not known_before:
        offset.heard(10.0, 0.0, 10.2)
    # A sooner answer says that the agent's clock is 95 ms less ahead than that.
    offset.heard(11.0, 1.0, 11.01)
    # This one says no more than is known.
    offset.heard(12.0, 2.0, 12.1)
    assert [label for label, _ in heard] == ["1-1"] * 2
    assert [one.origin for _, one in heard] == [round(15.1e9), round(15.005e9)]
    assert [one[:2] for _, one in heard] == [HALF.windows()] * 2
