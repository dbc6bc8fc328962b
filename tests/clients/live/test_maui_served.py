"""``molokini maui`` against a real server with emulated nodes: what is done, and what is shown of it."""

import asyncio
import csv
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from molokini.compat.tool import ended
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.security.roles import Role
from tests.clients.command_runs import Ran, here
from tests.kit.maui_file import maui_file
from tests.kit.serving import Served, served

Shell = Callable[..., Awaitable[Ran]]
GB_KB = 1 << 20
OFFERS = [
    NodeOffer(names="n[1-2]", processors=4, memory_kb=4 * GB_KB),
    NodeOffer(names="n[3-4]", processors=4, memory_kb=8 * GB_KB, features=["big"]),
]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """``molokini maui`` of an administrator in a thread, as the server of this process must answer it."""

    async def ran(one: Served, *arguments: object) -> Ran:
        monkeypatch.setenv("MOLOKINI_SERVER", f"127.0.0.1:{one.server.port}")
        monkeypatch.setenv("MOLOKINI_TOKEN", one.token("root", Role.ADMINISTRATOR))
        return await asyncio.to_thread(here, capsys, "maui", *arguments)

    return ran


def cluster(tmp_path: Path, *lines: str) -> Any:
    file = maui_file(tmp_path, "NODEALLOCATIONPOLICY FIRSTAVAILABLE", *lines)
    return served(tmp_path, "maui", OFFERS, policy__maui_config=str(file))


async def test_windows_are_on_the_nodes_that_are_wanted(tmp_path: Path, shell: Shell) -> None:
    async with cluster(tmp_path, "NODECFG[n2] FEATURES=fast") as one:
        async with one.client() as ann:
            await ann.submit(processors=3, estimate_s=500, memory_kb=GB_KB)

        async def windows(*options: object) -> list[tuple[int, float | None, int]]:
            found = (await shell(one, "showbf", *options, "--json")).json["windows"]
            return [(each["processors"], each["duration_s"], each["nodes"]) for each in found]

        assert await windows("-n", 4) == [(13, None, 4)]
        assert await windows("-m", ">=8G") == [(8, None, 2)]
        assert await windows("-m", "<8192") == [(5, None, 2)]
        assert await windows("-M", "2G") == [(10, None, 3)]
        assert await windows("-f", "big", "-n", 2) == [(8, None, 2)]
        assert await windows("-f", "fast") == [(4, None, 1)]
        assert await windows("-f", "fast", "-d", "1:00:00", "-n", 2) == []
        told = await shell(one, "showbf", "-f", "fast")
        assert told.out.splitlines()[2:] == ["  4 procs available with no timelimit on 1 node"]
        for wrong in (("-f", "fats"), ("-m", "much"), ("-M", "1X"), ("-n", -1), ("-d", "soon")):
            refused = await shell(one, "showbf", *wrong)
            assert (refused.code, refused.err.count("\n")) == (2, 1), wrong


async def test_jobs_are_told_with_what_is_odd_about_them(tmp_path: Path, shell: Shell) -> None:
    async with cluster(tmp_path, "USERCFG[bob] MAXPROC=2") as one:
        async with one.client() as ann, one.client("bob") as bob:
            await ann.submit(processors=3, estimate_s=500, memory_kb=GB_KB)
            await bob.submit(processors=4, estimate_s=60)
            await ann.submit(processors=1, held=True)
        found = (await shell(one, "diagnose", "-j", "--json")).json
        run, over, held = found["jobs"]
        assert (run["state"], run["nodes"], run["memory_mb"], run["reason"]) == (
            "running",
            {"n1": 3},
            3072.0,
            None,
        )
        assert (over["rule"], over["warnings"]) == (
            "over-hard-limit",
            ["never starts under the present limits"],
        )
        assert (held["state"], held["rule"], held["memory_mb"]) == ("held", "held", None)
        assert found["totals"] == {"jobs": 3, "jobs_active": 1, "warnings": 1}
        assert set(run) == set(over) == set(held)
        assert [line["job"] for line in (await shell(one, "diagnose", "-j", 2, "--json")).json["jobs"]] == [
            "2"
        ]
        told = await shell(one, "diagnose", "-j")
        assert "WARNING:  job '2' never starts under the present limits" in told.out


async def test_the_scheduler_and_its_agents_are_told(tmp_path: Path, shell: Shell) -> None:
    async with cluster(tmp_path, "MAXJOBPERITERATION 3") as one:
        before = (await shell(one, "diagnose", "-S", "--json")).json
        assert (before["mode"], before["clock"]["kind"], before["policy"]) == ("live", "stepped", "maui")
        assert (before["poll_interval_s"], before["most_starts_per_iteration"]) == (3600.0, 3)
        assert (before["warnings"], before["policy_failures"], before["starts"]) == ([], 0, 1)
        async with one.client() as ann:
            await ann.submit(processors=3, estimate_s=500)
        after = (await shell(one, "diagnose", "-S", "--json")).json
        assert after["iterations"] > before["iterations"]
        assert after["next_iteration_s"] == 3600.0, "of the timer: a job runs"
        assert after["jobs"] == {"active": 1, "waiting": 0, "blocked": 0}
        assert "Poll Interval: 1:00:00" in (await shell(one, "diagnose", "-S")).out

        found = (await shell(one, "diagnose", "-R", "--json")).json
        [agent] = found["agents"]
        assert (agent["connected"], agent["nodes"], agent["nodes_up"], agent["processors"]) == (
            True,
            4,
            4,
            16,
        )
        assert agent["attempts"] == 1
        assert 0.0 <= agent["silent_s"] <= found["lease_s"]
        assert agent["lease_left_s"] <= found["lease_s"] + found["margin_s"]
        assert found["warnings"] == []
        async with one.client("root", Role.ADMINISTRATOR) as root:
            await root.drain(["n2"])
        told = await shell(one, "diagnose", "-R")
        assert f"WARNING:  agent {agent['agent']}: 1 of 4 nodes are not up" in told.out


ALIKE = {
    "showq": (),
    "showq -r": (),
    "showq -i": (),
    "showq -b": (),
    "showres": ("-v",),
    "showbf -u bob": ("-v",),
    "showstart 2": (),
    "showstats": ("-v",),
    "showstats -u": ("-v",),
    "showgrid JOBCOUNT": (),
    "checkjob 1": (),
    "checkjob -v 2": (),
    "checkjob 3": (),
    "checknode n1": (),
    **{f"diagnose -{letter}": () for letter in "aucgfjnpqQrtSR"},
}
"""Our commands, and the options with which a batch command shows as much."""


async def test_the_batch_commands_print_the_same(
    tmp_path: Path, shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    """To the last sign, but for what ours adds at the end of starts."""

    def printed(line: str) -> str:
        name, *words = line.split()
        assert ended("maui", name, [*ALIKE[line], *words]) == 0
        return capsys.readouterr().out

    def without_times(text: str) -> list[str]:
        """Real seconds go on between two commands."""
        return [
            line for line in text.splitlines() if not line.startswith(("  Last message", "firm", "would"))
        ]

    async with cluster(tmp_path, "USERCFG[bob] MAXPROC=12") as one:
        async with one.client() as ann, one.client("bob") as bob:
            await ann.submit(processors=14, estimate_s=500, memory_kb=GB_KB)
            await bob.submit(processors=8, estimate_s=60)
            await ann.submit(processors=1, held=True)
        for line in ALIKE:
            ours = await shell(one, *line.split())
            assert (ours.code, ours.err) == (0, ""), line
            theirs = await asyncio.to_thread(printed, line)
            kept = without_times(theirs)
            assert without_times(ours.out)[: len(kept)] == kept, line


async def test_reservations_on_nodes_are_made_kept_shown_and_released(tmp_path: Path, shell: Shell) -> None:
    async with cluster(tmp_path) as one:
        done = await shell(one, "setres", "-u", "bob", "-d", 1000, "n3,n[12]")
        assert (done.code, done.out) == (
            0,
            "reservation 'bob.1' created on 3 nodes (12 processors)\nn1:4\nn2:4\nn3:4\n",
        )
        async with one.client() as ann, one.client("bob") as bob:
            stranger = await ann.submit(processors=4, estimate_s=2000)
            late = await ann.submit(processors=1, estimate_s=2000)
            friend = await bob.submit(processors=4, estimate_s=500)
            jobs = {line["job"]: line for line in (await shell(one, "diagnose", "-j", "--json")).json["jobs"]}
        assert jobs[str(stranger)]["nodes"] == {"n4": 4}
        assert jobs[str(late)]["rule"] == "reserved-for-others"
        assert set(jobs[str(friend)]["nodes"]) <= {"n1", "n2", "n3"}

        found = (await shell(one, "showres", "--json")).json["reservations"]
        [kept] = [line for line in found if line["type"] == "user"]
        assert (kept["reservation"], kept["nodes"], kept["end_s"]) == (
            "bob.1",
            {"n1": 4, "n2": 4, "n3": 4},
            1000.0,
        )
        checked = (await shell(one, "checknode", "n2", "--json")).json["reservations"]
        assert [line["reservation"] for line in checked] == ["bob.1"]
        assert (await shell(one, "checknode", "n4", "--json")).json["reservations"] == []
        refused = await shell(one, "setres", "n[7-9]")
        assert (refused.code, refused.err.count("\n")) == (2, 1)

        assert (await shell(one, "releaseres", "bob.1")).code == 0
        running = (await shell(one, "showq", "-r", "--json")).json["active"]
        assert str(late) in [line["job"] for line in running]


async def test_a_replay_beside_the_same_reservation_starts_the_same_jobs(
    tmp_path: Path, shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jobs of user 1 and 2 on four nodes, of which two are kept for 2 from 0 to 1000."""
    jobs = [(1, 8, 2000), (1, 8, 400), (2, 6, 300), (1, 2, 900), (2, 4, 100), (1, 4, 50)]
    log, kept, file = tmp_path / "log.swf", tmp_path / "kept.toml", tmp_path / "plain.cfg"
    lines = [
        f"{number} 0 -1 {length} {width} -1 -1 {width} {length} -1 1 {user} 1 -1 1 -1 -1 -1"
        for number, (user, width, length) in enumerate(jobs, 1)
    ]
    log.write_text("; MaxProcs: 16\n" + "".join(f"{line}\n" for line in lines))
    kept.write_text(
        '[[reservations]]\nname = "2.1"\nnodes = ["node[003-004]"]\nend_s = 1000\naccess = { user = [2] }\n'
    )
    file.write_text("NODEALLOCATIONPOLICY FIRSTAVAILABLE\nBACKFILLPOLICY FIRSTFIT\n")
    table = tmp_path / "schedule.csv"
    options = ["--nodes", "4", "--procs-per-node", "4", "--policy", "maui", "--maui-config", file]
    ran = here(capsys, "simulate", log, *options, "--reservations", kept, "--schedule", table)
    assert ran.code == 0, ran.err
    rows = csv.DictReader(table.read_text().splitlines())
    simulated = {int(row["job"]): float(row["start_s"]) for row in rows}

    offers = [NodeOffer(names="node[001-004]", processors=4)]
    async with served(tmp_path, "maui", offers, policy__maui_config=str(file)) as one:
        done = await shell(one, "setres", "-u", "2", "-s", 0, "-e", 1000, "node00[34]")
        assert done.code == 0, done.err
        for user, width, length in jobs:
            async with one.client(str(user)) as client:
                await client.submit(processors=width, estimate_s=length, outcome={"run_s": length})
        async with one.client("root", Role.ADMINISTRATOR) as root:
            await root.advance(10_000.0)
        starts = {
            number: element.start_s
            for number in simulated
            if (element := one.core.state.jobs[number].element) is not None
        }
    assert starts == simulated
