"""The folders of control groups: there while an agent lives or a job runs, and gone with the last of them."""

import os
from pathlib import Path

import pytest

from molokini.supervisor.trees import alive
from tests.kit.real_jobs import RealNode, at_work, launch, real_node, until


def bases_of(node: RealNode) -> list[str]:
    """The folders that are there of those in which jobs have their groups."""
    if not node.groups:
        pytest.skip("no control group can be written")
    return [path for path in node.groups.values() if os.path.isdir(path)]


async def test_a_job_that_outlives_its_agent_takes_the_folders_with_it(tmp_path: Path) -> None:
    async with at_work(tmp_path / "spool") as node:
        node.launch(launch(1, "true", folder=tmp_path))
        await node.report(1)
        assert len(bases_of(node)) == len(node.groups), "the next job needs them"
        for number in (2, 3):
            program = f"while [ ! -e end{number} ]; do sleep 0.01; done"
            node.launch(launch(number, "sh", "-c", program, folder=tmp_path))
        pids = [await node.pid(number) for number in (2, 3)]
    assert bases_of(node)
    (tmp_path / "end2").touch()
    await until(lambda: node.spool.record("2-1").ended is not None)
    assert bases_of(node)
    assert alive(pids[1])
    (tmp_path / "end3").touch()
    await until(lambda: not bases_of(node))
    async with real_node(tmp_path / "spool") as again:
        again.welcome(launch(2, folder=tmp_path), launch(3, folder=tmp_path))
        assert [(await again.report(number)).exit_code for number in (2, 3)] == [0, 0]
        assert len(bases_of(again)) == len(again.groups)


async def test_an_agent_that_ends_removes_what_supervisors_could_not(tmp_path: Path) -> None:
    async with at_work(tmp_path / "spool") as node:
        node.launch(launch(1, "true", folder=tmp_path))
        await node.report(1)
        for base in bases_of(node):
            # As a group that was busy giving up its memory, of a job whose end is not acknowledged.
            os.mkdir(f"{base}/1-1")
    assert not bases_of(node)
