"""Commands that change jobs: what they say of each, to which stream, and with which exit code they end."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, Ran, system_variables
from tests.kit.waiting import DEADLINE_S

UP = ("--nodes", 2, "--procs-per-node", 2, "--clock", "stepped")
REAL = ("--mode", "process", "--processors", 4)


async def states(cluster: Cluster, *words: object) -> str:
    done = await cluster.ran("bjobs", "-a", "-noheader", "-o", "stat", *words)
    return " ".join(done.out.split())


async def until(cluster: Cluster, wanted: str, *words: object) -> None:
    """Wait until the jobs stand so."""
    end = time.monotonic() + DEADLINE_S
    while (found := await states(cluster, *words)) != wanted:
        assert time.monotonic() < end, found
        await asyncio.sleep(0.05)


async def submitted(cluster: Cluster, *words: object) -> None:
    assert (await cluster.ran("bsub", *words)).code == 0


async def test_bkill(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        for _ in range(3):
            await submitted(cluster, "-n", "2", "-J", "name", "sleep")
        await submitted(cluster, "-J", "arr[1-3]", "sleep")
        assert await cluster.ran("bkill", "1") == Ran("Job <1> is being terminated\n", "", 0)
        await until(cluster, "EXIT", "1")
        done = await cluster.ran("bkill", "1", "99", "2")
        finished = "Job <1>: Job has already finished\nJob <99>: No matching job found\n"
        assert done == Ran("Job <2> is being terminated\n", finished, 255)
        assert await cluster.ran("bkill", "4[2]") == Ran("Job <4[2]> is being terminated\n", "", 0)
        assert (await cluster.ran("bkill", "-d", "-J", "na*")).out == "Job <3> is being terminated\n"
        await until(cluster, "DONE", "3")
        assert (await cluster.ran("bkill", "0")).out == "Job <4> is being terminated\n"
        await until(cluster, "EXIT EXIT EXIT", "4")
        assert await cluster.ran("bkill", "0") == Ran("", "No matching job found\n", 255)
        assert await cluster.ran("bkill", "-s", "99", "1") == Ran(
            "", "99: Bad signal: must be a whole number from 1 to 64\n", 255
        )
        assert (await cluster.ran("bkill")).code == 255


async def test_bstop_and_bresume(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        await submitted(cluster, "-n", "4", "sleep")
        await submitted(cluster, "-n", "4", "sleep")
        done = await cluster.ran("bstop", "1", "2", "99")
        stopped = "Job <1> is being stopped\nJob <2> is being stopped\n"
        assert done == Ran(stopped, "Job <99>: No matching job found\n", 255)
        assert await states(cluster) == "USUSP PSUSP"
        assert (await cluster.ran("bstop", "1")).err == "Job <1>: Job is suspended already\n"
        assert await cluster.ran("bresume", "1") == Ran("Job <1> is being resumed\n", "", 0)
        assert (await cluster.ran("bkill", "-s", "CONT", "2")).out == "Job <2> is being resumed\n"
        assert await states(cluster) == "RUN PEND"
        waits = Ran("", "Job <2>: Job has not started yet\n", 255)
        assert await cluster.ran("bkill", "-s", "USR1", "2") == waits
        assert (await cluster.ran("bkill", "-s", "STOP", "1")).out == "Job <1> is being stopped\n"
        await until(cluster, "USUSP RUN")


async def test_bmod(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        await submitted(cluster, "-H", "-n", "2", "-R", "span[hosts=1]", "-M", "2048", "-P", "p", "true")
        words = ("-n", "1", "-J", "new", "-W", "30", "-M", "4096", "-sp", "40", "-Pn", "-r", "-Jd", "why")
        assert await cluster.ran("bmod", *words, "1") == Ran(
            "Parameters of job <1> are being changed\n", "", 0
        )
        made = json.loads((await cluster.molokini("job", 1, "--json")).out)
        assert (made["name"], made["estimate_s"], made["priority"]) == ("new", 1800.0, -10)
        assert (made["processors"], made["nodes"], made["memory_kb"]) == (1, 1, 4096)
        assert (made["account"], made["requeue"], made["comment"]) == ("", True, "why")
        assert (await cluster.ran("bmod", "-R", "span[ptile=1]", "-n", "2", "-Mn", "-Wn", "1")).code == 0
        made = json.loads((await cluster.molokini("job", 1, "--json")).out)
        assert (made["nodes"], made["processors_per_node"], made["memory_kb"]) == (2, 1, 0)
        assert made["estimate_s"] == 3600.0
        for line, said in (
            ("-o x 1", "-o is not supported"),
            ("-W x 1", "Bad run limit"),
            ("1", "nothing to change: give at least one option"),
            ("-W 5 99", "No matching job found"),
            ("-q none 1", "none"),
        ):
            done = await cluster.ran("bmod", *line.split())
            assert (done.out, done.code) == ("", 255)
            assert said in done.err


@pytest.mark.deep
async def test_bswitch_btop_and_bbot(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        await cluster.molokini("queues", "set", "other")
        await submitted(cluster, "-H", "true")
        for top in ("btop", "bbot"):
            done = await cluster.ran(top, "1")
            assert (done.out, done.code) == ("", 255)
            assert "not supported by the policy easy" in done.err
        assert await cluster.ran("bswitch", "none", "1") == Ran("", "none: No such queue\n", 255)
        assert (await cluster.ran("bswitch", "none", "99")).err == "Job <99>: No matching job found\n"


async def ranked(cluster: Cluster) -> list[str]:
    """The jobs that wait, in the order of the policy."""
    done = await cluster.molokini("maui", "showq", "--json")
    assert done.code == 0, done.err
    return [job["job"] for job in json.loads(done.out)["idle"]]


@pytest.mark.deep
async def test_the_order_of_jobs_under_a_policy_that_ranks_them(tmp_path: Path) -> None:
    (tmp_path / "maui.cfg").write_text("SERVICEWEIGHT 1\nPROCWEIGHT 1\n")
    up = (*UP, "--policy", "maui", "--maui-config", tmp_path / "maui.cfg")
    async with system_variables(tmp_path, "lsf", up=up) as cluster:
        for width in (4, 3, 2, 1):
            await submitted(cluster, "-n", width, "sleep")
        assert await ranked(cluster) == ["2", "3", "4"]
        done = await cluster.ran("btop", "4")
        assert done == Ran("Job <4> has been moved to position 1 from top.\n", "", 0)
        assert await ranked(cluster) == ["4", "2", "3"]
        done = await cluster.ran("bbot", "2")
        assert done == Ran("Job <2> has been moved to position 1 from bottom.\n", "", 0)
        assert await ranked(cluster) == ["4", "3", "2"]
        assert (await cluster.ran("btop", "4")).code == 0
        assert await ranked(cluster) == ["4", "3", "2"]
        assert (await cluster.ran("btop", "1")).code == 255
        await submitted(cluster, "-H", "sleep")
        done = await cluster.ran("btop", "5")
        assert (done.out, done.code) == ("", 255)
        assert "the policy has not ranked it" in done.err


async def test_real_jobs_get_signals_and_run_again(tmp_path: Path) -> None:
    script = "trap 'echo caught' USR1; echo begun; while true; do sleep 0.05; done"
    async with system_variables(tmp_path, "lsf", up=REAL) as cluster:
        await submitted(cluster, "-o", "out.%J", script)
        out = tmp_path / "out.1"
        await written(out, "begun\n")
        assert (await cluster.ran("bkill", "-s", "USR1", "1")).out == "Job <1> is being signaled\n"
        await written(out, "caught\n")
        peeked = await cluster.ran("bpeek", "1")
        assert (peeked.err, peeked.code) == ("", 0)
        assert peeked.out.startswith("<< output from stdout >>\nbegun\n")
        assert "caught\n" in peeked.out
        assert await cluster.ran("brequeue", "1") == Ran("Job <1> is being requeued\n", "", 0)
        # The report of the first attempt is between.
        await written(out, "above this job summary.\n\nbegun\n")
        assert (await cluster.ran("brequeue", "-H", "1")).code == 0
        await until(cluster, "PSUSP", "1")
        assert await cluster.ran("bpeek", "1") == Ran("", "Job <1> : Not yet started.\n", 255)
        assert await cluster.ran("brequeue", "1") == Ran("", "Job <1>: Job has not started yet\n", 255)
        assert (await cluster.ran("bkill", "-s", "TERM", "1")).out == "Job <1> is being terminated\n"
        await until(cluster, "EXIT", "1")
        assert (await cluster.ran("brequeue", "1")).err == "Job <1>: Job has already finished\n"


async def written(path: Path, text: str) -> None:
    """Wait until *path* holds *text*, and perhaps more beside it."""
    end = time.monotonic() + DEADLINE_S
    while not (path.exists() and text in path.read_text()):
        assert time.monotonic() < end, path.read_text() if path.exists() else "no file"
        await asyncio.sleep(0.05)


async def test_bpeek_goes_on_until_the_end(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=REAL) as cluster:
        line = "echo one; echo two >&2; while [ ! -e go ]; do sleep 0.05; done; echo three"
        await submitted(cluster, "-J", "x", "-o", "o", "-e", "e", line)
        await written(tmp_path / "e", "two\n")
        following = asyncio.create_task(cluster.ran("sh", "-c", "bpeek -f -J x > seen"))
        await written(tmp_path / "seen", "two\n")
        (tmp_path / "go").touch()
        assert await following == Ran("", "", 0)
        seen = "<< output from stdout >>\none\n\n<< output from stderr >>\ntwo\nthree\n"
        assert (tmp_path / "seen").read_text().startswith(seen)
        assert await cluster.ran("bpeek") == Ran("", "No matching job found\n", 255)


async def test_output_is_added_unless_it_is_to_be_written_anew(tmp_path: Path) -> None:
    pytest.importorskip("molokini.supervisor.job_options", reason="this agent opens all files anew")
    async with system_variables(tmp_path, "lsf", up=REAL) as cluster:
        for option, text in (("-o", "begun\none\n"), ("-oo", "one\n")):
            (tmp_path / "out").write_text("begun\n")
            await cluster.ran("bsub", "-K", option, "out", "echo one")
            assert (tmp_path / "out").read_text().startswith(f"{text}\n----")


async def test_without_a_server(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        gone = f"unix:{tmp_path}/nothing"
        for command in ("bjobs", "bkill", "bqueues", "lsid"):
            done = await cluster.ran(command, *(["1"] if command == "bkill" else []), MOLOKINI_GATEWAY=gone)
            assert (done.out, done.code) == ("", 255)
            assert done.err.startswith("Cannot connect to LSF. Please wait ...")
        done = await cluster.ran("bsub", "true", MOLOKINI_GATEWAY=gone)
        assert done.err.endswith("Job not submitted.\n")
