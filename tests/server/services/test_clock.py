"""An answered advance of a clock is durable, as every answered change is."""

from pathlib import Path

from molokini.server.security.roles import Role
from tests.kit.serving import served


async def test_a_clock_that_was_advanced_does_not_go_back_at_a_restart(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client("root", Role.ADMINISTRATOR) as root:
        job = await root.submit(processors=1, estimate_s=1000, outcome={"run_s": 500})
        assert (await root.advance(60)).now_s == 60.0
    async with served(tmp_path) as one, one.client("root", Role.ADMINISTRATOR) as root:
        assert (await root.clock()).now_s == 60.0
        assert (await root.job(job)).work_s == 60.0
        await root.advance(440)
        assert (await root.job(job)).end_s == 500.0
