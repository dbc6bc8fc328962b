"""What gang scheduling in blocks refuses in a configuration."""

import asyncio
from pathlib import Path

import pytest

from molokini.app.serving import settings_of
from molokini.app.up import _serve as serving_up
from molokini.model.errors import BadValue
from molokini.server.config import load_config
from tests.app.test_up import said
from tests.kit.blocks import REFUSED, SIX
from tests.kit.matrix_rows import BLOCKS
from tests.kit.waiting import DEADLINE_S

each = pytest.mark.parametrize(("values", "text"), REFUSED, ids=[next(iter(one)) for one, _ in REFUSED])


@each
def test_in_a_configuration(values: dict[str, str], text: str) -> None:
    [(name, value)] = values.items()
    config = load_config(None, {"policy.name": BLOCKS, f"policy.parameters.{name}": value})
    with pytest.raises(BadValue) as caught:
        settings_of(config)
    assert text in str(caught.value)


async def test_a_cluster_of_no_power_of_two_does_not_start(tmp_path: Path) -> None:
    given = {
        "server.listen": "127.0.0.1:0",
        "server.new": True,
        "server.journal": str(tmp_path / "state"),
        "policy.name": BLOCKS,
    }
    config = load_config(None, given)
    with pytest.raises(BadValue) as caught:
        await asyncio.wait_for(
            serving_up(config, said(nodes=3, procs_per_node=2), lambda: config), DEADLINE_S
        )
    assert SIX in str(caught.value)
