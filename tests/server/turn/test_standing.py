"""The standing reservations of Maui's configuration follow it, and wait for nodes that have not come."""

from typing import Any

import pytest

from molokini.server.turn.operating import SetPolicy
from tests.kit.live import live, nodes
from tests.kit.live_picture import assert_kept

CONFIGURED = """
SRCFG[night] ENDTIME=1:00:00 HOSTLIST=n1 USERLIST=bob QOSLIST=high
QOSCFG[high] PRIORITY=1
USERCFG[ann] QLIST=high
"""


async def test_the_configuration_of_maui_has_standing_ones_which_follow_it_when_it_changes() -> None:
    async with live("maui", [nodes("n[1-2]", 8)]) as story:
        await story.choose("maui", {"maui_config": CONFIGURED})
        wide: dict[str, Any] = {"user": "eve", "processors": 8, "run_s": 600.0, "estimate_s": 600.0}
        strangers = [await story.submit(**wide) for _ in range(2)]
        asking = await story.submit(processors=4, run_s=600.0, estimate_s=600.0, qos="high")
        friend = await story.submit(user="bob", processors=4, run_s=600.0, estimate_s=600.0)
        await story.advance(1.0)
        assert [story.status(job) for job in strangers] == ["running", "waiting"]
        assert [story.status(job) for job in (asking, friend)] == ["running", "running"]
        assert story.state.configured_reservations == {"night"}
        await assert_kept(story)
        await story.advance(800.0)
        assert story.status(strangers[1]) == "running", "on the other node"
        waits = await story.submit(**wide)
        await story.choose(
            "maui", {"maui_config": "SRCFG[day] STARTTIME=8:00:00 TASKCOUNT=3 RESOURCES=PROCS:1"}
        )
        assert sorted(story.state.reservations) == ["day"]
        assert story.status(waits) == "running"
        # Another policy has no configuration, and no reservations of one.
        await story.do(SetPolicy("ps", {}, "root"))
        assert (story.state.reservations, story.state.tables.reservations.count) == ({}, 0)


async def test_a_reservation_waits_for_nodes_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    async with live("maui", [nodes("n[1-2]", 8)]) as story, live("maui", offers=[]) as other:
        with caplog.at_level("WARNING"):
            await other.choose("maui", {"maui_config": "SRCFG[a] HOSTLIST=n1"})
            assert "SRCFG" not in caplog.text
            await story.choose("maui", {"maui_config": "SRCFG[a] HOSTLIST=io1"})
        assert "SRCFG[a]: a reservation on unknown nodes: there is no node 'io1'" in caplog.text
        assert story.state.reservations == {}
        await other.join([nodes("n1", 8)])
        assert sorted(other.state.reservations) == ["a"]
