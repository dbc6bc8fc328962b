"""Commands against a server that is named by its gRPC address alone: the same answers, over another
transport."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from molokini.compat import transport
from molokini.compat.failures import NoAnswer, Refused
from molokini.compat.find_server import find
from molokini.compat.grpc_transport import GrpcTransport
from molokini.compat.unix_transport import Gateway
from tests.kit.batch_commands import system_variables
from tests.kit.serving import Served, served

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("ClusterService", "GetCluster", {}),
    ("ClusterService", "ListNodes", {}),
    ("ClusterService", "GetPolicy", {}),
    ("JobService", "Submit", {"spec": {"estimate_s": 5, "submission_key": "k", "array": {"last": 2}}}),
    ("JobService", "ListJobs", {"expand_arrays": True}),
    ("JobService", "GetJob", {"job": {"id": 1, "array_index": 0}}),
    ("JobService", "CancelJobs", {"jobs": [{"id": 1}]}),
]


def named(one: Served, folder: Path, monkeypatch: pytest.MonkeyPatch) -> GrpcTransport:
    monkeypatch.delenv(transport.GATEWAY, raising=False)
    monkeypatch.setenv(transport.SERVER, f"127.0.0.1:{one.server.port}")
    monkeypatch.setenv(transport.TOKEN_FILE, str(folder / "state" / "token"))
    found = find()
    assert isinstance(found, GrpcTransport)
    return found


async def test_the_answers_are_those_of_the_gateway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(tmp_path, server__name="garden") as one:
        gateway, grpc = Gateway(str(tmp_path / "state" / "socket")), named(one, tmp_path, monkeypatch)
        for call in CALLS:
            ours, theirs = (
                await asyncio.to_thread(gateway.call, *call),
                await asyncio.to_thread(grpc.call, *call),
            )
            # The second of two submissions with one key is told so.
            assert {**theirs, "repeated_key": False} == {**ours, "repeated_key": False}
        assert await asyncio.to_thread(lambda: grpc.cluster) == "garden"


async def test_a_refusal_has_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(tmp_path) as one:
        grpc = named(one, tmp_path, monkeypatch)
        with pytest.raises(Refused, match="no job 7") as found:
            await asyncio.to_thread(grpc.call, "JobService", "GetJob", {"job": {"id": 7}})
        assert (found.value.code, found.value.reason) == ("NOT_FOUND", "no_such_job")


def test_no_server_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(transport.SERVER, "127.0.0.1:1")
    monkeypatch.setenv(transport.TIMEOUT, "0.3")
    with pytest.raises(NoAnswer, match=r"127\.0\.0\.1:1: no server can be reached"):
        GrpcTransport().call("ClusterService", "GetCluster", {})


async def test_commands_take_it(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "slurm", up=("--nodes", 1)) as cluster:
        target = (tmp_path / "molokini-state" / "endpoint").read_text().strip()
        named: Any = {
            transport.SERVER: target,
            transport.TOKEN_FILE: str(tmp_path / "molokini-state" / "token"),
        }
        assert await cluster.ran("sbatch", "--wrap", "true", **named) == ("Submitted batch job 1\n", "", 0)
        assert (await cluster.ran("squeue", "-h", "-o", "%i", **named)).lines == ["1"]
