"""A machine and a policy that a slurm.conf describes, and jobs of a site's accounting under them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from molokini.experiments import compare, simulate
from molokini.experiments.asked import Simulation
from molokini.experiments.simulating import prepare
from molokini.model.errors import BadInput
from tests.kit.slurm_files import CONF, DUMP, EVENTS, QOS, SACCT

FREE = CONF.replace("associations,\\\nlimits,qos", "nosteps")


@pytest.fixture
def site(tmp_path: Path) -> dict[str, Any]:
    for name, text in {
        "sacct": SACCT,
        "slurm.conf": FREE,
        "dump": DUMP,
        "qos": QOS,
        "events": EVENTS,
    }.items():
        (tmp_path / name).write_text(text)
    return {
        "log": str(tmp_path / "sacct"),
        "slurm_conf": str(tmp_path / "slurm.conf"),
        "slurm_accounts": [str(tmp_path / "dump"), str(tmp_path / "qos")],
    }


def test_the_machine_and_the_policy_are_those_of_the_file(site: dict[str, Any]) -> None:
    found = simulate(site.pop("log"), policy="slurm", **site)
    assert found.document["cluster"]["nodes"] == 5
    assert found.document["cluster"]["processors"] == 32
    assert found.document["policy"]["slurm_conf"]["file"] == site["slurm_conf"]
    assert "maui_config" not in found.document["policy"]
    assert found.schedule["nodes"][0] == "n1:4;n2:4;n3:4;n10:4"
    assert found.document["workload"]["skipped"] == {"never_started": 1}
    assert found.document["workload"]["notes"]["heterogeneous_components"] == 2
    told = "\n".join(found.notes)
    assert "account zoo (2 jobs) not in the configuration: without an association" in told
    assert "qos gone (2 jobs) not in the configuration: taken as the default QOS" in told


def test_accounts_and_qoses_of_the_records_reach_the_policy(site: dict[str, Any]) -> None:
    conf = FREE.replace("Default=YES", "Default=YES AllowAccounts=d AllowQos=high")
    Path(site["slurm_conf"]).write_text(conf)
    run = prepare(Simulation(**site, policy="slurm"))
    run.replay.run(5000.0)
    done = run.replay.schedule()
    started = {int(job) for job in done.workload.number[np.isfinite(done.start_s)]}
    assert started == {2}


def test_other_policies_have_the_machine_alone(site: dict[str, Any]) -> None:
    found = simulate(site.pop("log"), policy="easy", **site)
    assert found.document["cluster"]["nodes"] == 5
    assert "slurm_conf" not in found.document["policy"]


def test_several_files_are_compared(site: dict[str, Any], tmp_path: Path) -> None:
    other = tmp_path / "proposed.conf"
    other.write_text(FREE.replace("bf_interval=10", "bf_interval=300"))
    log, files = site.pop("log"), [site.pop("slurm_conf"), str(other)]
    found = compare([log], slurm_conf=files, policies=["easy"], **site)
    assert [one["label"] for one in found.document["policies"]] == ["easy", "slurm.conf", "proposed.conf"]
    with pytest.raises(BadInput, match="is given 2 times"):
        compare([log], slurm_conf=[files[0], files[0]], **site)


def test_files_of_a_database_need_a_configuration(site: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="belongs to a configuration: give --slurm-conf FILE"):
        simulate(site["log"], policy="slurm", slurm_accounts=site["slurm_accounts"], processors=4)
