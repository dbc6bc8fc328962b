"""Jobs over several clusters live and simulated: where they lie says when they end, to the last bit."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from molokini.app.verifying import history_of, live_run, simulated_history
from molokini.workloads.generated import generated
from molokini.workloads.workload import Workload


def das(**values: str) -> Workload:
    model = generated("das")
    return model.make(
        model.values({"clusters": "4", "nodes": "8", "ratio": "50", "jobs": "250", **values}), 5
    )


ALL_KINDS = "ordered:0.3,unordered:0.4,flexible:0.3"


@pytest.mark.quick(one_in=6)
@pytest.mark.parametrize(
    ("policy", "values"),
    [
        ("fcfs-worstfit", {"mix": ALL_KINDS}),
        ("easy-worstfit", {"mix": ALL_KINDS, "iterations": "each-second"}),
        ("conservative-worstfit", {"mix": ALL_KINDS}),
        ("fcfs", {"mix": ALL_KINDS}),
        ("easy-worstfit", {"application": "gauss-seidel", "mix": "unordered", "components": "4"}),
        ("easy", {"mix": "total"}),
    ],
)
def test_jobs_start_and_end_as_simulated(policy: str, values: dict[str, str], tmp_path: Path) -> None:
    workload = das(**values)
    processors = workload.platform.processors if workload.platform else 0
    asyncio.run(live_run(workload, processors, policy, tmp_path / "state"))
    live = asyncio.run(history_of(tmp_path / "state", len(workload)))
    assert set(live.differences(simulated_history(workload, processors, policy)).values()) == {0.0}
    # Messages have made jobs longer than their computation.
    longer = live.end_s - live.start_s - workload.run_s
    assert np.all(longer > -1e-9)
    assert longer.max() > 0.01
