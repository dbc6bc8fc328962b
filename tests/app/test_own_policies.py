"""Policies from files in the live server: found by name, and not trusted to return (B18)."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from molokini.client import errors
from molokini.client.client import Client
from molokini.cycle.calling import compiled_function
from molokini.policies import fcfs
from molokini.proto.v1.jobs_pb2 import JobState
from molokini.server.security.roles import Role
from molokini.server.turn import running_policy as passes
from tests.kit.serving import served
from tests.kit.waiting import DEADLINE_S

ROOT = ("root", Role.ADMINISTRATOR)
ROOTS = Path(__file__).parents[2]
HEAD = """
import time
from molokini.model.policy import Policy
from molokini.cycle.verbs import start
POLICY = Policy(name="x", summary="a trial", promise="none", source="ours")
"""
GREEDY = (
    HEAD
    + """
def schedule(view, now):
    for place in range(view.queue.head, view.queue.tail):
        if view.jobs.width[view.queue.waiting[place]] <= view.machine.idle:
            start(view, view.queue.waiting[place])
"""
)
ENDLESS = (
    HEAD
    + """
def schedule(view, now):
    count = 0
    while view.queue.tail > view.queue.head:
        count = (count * 7 + 1) % 1009
"""
)
SLEEPY = ENDLESS.replace("count = 0", "count, until = 0, time.monotonic() + 20").replace(
    "while ", "while time.monotonic() < until and "
)
"""numba cannot compile it, so it runs as plain Python. Should nobody stop it, it ends all the same."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "own"
    made.mkdir()
    for name, text in (("greedy_one", GREEDY), ("endless", ENDLESS), ("sleepy", SLEEPY)):
        (made / f"{name}.py").write_text(text)
    return made


@pytest.mark.deep
async def test_a_policy_in_the_folder_is_chosen_by_its_name(tmp_path: Path, folder: Path) -> None:
    async with served(tmp_path, "greedy-one", policy__folder=str(folder)) as one, one.client(*ROOT) as root:
        assert (await root.policy()).name == "greedy-one"
        job = await root.submit(processors=16, estimate_s=10, outcome={"run_s": 10})
        assert (await root.set_policy("easy")).name == "easy"
        assert (await root.set_policy("greedy-one")).name == "greedy-one"
        await root.advance(20)
        assert (await root.job(job)).end_s == 10.0
        for stranger in ("greedier-one", str(folder / "greedy_one.py"), "../own/greedy_one"):
            with pytest.raises(errors.NotFound, match="no policy named"):
                await root.set_policy(stranger)
    # Started again, the same still decides.
    async with served(tmp_path, "greedy-one", policy__folder=str(folder)) as one, one.client(*ROOT) as root:
        assert (await root.policy()).name == "greedy-one"


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("first", ["sleepy", "easy"])
async def test_a_pass_in_python_without_end_is_stopped(tmp_path: Path, folder: Path, first: str) -> None:
    more: dict[str, Any] = {"policy__folder": str(folder), "policy__longest_pass_s": 0.5}
    async with served(tmp_path, first, **more) as one, one.client(*ROOT) as root:
        if first != "sleepy":
            await root.set_policy("sleepy")
        job = await root.submit(processors=16, estimate_s=10, outcome={"run_s": 10})
        await root.advance(20)
        assert (await root.policy()).name == "fcfs"
        assert one.core.reactor.last_policy_error.endswith("did not return within 0.5 s")
        assert str(folder / "sleepy.py") in one.core.reactor.last_policy_error
        assert (await root.job(job)).end_s == 10.0


async def test_the_policy_that_steps_in_is_compiled_before_agents_come(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[Any] = []

    def noted(function: Any) -> Any:
        compiled.append(function)
        return compiled_function(function)

    monkeypatch.setattr(passes, "compiled_function", noted)
    async with served(tmp_path, "sleepy", policy__folder=str(folder)) as one:
        assert fcfs.schedule in compiled
        assert one.core.reactor.running_policy.policy.name == "sleepy"


@contextmanager
def serving(tmp_path: Path, folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """``molokini up`` with the policy that does not return; killed at the latest when the block ends."""
    configuration = tmp_path / "server.toml"
    configuration.write_text(
        f"""
[server]
listen = "127.0.0.1:0"
journal = {json.dumps(str(tmp_path / "state"))}
[policy]
name = "endless"
folder = {json.dumps(str(folder))}
longest_pass_s = 0.2
[[nodes]]
names = "n[1-4]"
processors = 4
"""
    )
    roots = os.pathsep.join(str(one.parent) for one in sorted(ROOTS.glob("*/molokini")))
    process = subprocess.Popen(
        [sys.executable, "-m", "molokini.clients.command", "up", "--config", str(configuration)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": roots},
        cwd=tmp_path,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def client_of(state: Path) -> Client:
    return Client.connect((state / "endpoint").read_text().strip(), (state / "token").read_text().strip())


@pytest.mark.dear("the policy is compiled, and two servers run")
@pytest.mark.deep
async def test_machine_code_without_end_ends_the_server_and_fcfs_goes_on(
    tmp_path: Path, folder: Path
) -> None:
    state = tmp_path / "state"
    with serving(tmp_path, folder) as first:
        assert first.stdout is not None
        assert "policy endless" in first.stdout.readline()
        async with client_of(state) as client:
            # Kept, then the policy is asked: nobody hears that it was kept.
            with pytest.raises(errors.Unavailable):
                await client.submit(processors=16, estimate_s=1, outcome={"run_s": 0.01})
        said = first.communicate(timeout=DEADLINE_S)[1]
        assert first.returncode == 1
        assert f"policy {folder / 'endless.py'} does not return" in said.splitlines()[-1]
    with serving(tmp_path, folder) as second:
        assert second.stdout is not None
        assert "policy fcfs" in second.stdout.readline()
        async with client_of(state) as client:
            [ended] = (await client.wait([1], timeout_s=DEADLINE_S)).jobs
            assert (ended.state, ended.exit_code) == (JobState.COMPLETED, 0)
        second.send_signal(signal.SIGTERM)
        second.communicate(timeout=DEADLINE_S)
        assert second.returncode == 0
