"""Packs of sites: opened, replayed as if their files had been named, and refused where they are cut short."""

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from molokini.experiments import compare, simulate
from molokini.experiments.logs import read_log
from molokini.model.errors import BadFile, BadInput
from molokini.slurm.collecting import slurm_collect
from tests.kit.slurm_files import CONF, fake_slurm

FREE = "SlurmVersion=26.05\n" + CONF.replace("associations,\\\nlimits,qos", "nosteps")


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    fake_slurm(tmp_path, FREE)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    slurm_collect.make(3, str(tmp_path / "site.tar.gz"), now=1_800_000_000.0)
    return str(tmp_path / "site.tar.gz")


def test_the_pack_is_the_log_the_machine_the_policy_and_the_outages(pack: str) -> None:
    found = simulate(pack, policy="slurm")
    document: dict[str, Any] = dict(found.document)
    assert document["workload"]["file"] == "site.tar.gz"
    assert document["workload"]["skipped"] == {"never_started": 1}
    assert document["workload"]["notes"]["eligible_after_submission"] == 1
    assert document["cluster"]["processors"] == 32
    assert [one["node"] for one in document["cluster"]["outages"]] == ["n3"]
    assert document["policy"]["slurm_conf"]["file"] == f"{pack}: slurm.conf"
    assert "molokini-site-" not in str(document)
    assert not [note for note in found.notes if "molokini-site-" in note]
    near = document["fidelity"]
    assert (near["jobs"], near["left_out"]) == (6, {"never_started": 1})
    assert near["started_by"]["recorded"] == {"main": 5 / 6, "backfill": 1 / 6, "submission": 0.0}


def test_a_configuration_from_elsewhere_is_told_what_it_does_not_know_of_the_pack(
    pack: str, tmp_path: Path
) -> None:
    """Of names of accounts, which are others in the pack, and of the release."""
    other = tmp_path / "other.conf"
    other.write_text(FREE.replace("SlurmVersion=26.05\n", ""), encoding="utf-8")
    accounts = f"{other}: {pack} has other names of accounts, and knows no a: change a copy of the file in it"
    release = f"{other}: it names no release, so the rules of the newest hold; add SlurmVersion=24.05, as in"
    notes = simulate(pack, policy="slurm", slurm_conf=str(other)).notes
    assert [one for one in notes if one.startswith(accounts)]
    assert [one for one in notes if one.startswith(release)]
    own = simulate(pack, policy="slurm").notes
    assert not [one for one in own if "has other names" in one or "names no release" in one]


def test_reservations_of_the_pack_hold_in_its_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_slurm(tmp_path, FREE)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    told = "Name|NodeNames|TimeStart|TimeEnd|Flags\nmaint|n[1-3,10],gpu1|900|90000|MAINT\n"
    (tmp_path / "reservations").write_text(told)
    now = "ReservationName=maint StartTime=900 EndTime=90000 Duration=1-00:45:00 Nodes=n[1-3,10],gpu1"
    (tmp_path / "reserved_now").write_text(
        f"{now} Flags=MAINT Users=ann,-bob Groups=(null) Accounts=(null)\n"
    )
    path = str(tmp_path / "site.tar.gz")
    about, _ = slurm_collect.make(3, path, now=1_800_000_000.0)
    assert about["reservations"] == "reservations.txt"
    found = simulate(path, policy="slurm")
    assert f"{path}: reservations.txt: 1 reservation, 792 processor-hours in all" in found.notes
    (kept,) = found.document["options"]["reservations"]
    # Of those whom it names ann has jobs; bob has them, too, and is not admitted.
    assert len(kept["access"]["user"]) == 1
    assert found.metrics["mean_wait_s"] > 30_000
    free = simulate(path, policy="slurm", reservations=str(_empty(tmp_path)))
    assert free.metrics["mean_wait_s"] < 600


def _empty(folder: Path) -> Path:
    (folder / "none.toml").write_text("reservations = []\n")
    return folder / "none.toml"


def test_the_same_pack_gives_the_same_results(pack: str) -> None:
    documents = [dict(simulate(pack, policy="slurm").document) for _ in range(2)]
    for one in documents:
        one.pop("run")
    assert documents[0] == documents[1]


def test_a_proposal_is_compared_under_the_database_of_the_pack(pack: str, tmp_path: Path) -> None:
    for name in ("today.conf", "proposed.conf"):
        (tmp_path / name).write_text(FREE.replace("AllowAccounts=A ", ""))
    files = [str(tmp_path / "today.conf"), str(tmp_path / "proposed.conf")]
    found = compare([pack], slurm_conf=files, policies=["slurm"], workers=1)
    labels = [one["label"] for one in found.document["policies"]]
    assert labels == ["slurm.conf", "today.conf", "proposed.conf"]
    assert [one["policy"] for one in found.document["fidelity"]] == labels


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_pack_that_is_cut_short_is_refused(pack: str, share: float) -> None:
    whole = Path(pack).read_bytes()
    Path(pack).write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(BadFile, match="cut short or damaged: copy it again"):
        simulate(pack, policy="slurm")


def test_what_is_no_pack_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.add(__file__, "test.py")
    with pytest.raises(BadFile, match=r"holds no manifest.json: it is no pack"):
        simulate(str(path), policy="slurm")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"log": "../../etc/passwd"}, "manifest.json: '../../etc/passwd' is not among the files of the pack"),
        ({"beside": ["/etc/passwd"]}, "manifest.json: '/etc/passwd' is not among the files of the pack"),
        ({"files": {"../../etc/passwd": {}}}, "../../etc/passwd: the pack is cut short or damaged"),
        ({"files": ["slurm.conf"]}, "manifest.json: it does not say which files there are"),
        ({"files": {"slurm.conf": {"bytes": 1}}}, "slurm.conf: the pack is cut short or damaged"),
    ],
)
def test_a_manifest_names_files_of_its_pack_alone(
    changed: dict[str, Any], said: str, pack: str, tmp_path: Path
) -> None:
    with tarfile.open(pack) as tar:
        tar.extractall(tmp_path / "open", filter="data")
    manifest = tmp_path / "open/site/manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **changed}))
    with tarfile.open(tmp_path / "other.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "open/site", "site")
    with pytest.raises(BadFile, match=re.escape(said)):
        simulate(str(tmp_path / "other.tar.gz"), policy="slurm")


def test_complaints_name_the_pack_and_not_where_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_slurm(tmp_path, FREE)
    (tmp_path / "reservations").write_text("Name|NodeNames|TimeStart|TimeEnd\nm|n1|900|1000\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    path = str(tmp_path / "site.tar.gz")
    slurm_collect.make(3, path, now=1_800_000_000.0)
    with pytest.raises(BadInput, match=re.escape(f"{path}: reservations.txt names nodes")):
        simulate(path, policy="slurm", processors=5)


def test_what_takes_no_pack_says_so(pack: str, tmp_path: Path) -> None:
    """A pack is not read as a log of as many wrong lines as its packed bytes have."""
    other = tmp_path / "site.tar"
    other.write_bytes(Path(pack).read_bytes())
    for path in (pack, str(other)):
        with pytest.raises(BadFile, match="simulate, compare and verify take a pack of files; unpack it"):
            read_log(path)


def test_a_pack_goes_alone(pack: str) -> None:
    with pytest.raises(BadInput, match="a pack brings a machine of its own"):
        compare([pack, "other.swf"], policies=["slurm"])
