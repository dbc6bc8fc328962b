"""A live server keeps what ``adaptive`` has chosen, and decides as a simulation does."""

import json
import logging

import pytest

from molokini.server.queries.choices import choices_now
from tests.kit.live import live


async def test_choices_are_kept_and_said(caplog: pytest.LogCaptureFixture) -> None:
    values = {"candidates": "fcfs,sjf", "every_s": "0", "hysteresis": "0", "objective": "mean-wait"}
    with caplog.at_level(logging.INFO, "molokini.server.policy"):
        async with live("fcfs") as story:
            await story.choose("adaptive", values)
            await story.submit(processors=16, estimate_s=100.0)
            await story.submit(processors=16, estimate_s=1000.0)
            await story.submit(processors=16, estimate_s=10.0)
            found = json.loads(choices_now(story.core))
            await story.advance(2000.0)
            assert [story.run(k).start_s for k in (1, 2, 3)] == [0.0, 110.0, 100.0]
    first, last = found["choices"][0], found["choices"][-1]
    assert (found["policy"], first["chosen"], first["before"]) == ("adaptive", "fcfs", None)
    assert (last["chosen"], last["before"], last["jobs"], last["reason"]) == (
        "sjf",
        "fcfs",
        2,
        "least mean-wait",
    )
    # By hand: the short one first: 100 and 110 s; else 100 and 1100 s.
    assert last["expected"] == {"fcfs": 600.0, "sjf": 105.0}
    assert "sjf decides from 0 s on: least mean-wait; fcfs 600, sjf 105" in caplog.text
