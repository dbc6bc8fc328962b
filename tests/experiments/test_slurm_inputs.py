"""Files of a site that do not go together: what is counted, assumed or waits, by name; and it ends."""

from pathlib import Path

import pytest

from molokini.experiments import simulate
from molokini.experiments.result import Result
from tests.kit.slurm_files import CONF, DUMP, QOS, SACCT

FREE = CONF.replace("associations,\\\nlimits,qos", "nosteps")
TIMES = "1060|1060|1800|1860|60"
WIDE = f"7|ann|staff|a|batch|normal|{TIMES}|00:05:00|COMPLETED|64|64|1|0|n1|1||0\n"
LONG = f"7|ann|staff|a|low|normal|{TIMES}|03:00:00|COMPLETED|1|1|1|0|n1|1||0\n"
ELSEWHERE = f"7|ann|staff|a|attic|normal|{TIMES}|00:05:00|COMPLETED|1|1|1|0|n1|1||0\n"


def replayed(folder: Path, conf: str, more: str, *accounts: str) -> Result:
    texts = {"slurm.conf": conf, "dump": DUMP, "qos": QOS, "log": SACCT + more}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    beside = [str(folder / name) for name in accounts]
    return simulate(
        str(folder / "log"), policy="slurm", slurm_conf=str(folder / "slurm.conf"), slurm_accounts=beside
    )


@pytest.mark.parametrize(
    ("conf", "more", "note"),
    [
        (CONF, "", "account zoo (2 jobs) not in the configuration: without an association, which Accounting"),
        (
            FREE,
            "",
            "account zoo (2 jobs) not in the configuration: without an association, so without shares",
        ),
        (CONF, "", "qos gone (2 jobs) not in the configuration: taken as the default QOS of the association"),
        (CONF, "", "user zoe (2 jobs) not in the configuration: without an association, which Accounting"),
        (CONF, ELSEWHERE, "queue attic (1 jobs) not in the configuration: taken as of batch"),
    ],
)
def test_names_that_a_database_lacks_are_counted_with_what_is_assumed(
    conf: str, more: str, note: str, tmp_path: Path
) -> None:
    assert any(note in one for one in replayed(tmp_path, conf, more, "dump", "qos").notes)


@pytest.mark.parametrize(
    ("more", "refused", "unfinished"),
    [("", 0, {}), (WIDE, 1, {}), (LONG, 0, {"PartitionTimeLimit": 1})],
)
def test_jobs_that_the_configuration_can_never_run_are_counted(
    more: str, refused: int, unfinished: dict[str, int], tmp_path: Path
) -> None:
    metrics = replayed(tmp_path, FREE, more).metrics
    assert (sum(metrics["refused"].values()), metrics["unfinished"]) == (refused, unfinished)
    assert metrics["unfinished_jobs"] == sum(unfinished.values())


def test_a_replay_ends_though_a_limit_keeps_jobs_waiting_for_ever(tmp_path: Path) -> None:
    found = replayed(tmp_path, CONF, "", "dump", "qos")
    assert found.metrics["unfinished_jobs"] > 0
    assert found.document["workload"]["notes"]["heterogeneous_components"] == 2


def test_a_replay_holds_the_limit_of_an_array(tmp_path: Path) -> None:
    # The log says that the limit let elements go one by one: they arrive with the first of them.
    head = "JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|ElapsedRaw|Timelimit|State|ReqCPUS|"
    head += "AllocCPUS"
    row = "7_{k}|ann|a|batch|normal|2000|{at}|{at}|{end}|60|00:05:00|COMPLETED|1|1\n"
    rows = [row.format(k=k, at=2000 + 60 * (k // 2), end=2060 + 60 * (k // 2)) for k in range(6)]

    def starts(waiting: str) -> list[float]:
        (tmp_path / "log").write_text(f"{head}\n{''.join(rows)}{waiting}", encoding="utf-8")
        (tmp_path / "slurm.conf").write_text(FREE, encoding="utf-8")
        found = simulate(str(tmp_path / "log"), policy="slurm", slurm_conf=str(tmp_path / "slurm.conf"))
        return [float(at) for at in found.schedule["start_s"]]

    rest = "7_[6-8%2]|ann|a|batch|normal|2000|Unknown|Unknown|Unknown|0|00:05:00|PENDING|1|0\n"
    found = starts(rest)
    assert found[:2] == [0.0, 0.0]
    assert all(59 < later - sooner < 63 for sooner, later in zip(found, found[2:], strict=False))
    assert starts("")[2] == 60.0  # nothing is known of a limit: as the log says, when it was eligible


def test_a_replay_gives_out_whole_cores(tmp_path: Path) -> None:
    """Each job asked for one CPU and had two, says the log: eight have all cores of the four nodes."""
    conf = FREE.replace("CR_CPU", "CR_Core").replace(
        "NodeName=n[10,1-3]", "NodeName=n[10,1-3] Sockets=1 CoresPerSocket=2 ThreadsPerCore=2"
    )
    row = "{}|ann|staff|a|batch|normal|5000|5000|{}|{}|300|00:10:00|COMPLETED|1|2|1|0|n1|1|SchedMain|0\n"
    starts = [5000] * 8 + [5300] * 2
    more = "".join(row.format(20 + k, start, start + 300) for k, start in enumerate(starts))
    found = replayed(tmp_path, conf, more).schedule
    waits = [
        float(start - submitted) for start, submitted in zip(found["start_s"], found["submit_s"], strict=True)
    ]
    assert sorted(waits[-10:]) == [0.0] * 8 + [300.0] * 2
