"""Values of gang scheduling that cannot be: refused alike by simulate, configuration and SetPolicy."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from molokini.app.serving import LiveServer
from molokini.client.errors import Refused
from molokini.model.errors import BadInput
from molokini.server.config import load_config
from molokini.server.security.roles import Role
from tests.clients.command_runs import here
from tests.core.workloads.builders import log, record
from tests.kit.serving import served

Shown = pytest.CaptureFixture[str]
Transport = Callable[[Path, Shown, str, dict[str, str]], Awaitable[str]]
JOBS = [record(1, 0, 10, 1), record(2, 5, 10, 1)]


async def simulated(folder: Path, shown: Shown, policy: str, values: dict[str, str]) -> str:
    """The line with which ``molokini simulate`` refuses them."""
    sets = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    ran = here(shown, "simulate", log(folder, "; MaxProcs: 4", *JOBS), "--policy", policy, *sets)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    return ran.err.removeprefix("molokini: ")


async def configured(folder: Path, shown: Shown, policy: str, values: dict[str, str]) -> str:
    """The line with which a server does not start: its file says so."""
    path = folder / "cluster.toml"
    lines = "".join(f"{name} = {value}\n" for name, value in values.items())
    path.write_text(f'[policy]\nname = "{policy}"\n[policy.parameters]\n{lines}')
    given = {"server.listen": "127.0.0.1:0", "server.journal": str(folder / "state"), "server.new": True}
    with pytest.raises(BadInput) as refused:
        await LiveServer.open(load_config(path, given))
    return str(refused.value)


async def set_live(folder: Path, shown: Shown, policy: str, values: dict[str, str]) -> str:
    """The line that an administrator gets; the policy stays what it was."""
    async with served(folder) as serving, serving.client("root", Role.ADMINISTRATOR) as root:
        with pytest.raises(Refused) as refused:
            await root.set_policy(policy, values)
        assert (await root.policy()).name == "fcfs"
    return str(refused.value)


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("transport", [simulated, configured, set_live])
@pytest.mark.parametrize(
    ("policy", "values", "field", "allowed"),
    [
        ("gs", {"mpl": "0"}, "mpl", "a whole number from 1 to 62"),
        ("gs", {"mpl": "63"}, "mpl", "a whole number from 1 to 62"),
        ("bgs", {"mpl": "2.5"}, "mpl", "a whole number from 1 to 62"),
        ("gs", {"quantum_s": "0"}, "quantum_s", "a number from 0.001 to 1,000,000,000"),
        ("mgs", {"quantum_s": "-1"}, "quantum_s", "a number from 0.001 to 1,000,000,000"),
        ("gs", {"context_switch": "1"}, "context_switch", "a number from 0 to 0.99"),
        ("bgs", {"context_switch": "-0.1"}, "context_switch", "a number from 0 to 0.99"),
        ("mgs", {"migration_cost": "201"}, "migration_cost", "a number from 0 to quantum_s, 200"),
        ("mbgs", {"quantum_s": "9"}, "migration_cost", "a number from 0 to quantum_s, 9"),
        ("mgs", {"migration_cost": "-1"}, "migration_cost", "a number from 0 to 1,000,000,000"),
        ("gs", {"switch": '"sometimes"'}, "switch", "one of every, changed"),
        ("bgs", {"columns": '"highest"'}, "columns", "one of lowest, emptiest"),
        ("mgs", {"migrated_tasks": "-1"}, "migrated_tasks", "a whole number from 0 to 1,000,000,000"),
        ("mbgs", {"migrated_tasks": "1.5"}, "migrated_tasks", "a whole number from 0 to 1,000,000,000"),
    ],
)
async def test_what_cannot_be_is_refused_with_its_range(
    tmp_path: Path,
    capsys: Shown,
    transport: Transport,
    policy: str,
    values: dict[str, str],
    field: str,
    allowed: str,
) -> None:
    told = await transport(tmp_path, capsys, policy, values)
    assert f"{field}: " in told
    assert told.rstrip().endswith(f" is not allowed; it must be {allowed}")


@pytest.mark.parametrize("phi", ["-0.1", "1.1", "nan"])
def test_shares_of_exact_estimates_have_a_range(tmp_path: Path, capsys: Shown, phi: str) -> None:
    """They are of simulations alone."""
    path = log(tmp_path, "; MaxProcs: 4", *JOBS)
    ran = here(capsys, "simulate", path, "--policy", "gs", "--overestimate", phi)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "overestimate" in ran.err
    assert "0 to 1" in ran.err or "0<=x<=1" in ran.err
