"""``molokini whatif``, ``submit --whatif`` and ``forecast --alternatives`` against a real server."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from molokini.client.errors import Refused
from molokini.server.security.roles import Role
from tests.clients.command_runs import Ran, here
from tests.kit.present_states import waiting_state
from tests.kit.serving import Served, served

Shell = Callable[..., Awaitable[Ran]]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """``molokini`` in a thread, as the server of this process must answer it."""

    async def ran(one: Served, *arguments: object, role: Role = Role.ADMINISTRATOR) -> Ran:
        monkeypatch.setenv("MOLOKINI_SERVER", f"127.0.0.1:{one.server.port}")
        monkeypatch.setenv("MOLOKINI_TOKEN", one.token("ann", role))
        return await asyncio.to_thread(here, capsys, *arguments)

    return ran


async def _queue(one: Served) -> None:
    """Four nodes of four processors: the first job has 12, three wait."""
    async with one.client() as ann:
        for processors, estimate_s in ((12, 1000), (16, 100), (8, 100), (4, 800)):
            await ann.submit(processors=processors, estimate_s=estimate_s)


def _starts(found: dict[str, Any], key: str) -> list[tuple[str, int, float]]:
    return [(one["what"], one["processors"], one[key]) for one in found["alternatives"]]


async def test_scenarios_side_by_side(tmp_path: Path, shell: Shell) -> None:
    async with served(tmp_path, "fcfs") as one:
        await _queue(one)
        picture = tmp_path / "next.png"
        asked = ("whatif", "--policy", "easy", "--hours", "1", "--plot", picture)
        told, found = await shell(one, *asked), (await shell(one, *asked, "--json")).json
        assert (told.code, told.err, picture.stat().st_size > 10_000) == (0, "", True)
        as_it_is, easy = found["scenarios"]
        assert (as_it_is["name"], easy["name"]) == ("as it is", "easy")
        # By hand: under fcfs 1000, 1100 and 1100 s; under easy the last starts now, before the other two.
        assert as_it_is["figures"]["mean_wait_s"]["middle"] == pytest.approx(3200 / 3)
        assert easy["figures"]["mean_wait_s"]["middle"] == pytest.approx(2100 / 3)
        assert [(each["job"], each["change_s"]) for each in easy["moved"]] == [("4", -1100.0)]
        assert "easy, against the first scenario:" in told.out
        assert "18 min 20 s shorter" in told.out
        # The cluster itself has changed in nothing.
        async with one.client() as ann:
            assert (await ann.job(4)).start_s == 0.0


async def test_a_drain_and_a_file_of_the_state(tmp_path: Path, shell: Shell) -> None:
    async with served(tmp_path, "easy") as one:
        await _queue(one)
        asked = ("whatif", "--drain", "n[1-2]", "--from", "+0:10:00", "--for", "1h", "--hours", 3)
        found = (await shell(one, *asked, "--json")).json
        kept = tmp_path / "now.state"
        saved = (await shell(one, *asked, "--json", "--save", kept)).json
        assert saved == found
        assert [each["name"] for each in found["scenarios"]] == ["as it is", "without 2 nodes"]
        # The job of all nodes waits for the end of the drain, an hour after ten minutes.
        moved = {each["job"]: each["change_s"] for each in found["scenarios"][1]["moved"]}
        assert moved["2"] == 4200.0 - 1000.0
        # Neither start is before the drain. Where it begins in the time of job 2, that of job 2 is (1000 s),
        # and job 3 takes its place (1000 s, not 1100 s).
        assert (found["begins_s"], found["scenarios"][1]["moved_before_jobs"]) == (600.0, 0.0)
        later = ("whatif", "--drain", "n[1-2]", "--from", "+0:17:30", "--for", "1h", "--hours", 3)
        found_later = (await shell(one, *later, "--json")).json
        assert [each["moved_before_jobs"] for each in found_later["scenarios"]] == [0.0, 2.0]
        told = await shell(one, *later)
        assert "starts before 1050 s, when it begins, that differ: 2; a job that would run into" in told.out
    again = (await shell(one, *asked, "--json", "--state", kept)).json
    assert again == found


async def test_other_numbers_of_nodes(tmp_path: Path, shell: Shell) -> None:
    async with served(tmp_path, "easy") as one:
        await _queue(one)
        found = (await shell(one, "whatif", "--nodes", 5, "--nodes", 3, "--hours", 1, "--json")).json
    _, more, fewer = found["scenarios"]
    assert (more["name"], fewer["name"]) == ("with 5 nodes", "with 3 nodes")
    # Once job 4 has ended, job 3 finds eight processors beside job 1, and not only behind job 2.
    assert [(each["job"], each["change_s"]) for each in more["moved"]] == [("3", 800.0 - 1100.0)]
    # Job 2, of all processors, does not start any more.
    assert fewer["figures"]["waiting_jobs"]["middle"] == 1.0
    assert more["figures"]["utilization"]["middle"] < fewer["figures"]["utilization"]["middle"]


@pytest.mark.parametrize(("user", "moved"), [("bob", [("2", 800.0), ("3", -100.0)]), ("ann", [])])
async def test_a_reservation_for_some(
    user: str, moved: list[tuple[str, float]], tmp_path: Path, shell: Shell
) -> None:
    async with served(tmp_path, "easy") as one:
        await _queue(one)
        asked = ("--reserve", 8, "--access", f"user:{user}", "--for", "30m", "--hours", 1)
        found = (await shell(one, "whatif", *asked, "--json")).json
    scenario = found["scenarios"][1]
    assert scenario["name"] == "8 processors reserved"
    assert [(each["job"], each["change_s"]) for each in scenario["moved"]] == moved


async def test_the_jobs_of_a_log_arrive(tmp_path: Path, shell: Shell) -> None:
    log = tmp_path / "few.swf"
    line = "{} {} 0 {} 4 -1 -1 4 {} -1 1 1 1 -1 1 -1 -1 -1"
    lines = [line.format(k, 1000 + 60 * k, 50, 60) for k in (1, 2, 3)]
    log.write_text("; MaxProcs: 16\n" + "\n".join(lines) + "\n", encoding="utf-8")
    async with served(tmp_path, "easy") as one:
        await _queue(one)
        found = (await shell(one, "whatif", "--arrivals", log, "--hours", 1, "--json")).json
    [as_it_is] = found["scenarios"]
    figures = as_it_is["figures"]
    # Two that wait and three that come, the first of them now; two that run.
    assert figures["started_jobs"]["middle"] == 5.0
    assert figures["ended_jobs"]["middle"] == 7.0
    assert as_it_is["waiting"]["middle"][0] == 3.0


async def test_words_of_a_configuration_may_be_in_capitals(tmp_path: Path, shell: Shell) -> None:
    async with served(tmp_path, "easy") as one:
        await _queue(one)
        found = (await shell(one, "whatif", "--policy", "maui?backfill=NONE", "--json")).json
    assert [each["name"] for each in found["scenarios"]] == ["as it is", "maui?backfill=NONE"]


@pytest.mark.deep
@pytest.mark.waits
async def test_a_server_answers_by_a_process_of_its_own(tmp_path: Path, shell: Shell) -> None:
    async with served(tmp_path, "easy") as one:
        await _queue(one)
        asked = ("--policy", "fcfs", "--drain", "n[1-2]", "--from", "+0:10:00", "--for", "1h", "--hours", 2)
        command = (await shell(one, "whatif", *asked, "--json")).json
        config = "BACKFILLPOLICY NONE\n"
        async with one.client("olga", Role.OPERATOR) as olga:
            words: dict[str, Any] = {"drain": "n[1-2]", "from_when": "+0:10:00", "for_time": "1h"}
            found = await olga.what_if(2.0, policies=["fcfs"], **words)
            assert found == command
            again = await olga.what_if(2.0, maui_configs=[config])
            assert [each["name"] for each in again["scenarios"]] == ["as it is", "maui-1.cfg"]
            with pytest.raises(Refused, match="no policy named 'nosuch'"):
                await olga.what_if(2.0, policies=["nosuch"])


async def test_draws_have_a_band_and_are_the_same_again(tmp_path: Path, shell: Shell) -> None:
    async with served(tmp_path, "easy") as one:
        async with one.client() as ann:
            for run in range(12):
                await ann.submit(processors=16, estimate_s=100, outcome={"run_s": 10.0 + 7 * run})
            await one.advance(2 * 3600.0)
        await _queue(one)
        asked = ("whatif", "--arrivals", "resampled", "--seeds", 5, "--hours", 2, "--json")
        first, again = [(await shell(one, *asked)).json for _ in range(2)]
        assert first == again
        [found] = first["scenarios"]
        band = found["figures"]["mean_wait_s"]
        assert band["low"] < band["middle"] < band["high"]
        assert found["figures"]["ended_jobs"]["high"] > 4


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--policy", "nosuch"), "no policy named 'nosuch'"),
        (("--drain", "n9"), "no node named 'n9'"),
        (("--hours", "0"), "--hours"),
        (("--hours", "nan"), "--hours"),
        (("--seeds", "-1"), "--seeds"),
        (("--arrivals", "resampled", "--seeds", "0"), "--seeds N"),
        (("--arrivals", "nolog"), "no such log"),
        (("--for", "2h"), "--drain"),
        (("--from", "+1:00:00"), "--drain"),
        (("--access", "user:bob"), "--reserve"),
        (("--reserve", "4", "--access", "bob"), "KIND:NAME"),
        (("--reserve", "4", "--access", "planet:mars"), "planet"),
        (("--reserve", "0"), "from 1 to"),
        (("--reserve", "99"), "from 1 to"),
        (("--reserve", "n9"), "no node named 'n9'"),
        (("--nodes", "4"), "counted processors"),
        (("--reserve", "4", "--from", "+9:00:00", "--hours", "2"), "above 9.0"),
        (("--nodes", "0"), "--nodes"),
        (("--nodes", "-1"), "--nodes"),
        (("--nodes", "many"), "--nodes"),
        (("--policy", "adaptive?candidates=easy,esay"), "'esay'"),
        (("--policy", "gs"), "rows"),
        (("--policy", "easy", "--policy", "easy"), "give each once"),
        (("--drain", "n1", "--policy", "ps"), "reservations|rows"),
        (("--state", "/nonexistent"), "no such folder"),
        (("--maui-config", "nofile"), "nofile"),
    ],
    ids=str,
)
async def test_bad_input_costs_one_line(
    arguments: tuple[str, ...], word: str, tmp_path: Path, shell: Shell
) -> None:
    kept = tmp_path / "now.state"
    kept.write_bytes(waiting_state(users=[0, 1]).to_bytes())
    given = arguments if "--state" in arguments else (*arguments, "--state", str(kept))
    async with served(tmp_path, "easy") as one:
        if arguments[0] == "--drain":
            await _queue(one)
            given = arguments
        ran = await shell(one, "whatif", *given)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert any(each in ran.err for each in word.split("|"))


async def test_users_may_not_have_the_state(tmp_path: Path, shell: Shell) -> None:
    async with served(tmp_path, "easy") as one:
        ran = await shell(one, "whatif", role=Role.USER)
    assert ran.code == 1
    assert "needs the role operator" in ran.err


async def test_when_a_request_would_start(tmp_path: Path, shell: Shell) -> None:
    async with served(tmp_path, "fcfs") as one:
        await _queue(one)
        asked = ("submit", "--whatif", "--processors", 8, "--estimate", 400)
        found = (await shell(one, *asked, "--json", role=Role.USER)).json
        # By hand: job 2 has all to 1100, jobs 3 and 4 have 12; then, from 1200 on, 4.
        assert _starts(found, "start_s") == [
            ("as it is", 8, 1200.0),
            ("fewer processors", 4, 1100.0),
            ("fewer processors", 2, 1100.0),
            ("a shorter estimate", 8, 1200.0),
            ("a shorter estimate", 8, 1200.0),
        ]
        told = await shell(one, *asked, role=Role.USER)
        assert "fewer processors" in told.out
        async with one.client() as ann:
            assert (await ann.cluster()).processors == 16
            assert [job.id async for job in ann.jobs()] == [1, 2, 3, 4]


async def test_alternatives_of_a_waiting_job(tmp_path: Path, shell: Shell) -> None:
    async with served(tmp_path, "easy") as one:
        await _queue(one)
        found = (await shell(one, "forecast", 2, "--alternatives", "--json", role=Role.USER)).json
        # Job 4 has the last four processors to 800; with four or fewer job 2 starts then, or beside it.
        assert _starts(found, "start_s")[:3] == [
            ("as it is", 16, 1000.0),
            ("fewer processors", 8, 1000.0),
            ("fewer processors", 4, 800.0),
        ]
        for name, word, code in (("1", "running", 2), ("99", "no job 99", 1)):
            ran = await shell(one, "forecast", name, "--alternatives")
            assert (ran.code, ran.err.count("\n")) == (code, 1)
            assert word in ran.err


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("--memory", "1GB"), "--memory"),
        (("--queue", "nosuch"), "nosuch"),
        (("--array", "1-3"), "--array"),
        (("--processors", "99"), "from 1 to"),
    ],
)
async def test_a_request_that_cannot_be_looked_at(
    more: tuple[str, str], word: str, tmp_path: Path, shell: Shell
) -> None:
    async with served(tmp_path) as one:
        ran = await shell(one, "submit", "--whatif", *more)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert word in ran.err
