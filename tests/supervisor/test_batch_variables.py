"""What a job learns of itself: the variables of its batch system, and PBS' file of nodes."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from molokini.supervisor.batch_variables import PROCESSES, SYSTEM, node_lines, system_variables


def lines(asked: str | None) -> list[str]:
    wish: Any = SimpleNamespace(
        nodes=[("n1", 4), ("n2", 2)], environment={} if asked is None else {PROCESSES: asked}
    )
    return node_lines(wish)


@pytest.mark.parametrize(
    ("asked", "counts"),
    [
        (None, (4, 2)),
        ("node=1", (1, 1)),
        ("node=3", (3, 3)),
        ("each=1:1", (4, 2)),
        ("each=2:1", (2, 1)),
        ("each=1:2", (8, 4)),
        ("each=0:1", (4, 2)),
        ("odd", (4, 2)),
        ("node=", (4, 2)),
        ("node=x", (4, 2)),
    ],
)
def test_a_node_has_as_many_lines_as_were_asked_for(asked: str | None, counts: tuple[int, int]) -> None:
    found = lines(asked)
    assert (found.count("n1"), found.count("n2")) == counts
    assert found == sorted(found)


@pytest.mark.parametrize(("asked", "found"), [(None, "nodes"), ("node=2", "nodes.pbs"), ("odd", "nodes.pbs")])
def test_a_job_that_asks_has_a_file_of_its_own(tmp_path: Path, asked: str | None, found: str) -> None:
    """Any other one has that of all batch systems, which is one line a processor."""
    environment = {SYSTEM: "pbs", **({} if asked is None else {PROCESSES: asked})}
    wish: Any = SimpleNamespace(job=1, index=-1, name="a", queue="b", node=0, environment=environment)
    wish.user, wish.attempt = "root", 1
    wish.nodes = [("n1", 3), ("n2", 1)]
    told = system_variables(wish, str(tmp_path))
    assert told["PBS_NODEFILE"] == str(tmp_path / found)
    if asked is not None:
        text = (tmp_path / found).read_text()
        assert text == ("n1\nn1\nn2\nn2\n" if asked == "node=2" else "n1\nn1\nn1\nn2\n")
        assert (tmp_path / found).stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("asked", ["node=999999999999", "each=1:999999999999", "node=" + "9" * 5000])
def test_no_wish_fills_the_disk(asked: str) -> None:
    assert lines(asked) == ["n1"] * 4 + ["n2"] * 2


@pytest.mark.parametrize(
    ("system", "names"),
    [
        ("pbs", "TMPDIR PBS_JOBDIR PBS_O_QUEUE PBS_JOBCOOKIE PBS_MOMPORT PBS_QUEUE PBS_JOBID"),
        ("lsf", "LSB_JOBID LSB_JOBINDEX LSB_JOBNAME LSB_QUEUE LSB_HOSTS LSB_MCPU_HOSTS LSB_DJOB_HOSTFILE"),
        (
            "lsf",
            "LSB_DJOB_NUMPROC LSB_MAX_NUM_PROCESSORS LSB_BATCH_JID LSB_JOBRES_PID LS_JOBPID LSB_SUB_USER",
        ),
        ("lsf", "LSB_OUTPUTFILE LSB_EFFECTIVE_RSRCREQ LSFUSER"),
        ("slurm", "TMPDIR HOSTNAME SLURM_GTIDS SLURM_TASK_PID SLURM_PRIO_PROCESS SLURM_NODE_ALIASES"),
        ("slurm", "SLURM_TOPOLOGY_ADDR SLURM_TOPOLOGY_ADDR_PATTERN SLURM_JOB_ID SLURMD_NODENAME"),
    ],
)
def test_every_variable_has_a_value(tmp_path: Path, system: str, names: str) -> None:
    wish: Any = SimpleNamespace(job=1, index=-1, name="a", queue="b", node=0, user="root", attempt=1)
    wish.nodes, wish.environment = [("n1", 3)], {SYSTEM: system}
    wish.stdout, wish.stderr = "out.%j", ""
    told = system_variables(wish, str(tmp_path))
    if system == "lsf":
        assert told["LSB_OUTPUTFILE"] == "out.1"
        assert "LSB_ERRORFILE" not in told
    assert [name for name in names.split() if not told.get(name)] == []


@pytest.mark.parametrize("system", ["pbs", "slurm"])
def test_a_folder_for_temporary_files_that_the_user_sends_stays(tmp_path: Path, system: str) -> None:
    wish: Any = SimpleNamespace(job=1, index=-1, name="a", queue="b", node=0, user="root", attempt=1)
    wish.nodes, wish.environment = [("n1", 3)], {SYSTEM: system, "TMPDIR": "/scratch"}
    assert system_variables(wish, str(tmp_path))["TMPDIR"] == "/scratch"
