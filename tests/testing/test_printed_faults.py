"""Commands of a test cluster that print nonsense, or what a real cluster has printed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from molokini.model.errors import BadFile, BadValue, UnknownName
from molokini.testing import Cluster, cluster


def test_answers_that_are_cut_empty_or_behind_a_banner() -> None:
    with cluster(systems=("slurm",)) as one:
        whole = one.run("sinfo", "-h", "-o", "%P %D").stdout
        assert whole == "default* 4\n"
        one.faults.cut("sinfo", letters=5)
        one.faults.silent("sinfo", times=2)
        one.faults.banner("sinfo", "Welcome")
        said = [one.run("sinfo", "-h", "-o", "%P %D").stdout for _ in range(5)]
        assert said == [whole[:5], "", "", f"Welcome\n{whole}", whole]
        one.faults.cut("sinfo")
        failed = one.run("squeue", "-j", "99")
        assert (failed.returncode, failed.stdout) == (1, "")
        one.faults.clear()
        assert one.run("sinfo", "-h", "-o", "%P %D").stdout == whole


def test_what_a_real_cluster_has_said(tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    with cluster(systems=("slurm",)) as one:
        recorded = _record(session, one, "squeue", "-j", "99")
        assert recorded.returncode == 1
        assert recorded.stderr == "slurm_load_jobs error: Invalid job id specified\n"
    kept = json.loads(session.read_text())
    assert kept["command"] == "squeue"
    assert (kept["words"], kept["code"], kept["out"]) == (["-j", "99"], 1, "")
    kept["out"] = "a line of theirs\n"
    session.write_text(json.dumps(kept) + "\n")
    with cluster(systems=("slurm",)) as one:
        one.faults.replay(session)
        assert one.run("squeue", "-h").stdout == ""
        said = one.run("squeue", "-j", "99")
        assert (said.stdout, said.returncode) == ("a line of theirs\n", 1)
        assert one.run("squeue", "-j", "99").stdout == ""


def test_names_are_not_kept(tmp_path: Path) -> None:
    import os

    with cluster(systems=("slurm",)) as one:
        done = _record(
            tmp_path / "file", one, "echo", f"on {os.uname().nodename}", f"{os.uname().nodename}.x"
        )
        assert os.uname().nodename in done.stdout
    assert json.loads((tmp_path / "file").read_text())["out"].startswith("on host1 ")


def test_what_is_no_fault(tmp_path: Path) -> None:
    with cluster(systems=("slurm",)) as one:
        with pytest.raises(UnknownName):
            one.faults.cut("sqeueue")
        with pytest.raises(BadValue):
            one.faults.silent("squeue", times=0)
        (tmp_path / "odd").write_text("[1]\n")
        with pytest.raises(BadFile, match="line 1"):
            one.faults.replay(tmp_path / "odd")


def _record(file: Path, one: Cluster, *words: str) -> "subprocess.CompletedProcess[str]":
    line = [str(Path(sys.executable).with_name("molokini")), "record", str(file), "--", *words]
    return subprocess.run(line, capture_output=True, text=True, env=one.environment, check=False)
