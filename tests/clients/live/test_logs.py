"""Which file ``molokini logs`` reads of a job on several nodes."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from molokini.clients.arguments.jobs import LogsArguments
from molokini.clients.live import logs
from molokini.clients.live.logs import path_of
from molokini.model.errors import BadInput
from molokini.proto.v1.jobs_pb2 import Allocation, Job, JobSpec


def job(nodes: int = 3, start_s: float | None = None, **spec: Any) -> Job:
    """One that runs on n0, n1 and so on."""
    made = JobSpec(working_directory="/w", **spec)
    allocation = [Allocation(node=f"n{k}", processors=1) for k in range(nodes)]
    return Job(id=7, spec=made, allocation=allocation, start_s=start_s)


@pytest.mark.parametrize(
    ("spec", "node", "path"),
    [
        ({}, None, "molokini-7.out"),
        ({}, "n0", "molokini-7.out"),
        ({}, "n2", "molokini-7.out.n2"),
        ({"stdout_path": "o-%j"}, "n1", "o-7.n1"),
        ({"stdout_path": "o-%N"}, None, "o-n0"),
        ({"stdout_path": "o-%N"}, "n1", "o-n1"),
        ({"stdout_path": "/dev/null"}, "n1", "/dev/null"),
    ],
)
def test_each_node_has_its_file(spec: dict[str, Any], node: str | None, path: str) -> None:
    assert path_of(job(**spec), False, node) == Path("/w") / path


def test_standard_error_of_a_node() -> None:
    assert path_of(job(stderr_path="err"), True, "n1") == Path("/w/err.n1")


def test_a_node_that_is_none_of_its_own() -> None:
    with pytest.raises(BadInput) as refused:
        path_of(job(12), False, "x")
    ten = ", ".join(f"n{k}" for k in range(10))
    assert str(refused.value).endswith(f"it must be a node of job 7: {ten} and 2 more")


class Told:
    """A client that knows one job, which ends when its story is told: a step at each look."""

    def __init__(self, known: Job, steps: Sequence[Callable[[], object]]) -> None:
        self.known, self.steps = known, list(steps)

    async def job(self, name: Any) -> Job:
        # As an answer over the network, for which others do not wait.
        await asyncio.sleep(0)
        return self.known

    async def wait(self, names: Any) -> None:
        while self.steps:
            self.steps.pop(0)()
            # Long enough for one look, which has nothing else to wait for.
            for _ in range(3):
                await asyncio.sleep(logs._LOOK_S)


def followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, steps: Sequence[Callable[[], object]], **more: Any
) -> int:
    """``molokini logs 7 --follow`` of a job on three nodes, during which *steps* happen."""
    known = job(start_s=1.0, **more.pop("spec", {}))
    known.spec.working_directory = str(folder)

    def with_client(work: Callable[[Any], Any]) -> int:
        code: int = asyncio.run(work(Told(known, steps)))
        return code

    monkeypatch.setattr(logs, "_LOOK_S", 0.01)
    monkeypatch.setattr(logs, "with_client", with_client)
    return logs.logs(LogsArguments(**{"job": "7", "follow": True, **more}))


def test_all_nodes_are_followed_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    first, second = tmp_path / "molokini-7.out", tmp_path / "molokini-7.out.n1"

    def add(path: Path, text: bytes) -> Callable[[], object]:
        def write() -> None:
            with path.open("ab") as file:
                file.write(text)

        return write

    # Of the third node nothing can be seen here.
    steps = [add(first, b"a\nhal"), add(second, b"\xff\n\n"), add(first, b"f\n"), add(second, b"no end")]
    assert followed(tmp_path, monkeypatch, steps) == 0
    assert capfdbinary.readouterr().out == b"n0: a\nn1: \xff\nn1: \nn0: half\nn1: no end\n"


def test_half_a_line_of_an_attempt_before_is_forgotten_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The job is put back, and its next attempt begins the file anew."""
    first = tmp_path / "molokini-7.out"
    steps = [lambda: first.write_bytes(b"whole\nhalf"), lambda: first.write_bytes(b"a\n")]
    assert followed(tmp_path, monkeypatch, steps) == 0
    assert capfdbinary.readouterr().out == b"n0: whole\nn0: a\n"


@pytest.mark.parametrize(
    "more", [{"node": "n1"}, {"spec": {"first_node_alone": True}}, {"spec": {"stdout_path": "/dev/null"}}]
)
def test_one_file_is_followed_as_it_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    more: dict[str, Any],
) -> None:
    (tmp_path / "molokini-7.out").write_bytes(b"first")
    (tmp_path / "molokini-7.out.n1").write_bytes(b"second")
    said = {"node": b"second", "first_node_alone": b"first", "stdout_path": b""}
    [key] = more.get("spec", more)
    assert followed(tmp_path, monkeypatch, [], **more) == 0
    assert capfdbinary.readouterr().out == said[key]


def test_of_a_job_of_which_nothing_can_be_seen_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        BadInput, match=r"molokini-7.out: there is no such file on this machine, it ran on n0"
    ):
        followed(tmp_path, monkeypatch, [])


@pytest.mark.parametrize("follow", [False, True])
def test_a_fifo_in_place_of_the_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, follow: bool
) -> None:
    os.mkfifo(tmp_path / "molokini-7.out")
    with pytest.raises(
        BadInput, match=r"molokini-7.out: not a regular file, so it cannot be the output of a job"
    ):
        followed(tmp_path, monkeypatch, [], follow=follow, node="n0")
