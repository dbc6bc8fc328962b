"""The example on several nodes: started once on each, with one launcher for all tasks."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from exchange.work import sequential
from tests.kit.exchanging import COMMAND, SMALL, environment, refused
from tests.kit.real_cluster import cluster
from tests.kit.real_jobs import until
from tests.kit.waiting import DEADLINE_S, waited

COUNTS = (2, 1, 3)
"""Tasks on each of three nodes."""


def variables(index: int, counts: tuple[int, ...] = COUNTS) -> dict[str, str]:
    """What an agent says on one of the nodes."""
    return {
        "MOLOKINI_JOB_ID": "7",
        "MOLOKINI_ATTEMPT": "1",
        "MOLOKINI_PROCESSORS": str(sum(counts)),
        "MOLOKINI_NODES": str(len(counts)),
        "MOLOKINI_NODE_INDEX": str(index),
        "MOLOKINI_NODE_NAME": "localhost",
        "MOLOKINI_NODE_PROCESSORS": str(counts[index]),
        "MOLOKINI_FIRST_RANK": str(sum(counts[:index])),
    }


@contextmanager
def nodes(folder: Path, *options: object) -> Iterator[list["subprocess.Popen[str]"]]:
    """The program on each node, ended at the latest after the test."""
    started = [
        subprocess.Popen(
            [*COMMAND, *map(str, options)],
            env=environment(**variables(index)),
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        # The first one last: the others wait for it.
        for index in reversed(range(len(COUNTS)))
    ][::-1]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def ends(started: list["subprocess.Popen[str]"]) -> list[tuple[int, str, str]]:
    said = [process.communicate(timeout=DEADLINE_S) for process in started]
    return [(process.returncode, *words) for process, words in zip(started, said, strict=True)]


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("pattern", ["ring", "all-to-all"])
def test_tasks_of_three_nodes_compute_what_one_node_would(tmp_path: Path, pattern: str) -> None:
    with nodes(tmp_path, "--pattern", pattern, "--iterations", 9, *SMALL) as started:
        (code, out, errors), *others = ends(started)
    assert (code, errors, others) == (0, "", [(0, "", "")] * 2)
    found: dict[str, Any] = json.loads(out)
    assert (found["tasks"], found["iterations"], len(found["shares"])) == (6, 9, 6)
    assert found["checksum"] == sequential(6, pattern, seed=1, rounds=9, units=3, words=5000)
    assert list(tmp_path.iterdir()) == [], "the note of the meeting is gone"


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("killed", [0, 2])
def test_all_end_when_one_node_does(tmp_path: Path, killed: int) -> None:
    with nodes(tmp_path, "--iterations", 10**9, *SMALL) as started:
        waited(lambda: all(len(_tasks(process.pid)) == n for process, n in zip(started, COUNTS, strict=True)))
        started[killed].send_signal(signal.SIGKILL)
        found = ends(started)
    codes = [code for code, _, _ in found]
    assert codes.pop(killed) == -signal.SIGKILL
    assert codes == [1, 1]
    if killed:
        assert "at 127.0.0.1 ended before its work was done" in found[0][2]


def test_the_others_wait_no_longer_than_they_are_told(tmp_path: Path) -> None:
    process = subprocess.run(
        [*COMMAND, "--deadline", "0.1", *SMALL],
        env=environment(**variables(1)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    told = "exchange: the first node has noted nothing in .exchange-7--1 within 0.1 s\n"
    assert (process.returncode, process.stderr) == (1, told)


def test_what_is_refused(tmp_path: Path) -> None:
    on_node = variables(0)
    assert "--tasks: 5 is not allowed; on several nodes" in refused("--tasks", 5, *SMALL, **on_node)
    assert "MOLOKINI_NODE_INDEX: '3'" in refused(*SMALL, **{**on_node, "MOLOKINI_NODE_INDEX": "3"})
    nameless = {**on_node, "MOLOKINI_NODE_NAME": "no.such.node.invalid"}
    assert refused(*SMALL, **nameless).endswith("has no address by its name; say --address")
    assert "--address: 'nowhere.invalid'" in refused("--address", "nowhere.invalid", *SMALL, **nameless)


@pytest.mark.deep
async def test_as_a_job_over_two_agents(tmp_path: Path) -> None:
    async with cluster(tmp_path) as here:
        for name in ("one", "two"):
            await here.agent(name, processors=2)
        said = ("--address", "127.0.0.1", "--pattern", "ring", "--iterations", "20", *SMALL)
        job = await here.client.submit(
            argv=[sys.executable, str(Path(COMMAND[1])), *said],
            nodes=2,
            processors_per_node=2,
            estimate_s=600.0,
            working_directory=str(tmp_path),
        )
        waited_for = await here.client.wait([job], DEADLINE_S)
        ended = waited_for.jobs[0]
        output = (tmp_path / f"molokini-{job}.out").read_text()
        assert (ended.exit_code, [part.node for part in ended.allocation]) == (0, ["one", "two"]), output
        found: dict[str, Any] = json.loads(output)
        assert (found["tasks"], found["iterations"]) == (4, 20)
        assert found["checksum"] == sequential(4, "ring", seed=1, rounds=20, units=3, words=5000)
        assert (tmp_path / f"molokini-{job}.out.two").read_text() == ""
        await until(lambda: not [*tmp_path.glob("*/jobs/*")])


def _tasks(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
