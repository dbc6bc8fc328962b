"""Two jobs share two real nodes, which coschedule them by their messages: as a user has it."""

import json
from pathlib import Path

import pytest

from molokini.app.local_policy import requests_in
from molokini.process_sim.node_daemon import serve_again
from molokini.process_sim.policies.message_driven import NEEDS
from tests.kit.exchanging import COMMAND
from tests.kit.real_cluster import cluster
from tests.kit.real_jobs import until

pytestmark = pytest.mark.waits
GIVEN = {"gmet": "200ms", "slice": "2s", "unscheduled": "20"}


@pytest.mark.dear("real programs of two nodes are scheduled by their messages")
async def test_jobs_of_two_nodes_find_together_and_stay_correct(tmp_path: Path) -> None:
    options = ("--seconds", "6", "--units", "20", "--bytes", "800", "--address", "127.0.0.1", "--verify")
    async with cluster(tmp_path) as here:
        for name in ("one", "two"):
            given = [word for pair in GIVEN.items() for word in ("--set", "=".join(pair))]
            more = ("--local", "message-driven", *given, "--requests", tmp_path / f"requests-{name}")
            await here.agent(name, more=more, processors=2)
        ids = [
            await here.client.submit(
                argv=[*COMMAND, *options],
                nodes=2,
                processors_per_node=1,
                estimate_s=600.0,
                working_directory=str(tmp_path),
            )
            for _ in range(2)
        ]
        outputs = [tmp_path / f"molokini-{number}.out" for number in ids]
        await until(lambda: all(path.exists() and path.read_text().endswith("\n") for path in outputs))
        found = [json.loads(path.read_text()) for path in outputs]
    assert [(one["verified"], one["odd_bytes"]) for one in found] == [(True, 0)] * 2
    assert sum(one["asked"] for one in found) > 0
    values = NEEDS.values("test", GIVEN)
    for name in ("one", "two"):
        stream = requests_in((tmp_path / f"requests-{name}").read_text())
        assert {one.request for one in stream} >= {"register", "leave", "switch"}
        assert {one.process for one in stream if one.request == "register"} != set()
        assert serve_again(stream, values) == stream
