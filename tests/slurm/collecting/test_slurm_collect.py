"""The collector: what it asks, what it hides, and that it needs nothing but the standard library."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from molokini.slurm.collecting import slurm_collect
from molokini.slurm.conf_reading import check_text
from tests.kit.slurm_files import CONF, fake_slurm

SCRIPT = Path(slurm_collect.__file__)


def texts_of(path: Path) -> dict[str, str]:
    with tarfile.open(path) as tar:
        return {
            Path(one.name).name: (tar.extractfile(one) or pytest.fail(one.name)).read().decode()
            for one in tar.getmembers()
        }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fake_slurm(tmp_path, f"{CONF}AccountingStoragePass=/secret/socket\nNodeName=x1 NodeAddr=10.0.0.1\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path


def test_names_of_people_are_others_and_the_same_everywhere(folder: Path) -> None:
    about, rows = slurm_collect.make(90, str(folder / "site.tar.gz"), now=1_800_000_000.0)
    texts = texts_of(folder / "site.tar.gz")
    whole = "\n".join(texts.values())
    for name in ("ann", "bob", "zoe", "staff", "/secret", "10.0.0.1"):
        assert name not in whole
    user = texts["sacct.txt"].splitlines()[1].split("|")[1]
    account = texts["sacct.txt"].splitlines()[1].split("|")[3]
    assert f"|{account}|{user}|" in texts["assoc.txt"]
    assert f"AllowAccounts={account}" in texts["slurm.conf"]
    assert "PartitionName=batch" in texts["slurm.conf"]
    assert rows["sacct.txt"] == 7
    assert about["missing"] == ["sshare -alP", "sacctmgr -P show reservation"]
    assert json.loads(texts["manifest.json"])["cluster"] == "tiny"


def test_names_may_be_kept(folder: Path) -> None:
    slurm_collect.make(90, str(folder / "site.tar.gz"), keep=True)
    assert "|ann|" in texts_of(folder / "site.tar.gz")["sacct.txt"]


def test_it_runs_alone(folder: Path) -> None:
    copy = folder / "slurm_collect.py"
    copy.write_bytes(SCRIPT.read_bytes())
    words = [sys.executable, "-S", "-E", str(copy), "--days", "2", "-o", str(folder / "alone.tar.gz")]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=folder, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "7 records of jobs of cluster tiny" in ran.stdout


def test_what_fails_is_said_in_a_line_and_leaves_no_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(slurm_collect.Failed, match="scontrol: No such file or directory; run this where"):
        slurm_collect.make(1, str(folder / "none.tar.gz"))
    assert not list(folder.glob("none*"))


@pytest.mark.parametrize("printed", ["", "JobID"])
def test_a_log_without_jobs_makes_no_pack(printed: str, folder: Path) -> None:
    (folder / "sacct").write_text(printed, encoding="utf-8")
    with pytest.raises(slurm_collect.Failed, match=r"sacct: no record of a job from .* of cluster tiny: "):
        slurm_collect.make(1, str(folder / "none.tar.gz"))
    assert not list(folder.glob("none*"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--days", "0"], "--days: 0 is not allowed; it must be a whole number from 1 to 10000"),
        (["--days", "99999999999"], "--days: 99999999999 is not allowed; it must be"),
        (["-o", "/no/where/x.tar.gz"], "/no/where/x.tar.gz: there is no folder '/no/where' to write it to"),
        (["-o", "."], ".: is a directory"),
        (["--conf", "/no/where"], "/no/where: No such file or directory"),
    ],
)
def test_wrong_words_are_said_in_a_line(
    words: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert slurm_collect.main([*words, *([] if "-o" in words else ["-o", str(folder / "x.tar.gz")])]) == 2
    told = capsys.readouterr()
    assert told.err.startswith(said)
    assert (told.out, told.err.count("\n")) == ("", 1)


NODE = (
    "NodeName=n1 Arch=x86_64 CoresPerSocket=2 CPUAlloc=4 CPUEfctv=4 CPUTot=4 CPULoad=4.01 "
    "AvailableFeatures=a,b ActiveFeatures=a Gres=gpu:a100:2(S:0-1) NodeAddr=10.0.0.1 NodeHostName=n1 "
    "OS=Linux 5.14.0 #1 SMP PREEMPT_DYNAMIC Fri Mar 8 RealMemory=64000 AllocMem=9 FreeMem=1 Sockets=2 "
    "Boards=1 State=ALLOCATED+DRAIN ThreadsPerCore=1 TmpDisk=0 Weight=10 Owner=ann(7) MCS_label=N/A "
    "Partitions=batch CfgTRES=cpu=4 Reason=disk of bob, RealMemory=1 [zoe@2026-11-20T10:00:00] "
    "Comment=staff only"
)
PARTITION = (
    "PartitionName=batch AllowGroups=staff AllowAccounts=ALL AllocNodes=ALL Default=YES QoS=N/A "
    "MaxTime=2-00:00:00 Nodes=n1 OverSubscribe=NO State=UP TotalCPUs=4 TRES=cpu=4,mem=64000M"
)


def test_without_a_file_the_controller_says_what_nodes_are(folder: Path) -> None:
    (folder / "slurm.conf").unlink()
    path = folder / "bin/scontrol"
    shown = f'in\n  *"show node") echo "{NODE}" ;;\n  *"show partition") echo "{PARTITION}" ;;\n'
    path.write_text(path.read_text().replace("in\n", shown, 1))
    slurm_collect.make(90, str(folder / "site.tar.gz"), now=1_800_000_000.0)
    texts = texts_of(folder / "site.tar.gz")
    lines = texts["slurm.conf"].splitlines()
    assert (
        "NodeName=n1 CPUs=4 Boards=1 Sockets=2 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=64000 "
        "Features=a,b Gres=gpu:a100:2(S:0-1) Weight=10"
    ) in lines
    assert not [name for name in ("ann", "bob", "zoe", "staff") if name in texts["slurm.conf"]]
    found = check_text(texts["slurm.conf"], "slurm.conf")
    (node,) = found.checked().nodes
    assert (node.line.usable_cpus, node.line.features) == (4, ("a", "b"))


def test_command_lines_keep_what_a_simulation_needs() -> None:
    assert (
        slurm_collect.command_line("sbatch -N 2-4 --exclusive -J secret /home/x.sh") == "-N 2-4 --exclusive"
    )
    assert slurm_collect.command_line("srun --nodes=3 a") == "-N 3"
    assert slurm_collect.command_line("sbatch -a 1-9:2%3 -J secret x.sh") == "--array=1-9:2%3"


def test_columns_that_a_release_has_not_are_left_out_alone(folder: Path) -> None:
    known = "JobID User Account Partition QOS Submit Eligible Start End State SubmitLine Flags"
    refuses = 'sacct*Restarts*|sacct*Licenses*) echo "sacct: error: Invalid field requested" >&2; exit 1 ;;'
    path = folder / "bin/sacct"
    cases = f'in\n  "sacct -e") echo "{known}" ;;\n  {refuses}\n'
    path.write_text(path.read_text().replace("in\n", cases, 1))
    asked = folder / "asked"
    path.write_text(path.read_text().replace("#!/bin/sh\n", f'#!/bin/sh\necho "$*" >> {asked}\n', 1))
    slurm_collect.make(90, str(folder / "site.tar.gz"), now=1_800_000_000.0)
    columns = asked.read_text().splitlines()[-1].rsplit(" ", 3)
    assert known.replace(" ", ",").split(",") == sorted(
        next(word for word in columns if "JobID" in word).split(","), key=known.split().index
    )


SHARES = ["Account|User|RawUsage", "root||1600", "a||1600", "a|ann|1000", "a|bob|600"]
RECORDS = [
    "JobID|Account|User|Start|End|AllocTRES",
    "1|a|ann|1000|1100|billing=4,cpu=4,node=1",
    "2|a|ann|1100|1200|billing=2,cpu=2,node=1",
    "3|a|ann|Unknown|1200|",
]


@pytest.mark.parametrize(
    ("half_life", "ann", "bob"),
    [("0", 400, 600), ("7-0", 399, 600), ("10", 597, 755), ("0:20", 1000, 600)],
)
def test_usage_goes_back_to_the_first_start_of_the_log(half_life: str, ann: int, bob: int) -> None:
    conf = [f"PriorityDecayHalfLife={half_life}"]
    found = [line.split("|") for line in slurm_collect.usage_before(SHARES, RECORDS, conf)]
    assert [row[2] for row in found[:3]] == ["RawUsage", "1600", "1600"]
    assert [int(row[2]) for row in found[3:]] == pytest.approx([ann, bob], abs=2)


@pytest.mark.parametrize(("now", "before"), [(599, 0), (605, 0), (606, 0), (700, 100)])
def test_usage_below_what_whole_seconds_tell_is_none(now: int, before: int) -> None:
    """Two jobs of 4 and 2 CPUs, each a second longer or shorter than its record says: 6 CPU seconds."""
    shares = ["Account|User|RawUsage", f"a|ann|{now}"]
    found = slurm_collect.usage_before(shares, RECORDS, ["PriorityDecayHalfLife=0"])
    assert found[1] == f"a|ann|{before}"


def test_usage_stays_where_columns_are_missing_or_nothing_ran() -> None:
    assert slurm_collect.usage_before(["Account|User", "a|ann"], RECORDS, []) == ["Account|User", "a|ann"]
    assert slurm_collect.usage_before(SHARES, RECORDS[:1], []) == SHARES


def test_a_distribution_s_release_is_a_release(folder: Path) -> None:
    path = folder / "bin/scontrol"
    path.write_text(path.read_text().replace("slurm 24.05.3", "slurm-wlm 22.05.8"))
    slurm_collect.make(90, str(folder / "site.tar.gz"), now=1_800_000_000.0)
    assert texts_of(folder / "site.tar.gz")["slurm.conf"].startswith("SlurmVersion=22.05\n")
