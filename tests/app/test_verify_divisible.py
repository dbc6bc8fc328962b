"""Divisible loads live and simulated: who is admitted, when, on how much, until when, to the last bit."""

import asyncio
from pathlib import Path

import pytest

from molokini.app.verifying import history_of, live_run, simulated_history
from molokini.workloads.generated import generated
from molokini.workloads.workload import Workload

NODES = 16


@pytest.fixture(scope="module")
def workload() -> Workload:
    model = generated("divisible")
    return model.make(model.values({"nodes": str(NODES), "time": "400000", "load": "0.9"}), 3)


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("policy", ["edf-opr-mn", "fifo-epr-mn", "mwf-opr-mn", "edf-opr-an", "edf-opr-k"])
def test_loads_are_admitted_and_run_as_simulated(policy: str, workload: Workload, tmp_path: Path) -> None:
    asyncio.run(live_run(workload, NODES, policy, tmp_path / "state"))
    live = asyncio.run(history_of(tmp_path / "state", len(workload)))
    assert set(live.differences(simulated_history(workload, NODES, policy)).values()) == {0.0}
    assert len(workload) > 200
    assert 0 < len(live.refused) < len(workload)
    if not policy.endswith(("an", "k")):
        assert len(set(live.processors[live.processors > 0].tolist())) > 5
