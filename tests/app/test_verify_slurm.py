"""The policy slurm decides live as it does simulated, by a slurm.conf, on the nodes that it describes."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from molokini.experiments import simulate
from molokini.slurm.collecting import slurm_collect
from tests.clients.command_runs import Ran, here
from tests.kit.slurm_files import CONF, DUMP, QOS, SACCT_COLUMNS, fake_slurm

Command = Callable[..., Ran]


@pytest.fixture
def molokini(capsys: pytest.CaptureFixture[str]) -> Command:
    return lambda *arguments: here(capsys, *arguments)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a slurm.conf, what its database holds, and a log of jobs that meet."""
    draw, at_s, lines = np.random.default_rng(3), 1000, [SACCT_COLUMNS]
    for number in range(1, 41):
        at_s += int(draw.integers(0, 40))
        user, account = (("ann", "a"), ("bob", "d"))[int(draw.integers(2))]
        qos, run_s = (
            ("normal", "high")[int(user == "ann" and draw.random() < 0.5)],
            int(draw.integers(20, 500)),
        )
        times = f"{at_s}|{at_s}|{at_s}|{at_s + run_s}|{run_s}|00:10:00"
        width = int(draw.choice((1, 2, 4)))
        lines.append(
            f"{number}|{user}|staff|{account}|batch|{qos}|{times}|COMPLETED|{width}|{width}|1|0|n1|1||0"
        )
    texts = {"slurm.conf": CONF, "dump": DUMP, "qos": QOS, "log": "\n".join(lines) + "\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def words_of(site: Path, *accounts: str) -> list[object]:
    given = [word for name in accounts for word in ("--slurm-accounts", site / name)]
    return ["verify", site / "log", "--policy", "slurm", "--slurm-conf", site / "slurm.conf", *given]


def test_the_site_s_own_configuration_decides_alike(site: Path, molokini: Command) -> None:
    found = molokini(*words_of(site, "dump", "qos"), "--json", "-").json
    assert found["equal"]
    assert set(found["differences"].values()) == {0.0}
    assert found["cluster"] == {"processors": 32}
    assert found["policy"]["slurm_conf"]["file"] == str(site / "slurm.conf")


def test_features_that_jobs_asked_for_count_in_neither_run(site: Path, molokini: Command) -> None:
    """All ask for what a few nodes have: simulated alone they would wait for these."""
    header, *lines = (site / "log").read_text(encoding="utf-8").splitlines()
    asking = [f"{header}|Constraints", *(f"{line}|a&b" for line in lines)]
    (site / "log").write_text("\n".join(asking) + "\n", encoding="utf-8")
    found = molokini(*words_of(site, "dump", "qos"), "--json", "-").json
    assert found["equal"]
    assert set(found["differences"].values()) == {0.0}


def test_whole_cores_are_given_out_alike(site: Path, molokini: Command) -> None:
    threads = CONF.replace("CR_CPU", "CR_Core").replace("DEFAULT CPUs=4", "DEFAULT CPUs=4 ThreadsPerCore=2")
    (site / "slurm.conf").write_text(threads, encoding="utf-8")
    found = molokini(*words_of(site, "dump", "qos"), "--json", "-").json
    assert found["equal"]
    assert set(found["differences"].values()) == {0.0}
    conf, accounts = str(site / "slurm.conf"), [str(site / name) for name in ("dump", "qos")]
    mean = [
        simulate(
            str(site / "log"), policy="slurm", slurm_conf=conf, slurm_accounts=accounts, set=given
        ).metrics["mean_wait_s"]
        for given in ({}, {"cpus_per_unit": "1"})
    ]
    assert mean[0] > mean[1]


SUSPENDING = """\
SchedulerParameters=bf_interval=10,batch_sched_delay=0
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=1000
PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG
NodeName=n[1-4] CPUs=4 RealMemory=16000
PartitionName=low Nodes=n[1-4] Default=YES
PartitionName=mid Nodes=n[1-3] PriorityTier=5
PartitionName=high Nodes=n[1-4] PriorityTier=10 PreemptMode=OFF
"""


def test_jobs_are_suspended_live_as_they_are_simulated(site: Path, molokini: Command) -> None:
    """Three tiers on sixteen CPUs, with memory that jobs keep."""
    lines = (site / "log").read_text(encoding="utf-8").splitlines()
    draw, made = np.random.default_rng(5), [lines[0]]
    for line in lines[1:]:
        fields = line.split("|")
        fields[4] = str(draw.choice(("low", "low", "mid", "high", "high")))
        widths = (4, 8, 12) if fields[4] == "high" else (1, 2, 4)
        fields[13] = fields[14] = str(draw.choice(widths))
        fields[16] = f"{draw.choice((100, 500, 1500))}Mc"
        made.append("|".join(fields))
    (site / "log").write_text("\n".join(made) + "\n", encoding="utf-8")
    (site / "slurm.conf").write_text(SUSPENDING, encoding="utf-8")
    found = molokini(*words_of(site), "--json", "-").json
    assert set(found["differences"].values()) == {0.0}
    simulated = simulate(str(site / "log"), policy="slurm", slurm_conf=str(site / "slurm.conf"))
    assert simulated.metrics["suspensions"] >= 10
    assert simulated.metrics["requeues"] == 0


LISTS = """\
SchedulerParameters=bf_interval=10,batch_sched_delay=0
SelectTypeParameters=CR_CPU
PriorityType=priority/multifactor
PriorityWeightPartition=1000
PriorityWeightAge=1000
PriorityMaxAge=0-1
PreemptType=preempt/partition_prio
PreemptMode={mode}
NodeName=n[1-4] CPUs=4
PartitionName=low Nodes=n[1-4] Default=YES
PartitionName=left Nodes=n[1-2] PriorityJobFactor=9 PreemptMode=OFF
PartitionName=right Nodes=n[2-4] PriorityTier=5 MaxTime=5 PreemptMode=OFF
"""


@pytest.mark.parametrize("mode", ["OFF", "REQUEUE"])
def test_partitions_are_chosen_live_as_they_are_simulated(mode: str, site: Path, molokini: Command) -> None:
    lines = (site / "log").read_text(encoding="utf-8").splitlines()
    draw, made = np.random.default_rng(7), [lines[0]]
    for line in lines[1:]:
        fields = line.split("|")
        fields[4] = str(draw.choice(("low", "low", "left,right", "right,low", "low,left,right", "left")))
        fields[11] = str(draw.choice(("00:05:00", "00:10:00")))
        fields[13] = fields[14] = str(draw.choice((1, 2, 4, 8)))
        made.append("|".join(fields))
    (site / "log").write_text("\n".join(made) + "\n", encoding="utf-8")
    (site / "slurm.conf").write_text(LISTS.format(mode=mode), encoding="utf-8")
    found = molokini(*words_of(site), "--json", "-").json
    assert set(found["differences"].values()) == {0.0}
    simulated = simulate(
        str(site / "log"), policy="slurm", slurm_conf=str(site / "slurm.conf"), by="partition"
    )
    assert (simulated.metrics["requeues"] > 0) == (mode == "REQUEUE")
    assert {row["name"] for row in simulated.document["breakdowns"]["partition"]} == {"low", "left", "right"}


def test_what_jobs_ask_of_nodes_counts_in_neither_run(site: Path, molokini: Command) -> None:
    """Jobs are submitted with their processors alone: memory and numbers of nodes of the log play no part."""
    lines = (site / "log").read_text(encoding="utf-8").splitlines()
    made = [lines[0]]
    for k, line in enumerate(lines[1:]):
        fields = line.split("|")
        fields[15], fields[16] = fields[13], ("16000Mc", "60000Mn", "0")[k % 3]
        made.append("|".join(fields))
    (site / "log").write_text("\n".join(made) + "\n", encoding="utf-8")
    (site / "slurm.conf").write_text(CONF.replace("CR_CPU", "CR_CPU_Memory"), encoding="utf-8")
    words = words_of(site, "dump", "qos")
    assert set(molokini(*words, "--json", "-").json["differences"].values()) == {0.0}


def test_jobs_that_are_refused_at_submission_are_left_out_and_counted(site: Path, molokini: Command) -> None:
    lines = (site / "log").read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3].replace("|00:10:00|", "|3-00:00:00|")
    lines[5] = lines[5].replace("|normal|", "|vip|").replace("|high|", "|vip|")
    (site / "log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (site / "slurm.conf").write_text(f"EnforcePartLimits=ALL\n{CONF}", encoding="utf-8")
    ran = molokini(*words_of(site, "dump", "qos"), "--json", "-")
    assert (ran.json["equal"], ran.json["workload"]["jobs"]) == (True, 38)
    assert (
        "molokini: 2 jobs left out, which the live server refuses when they are submitted: estimate"
        in ran.err
    )


def test_a_pack_brings_its_configuration(
    tmp_path: Path, molokini: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_slurm(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    slurm_collect.make(3, str(tmp_path / "site.tar.gz"), now=1_800_000_000.0)
    ran = molokini("verify", tmp_path / "site.tar.gz", "--policy", "slurm", "--json", "-")
    assert (ran.json["equal"], ran.json["workload"]["file"]) == (True, "site.tar.gz")
    assert "molokini-site-" not in ran.out + ran.err


def test_jobs_hold_licences_live_as_they_do_simulated(site: Path, molokini: Command) -> None:
    lines = (site / "log").read_text(encoding="utf-8").splitlines()
    held = ["", "matlab:3", "matlab:4,other:1", "other:9"]
    with_them = [f"{line}|{held[k % 4]}" for k, line in enumerate(lines[1:])]
    (site / "log").write_text("\n".join([f"{lines[0]}|Licenses", *with_them]) + "\n", encoding="utf-8")
    free = CONF.replace("associations,\\\nlimits,qos", "nosteps").replace("matlab:10", "matlab:7")
    waits_s, notes = set(), []
    for has, option in (("Licenses=matlab:7", ""), ("Licenses=matlab:7", ",bf_licenses"), ("", "")):
        text = free.replace("Licenses=matlab:7", has).replace("bf_interval=10", f"bf_interval=10{option}")
        (site / "slurm.conf").write_text(text, encoding="utf-8")
        if has:
            found = molokini(*words_of(site), "--json", "-").json
            assert set(found["differences"].values()) == {0.0}
        simulated = simulate(str(site / "log"), policy="slurm", slurm_conf=str(site / "slurm.conf"))
        waits_s.add(simulated.metrics["mean_wait_s"])
        notes.append([one for one in simulated.notes if "license" in one])
    # They count, and so does planning them.
    assert len(waits_s) == 3
    not_counted = "not in the configuration: not counted"
    assert notes[0] == notes[1] == [f"log: license other (20 jobs) {not_counted}"]
    assert notes[2] == [f"log: license matlab, other (40 jobs) {not_counted}"]


def test_elements_of_arrays_are_jobs_of_their_own_in_both(site: Path, molokini: Command) -> None:
    """Eight jobs in a row are an array, of which the simulation alone plans one element at a time."""
    lines = (site / "log").read_text(encoding="utf-8").splitlines()
    header = lines[0].split("|")
    made = [lines[0]]
    for k, line in enumerate(lines[1:]):
        fields = line.split("|")
        fields[header.index("JobID")] = f"{k // 8 * 8 + 100}_{k % 8}"
        # Elements come together, in the order of their numbers, and are wide.
        for name in ("Submit", "Eligible"):
            fields[header.index(name)] = str(1000 + k // 8 * 100)
        made.append("|".join(fields))
    (site / "log").write_text("\n".join(made) + "\n", encoding="utf-8")
    waits_s = set()
    for most in (1, 20):
        text = CONF.replace("bf_interval=10", f"bf_interval=10,bf_max_job_array_resv={most}")
        (site / "slurm.conf").write_text(text, encoding="utf-8")
        simulated = simulate(str(site / "log"), policy="slurm", slurm_conf=str(site / "slurm.conf"))
        waits_s.add(simulated.metrics["mean_wait_s"])
    assert len(waits_s) == 2
    found = molokini(*words_of(site, "dump", "qos"), "--json", "-").json
    assert set(found["differences"].values()) == {0.0}


@pytest.mark.parametrize("release", ["25.05", "24.11"])
def test_least_limits_make_live_starts_as_they_do_simulated(
    release: str, site: Path, molokini: Command
) -> None:
    """Half of the jobs accept a minute, and many a longer time than they get."""
    lines = (site / "log").read_text(encoding="utf-8").splitlines()
    asked = [
        f"{line}|{'sbatch -t 10 --time-min=1 x' if k % 2 else 'sbatch x'}" for k, line in enumerate(lines[1:])
    ]
    (site / "log").write_text("\n".join([f"{lines[0]}|SubmitLine", *asked]) + "\n", encoding="utf-8")
    (site / "slurm.conf").write_text(f"SlurmVersion={release}\n{CONF}", encoding="utf-8")
    found = molokini(*words_of(site, "dump", "qos"), "--json", "-").json
    assert found["equal"]
    assert set(found["differences"].values()) == {0.0}
    made = site / "made.csv"
    simulated = molokini(
        *("simulate", site / "log", "--policy", "slurm", "--slurm-conf", site / "slurm.conf"),
        *(
            "--slurm-accounts",
            site / "dump",
            "--slurm-accounts",
            site / "qos",
            "--schedule",
            made,
            "--json",
            "-",
        ),
    ).json
    with made.open(encoding="utf-8", newline="") as file:
        limits = {float(row["limit_s"]) for row in csv.DictReader(file)}
    assert simulated["metrics"]["killed_jobs"] > 0
    # They grow since 25.05.
    assert limits == ({0.0, 60.0} if release == "24.11" else {0.0, 120.0, 240.0, 300.0})


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (
            ("--policy", "easy", "--slurm-conf", "slurm.conf"),
            "--slurm-conf configures the policy slurm, not easy; say --policy slurm",
        ),
        (
            ("--policy", "slurm", "--slurm-conf", "slurm.conf", "--procs", "8"),
            "--procs 8: the nodes of --slurm-conf are the machine; leave --procs out",
        ),
        (("--policy", "slurm", "--slurm-conf", "none.conf"), "none.conf"),
        (
            ("--policy", "slurm", "--slurm-accounts", "qos", "--procs", "8"),
            "qos belongs to a configuration: give --slurm-conf FILE",
        ),
    ],
)
def test_what_does_not_go_with_it_is_refused(
    words: tuple[str, ...], cause: str, site: Path, molokini: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site)
    ran = molokini("verify", "log", *words)
    assert ran.code == 2
    assert cause in ran.err
