"""No other user of the machine reads what a server keeps, whatever the mask of its process."""

import os
import stat
from pathlib import Path
from typing import Any

from molokini.server.security.roles import Role
from tests.kit.serving import served


def open_to_others(folder: Path) -> list[str]:
    """What group or others may read or write below *folder*; sockets say by themselves who calls."""
    found = [folder, *folder.rglob("*")]
    return sorted(
        str(path.relative_to(folder.parent))
        for path in found
        if path.lstat().st_mode & 0o077 and not stat.S_ISSOCK(path.lstat().st_mode)
    )


async def test_all_files_of_a_server_are_its_users_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    # The name of the cluster is for all who reach the socket, which lies beside it.
    public = ["state/socket.cluster"]
    given: dict[str, Any] = {"web__listen": "127.0.0.1:0", "accounting__folder": tmp_path / "accounting"}
    try:
        for _ in range(2):
            async with served(tmp_path, server__snapshot_every=1, **given) as one:
                async with one.client("root", Role.ADMINISTRATOR) as root:
                    await root.submit(estimate_s=5, script="#!/bin/sh\n", environment={"KEY": "hush"})
                    await root.issue_token("ann")
                    await root.rotate_tokens()
                await one.advance(100)
                assert open_to_others(tmp_path / "state") == public
            # A server that has ended leaves a snapshot, and its accounting.
            assert open_to_others(tmp_path / "state") == []
            assert open_to_others(tmp_path / "accounting") == []
            assert list((tmp_path / "accounting").iterdir())
    finally:
        os.umask(before)
