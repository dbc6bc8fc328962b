"""What Maui's commands print, line by line: processes against a server whose clock stands."""

from pathlib import Path
from typing import Any

import pytest

from tests.compat.maui.transcripts import HERE, parts, played
from tests.kit.batch_commands import system_variables

UP = ("--nodes", 4, "--processors-per-node", 4, "--clock", "stepped", "--policy")
MAUI = ("maui", "--maui-config", HERE / "maui.cfg")


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("name", "policy"), [("looking.txt", MAUI), ("changing.txt", MAUI), ("replaced.txt", ("fcfs",))]
)
async def test_what_is_printed_is_what_the_transcript_says(
    name: str, policy: tuple[Any, ...], tmp_path: Path
) -> None:
    wanted = list(parts(name))
    async with system_variables(tmp_path, "maui", up=(*UP, *policy)) as cluster:
        found = played(cluster, [command for command, _ in wanted])
        for command, expected in wanted:
            _, printed = await anext(found)
            assert printed == expected, f"$ {command}"
