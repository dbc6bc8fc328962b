"""The policy maui decides live as it does simulated, by the same file: killed or not."""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from molokini.app import verifying
from molokini.app.verifying import everybody_known, history_of, live_run, simulated_history
from molokini.sim import reserving
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import SWF_FIELDS, Workload
from tests.app.test_verify import ROOT
from tests.kit.maui_file import maui_file

LOG = ROOT / "examples" / "kth-sp2-month.swf.gz"
JOBS = 300
MORE = ("USERCFG[5] PRIORITY=300 QDEF=high", "CLASSCFG[1] PRIORITY=20", "GROUPCFG[1] FSTARGET=40+")


def crowded(jobs: int) -> Workload:
    """The first jobs of the log in a fifth of their time, so that limits and reservations count."""
    workload = read_workload(LOG, limit=jobs)
    return replace(workload, submit_s=np.round(workload.submit_s / 5))


@pytest.mark.deep
def test_all_six_components_fairshare_and_limits_decide_alike(tmp_path: Path) -> None:
    work, file = crowded(JOBS), str(maui_file(tmp_path, *MORE))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    simulated = simulated_history(work, 100, "maui", file)
    assert set(live.differences(simulated).values()) == {0.0}
    # The file does decide: without it jobs start at other instants.
    assert live.differences(simulated_history(work, 100, "maui"))["start_s"] > 0


@pytest.mark.deep
def test_standing_reservations_keep_the_same_jobs_out(tmp_path: Path) -> None:
    noon = "SRCFG[noon] STARTTIME=10:00:00 ENDTIME=14:00:00 TASKCOUNT=60 RESOURCES=PROCS:1 QOSLIST=high"
    short = "SRCFG[short] STARTTIME=6:00:00 ENDTIME=18:00:00 TASKCOUNT=20 RESOURCES=PROCS:1 TIMELIMIT=1:00:00"
    work = crowded(100)
    file = str(maui_file(tmp_path, *MORE, noon, short))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    without = str(maui_file(tmp_path, *MORE))
    assert live.differences(simulated_history(work, 100, "maui", without))["start_s"] > 0


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize(("most", "interval"), [(1, "0:10:00"), (2, "0")])
def test_short_iterations_go_on_at_the_same_instants(most: int, interval: str, tmp_path: Path) -> None:
    work = crowded(150)
    work = replace(work, submit_s=np.round(work.submit_s / 36000) * 3600)
    lines = (*MORE, f"RMPOLLINTERVAL {interval}")
    file = str(maui_file(tmp_path, *lines, f"MAXJOBPERITERATION {most}"))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    without = str(maui_file(tmp_path, *lines))
    assert live.differences(simulated_history(work, 100, "maui", without))["start_s"] > 0


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("policy", ["SUSPEND", "REQUEUE", "CANCEL", "CHECKPOINT"])
def test_the_same_jobs_give_way(policy: str, tmp_path: Path) -> None:
    work = crowded(100)
    work = replace(work, submit_s=np.round(work.submit_s / 10))
    strong = [f"USERCFG[{user}] QDEF=high" for user in (18, 26)]
    lines = (f"PREEMPTPOLICY {policy}", "QOSCFG[high] QFLAGS=PREEMPTOR", "QOSCFG[weak] QFLAGS=PREEMPTEE")
    file = str(maui_file(tmp_path, *strong, "SYSCFG QDEF=weak", *lines))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    without = str(maui_file(tmp_path, *strong, "SYSCFG QDEF=weak"))
    assert live.differences(simulated_history(work, 100, "maui", without))["start_s"] > 0


@pytest.mark.deep
def test_jobs_of_a_class_are_on_the_same_nodes_of_its_features(tmp_path: Path) -> None:
    work = replace(crowded(100), queue=np.arange(100) // 2 % 2)
    fast = [f"NODECFG[node{number:03d}] FEATURES=fast" for number in range(1, 41)]
    file = str(maui_file(tmp_path, *MORE, *fast, "CLASSCFG[1] DEFAULT.FEATURES=fast"))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    wide = (work.processors > 40) & (work.queue == 1)
    assert np.isnan(live.start_s).tolist() == wide.tolist(), "no more nodes have what they want"
    without = str(maui_file(tmp_path, *MORE))
    assert live.differences(simulated_history(work, 100, "maui", without))["start_s"] > 0


@pytest.mark.deep
def test_jobs_run_as_long_past_their_limits(tmp_path: Path) -> None:
    work = crowded(100)
    work = replace(work, estimate_s=np.maximum(60.0, work.run_s // 2), queue=np.arange(100) % 2)
    file = str(maui_file(tmp_path, *MORE, "JOBMAXOVERRUN 5:00", "CLASSCFG[1] OVERRUN=-1"))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    over_s = live.end_s - live.start_s - work.estimate_s
    assert over_s[::2].max() == pytest.approx(300)
    assert over_s[1::2].max() > 300
    without = str(maui_file(tmp_path, *MORE))
    assert live.differences(simulated_history(work, 100, "maui", without))["start_s"] > 0


@pytest.mark.deep
def test_jobs_without_an_estimate_have_the_same_of_their_class(tmp_path: Path) -> None:
    work = crowded(100)
    records = work.records.copy()
    records[::2, SWF_FIELDS.index("requested_s")] = -1
    estimate_s = np.where(np.arange(100) % 2, work.estimate_s, work.run_s)
    work = replace(work, records=records, estimate_s=estimate_s, queue=np.arange(100) // 2 % 2)
    limits = ("CLASSCFG[1] DEFAULT.WCLIMIT=1:00", "SYSTEMDEFAULTJOBWALLTIME 30:00")
    file = str(maui_file(tmp_path, *MORE, *limits))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    longest_s = [(live.end_s - live.start_s)[::2][at::2].max() for at in range(2)]
    assert longest_s == pytest.approx([1800, 60]), "some are ended at the limit of their class"
    without = str(maui_file(tmp_path, *MORE))
    assert live.differences(simulated_history(work, 100, "maui", without))["start_s"] > 0


def test_who_waits_for_ever_does_so_in_both_and_the_run_ends(tmp_path: Path) -> None:
    # Nobody may have more than 4 processors, and some ask for more.
    work, file = crowded(30), str(maui_file(tmp_path, "USERCFG[DEFAULT] MAXPROC=4"))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    never = np.isnan(live.start_s)
    assert never.any()
    assert (work.processors[never] > 4).all()


OLD = [f"NODECFG[node{number:03d}] PARTITION=old" for number in range(1, 41)]
"""The first 40 of 100 nodes."""
LISTS = ("USERCFG[18] PLIST=old", "USERCFG[26] PDEF=DEFAULT", "CLASSCFG[2] PLIST=DEFAULT,old")


@pytest.mark.deep
def test_partitions_are_the_same_jobs_places(tmp_path: Path) -> None:
    work, file = crowded(JOBS), str(maui_file(tmp_path, *MORE, *OLD, *LISTS))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    assert live.refused, "some are wider than every partition"
    without = str(maui_file(tmp_path, *MORE, *OLD))
    assert live.differences(simulated_history(work, 100, "maui", without))["start_s"] > 0


def test_reservations_on_particular_nodes_keep_the_same_jobs_out(tmp_path: Path) -> None:
    hosts = "SRCFG[noon] STARTTIME=10:00:00 ENDTIME=14:00:00 HOSTLIST=node0[0-4][0-9] USERLIST=26"
    work = crowded(100)
    file = str(maui_file(tmp_path, *MORE, hosts))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    without = str(maui_file(tmp_path, *MORE))
    assert live.differences(simulated_history(work, 100, "maui", without))["start_s"] > 0


def test_who_waits_for_ever_beside_reservations_that_roll_does_not_keep_the_run_going(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (reserving, verifying):
        monkeypatch.setattr(module, "PATIENCE_S", 5 * 86_400.0)
    noon = "SRCFG[noon] STARTTIME=10:00:00 ENDTIME=14:00:00 HOSTLIST=node001"
    work, file = crowded(30), str(maui_file(tmp_path, "USERCFG[DEFAULT] MAXPROC=4", noon))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert np.isnan(live.start_s).any()
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}


def test_jobs_of_nobody_are_somebodys() -> None:
    work = everybody_known(replace(crowded(5), user=np.full(5, -1), queue=np.array([0, -1, 3, -1, 0])))
    assert work.user.tolist() == [0] * 5
    assert work.queue.tolist() == [0, 4, 3, 4, 0]


def verify(folder: Path, file: Path, crash_at: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "molokini.clients.command", "verify", str(LOG), "--policy", "maui"]
    roots = os.pathsep.join(
        str(ROOT / name)
        for name in ("core", "maui", "parallel", "experiments", "proto", "server", "agents", "clients", "app")
    )
    return subprocess.run(
        [*command, "--maui-config", str(file), "--jobs", "150", "--state", str(folder)],
        env={**os.environ, "PYTHONPATH": roots, "MOLOKINI_CRASH_AT": crash_at},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.deep
@pytest.mark.parametrize("point", ["after-commit/JobStarted:80", "before-send:60", "after-snapshot:2"])
def test_killed_and_recovered_the_decisions_are_the_same(point: str, tmp_path: Path) -> None:
    file = maui_file(tmp_path, *MORE, *OLD, *LISTS, "JOBMAXOVERRUN 5:00")
    killed = verify(tmp_path / "state", file, point)
    assert killed.returncode == 137, killed.stderr
    done = verify(tmp_path / "state", file)
    assert done.returncode == 0, done.stderr
    assert "equal" in done.stdout
    # Names that the log does not know are left out, and it is said.
    assert "without jobs in this log" in done.stderr


@pytest.mark.deep
def test_affinities_are_the_same_jobs_places(tmp_path: Path) -> None:
    hosts = "SRCFG[some] PERIOD=INFINITY HOSTLIST=node0[2-5][0-9] USERLIST=26-,18-,25="
    anywhere = "SRCFG[more] PERIOD=INFINITY TASKCOUNT=30 RESOURCES=PROCS:1 USERLIST=18-,26"
    work = crowded(100)
    file = str(maui_file(tmp_path, *MORE, hosts, anywhere))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    without = [one.replace("18-", "18").replace("26-", "26") for one in (hosts, anywhere)]
    other = str(maui_file(tmp_path, *MORE, *without))
    assert live.differences(simulated_history(work, 100, "maui", other))["start_s"] > 0


@pytest.mark.deep
def test_flags_of_users_have_the_same_jobs_give_way_or_leave(tmp_path: Path) -> None:
    work = crowded(100)
    work = replace(work, submit_s=np.round(work.submit_s / 10))
    lines = ("USERCFG[18] PRIORITY=5000 FLAGS=PREEMPTOR", "USERCFG[25] FLAGS=PREEMPTEE,DEDICATED")
    away = "USERCFG[19] FLAGS=NOQUEUE"
    file = str(maui_file(tmp_path, *lines, away))
    asyncio.run(live_run(work, 100, "maui", tmp_path / "state", config=file))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    assert set(live.differences(simulated_history(work, 100, "maui", file)).values()) == {0.0}
    assert set(live.refused.values()) == {"not at once"}
    without = str(maui_file(tmp_path))
    assert live.differences(simulated_history(work, 100, "maui", without))["start_s"] > 0
