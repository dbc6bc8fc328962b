"""Each answer of the gateway names the cluster, so that a command needs no second call to name a job."""

import asyncio
from pathlib import Path

from molokini.compat.unix_transport import Gateway
from tests.kit.serving import served


async def test_an_answer_names_its_cluster(tmp_path: Path) -> None:
    async with served(tmp_path, server__name="garden"):
        transport = Gateway(str(tmp_path / "state" / "socket"))
        await asyncio.to_thread(transport.call, "ClusterService", "GetCluster", {})
        assert transport.cluster == "garden"
