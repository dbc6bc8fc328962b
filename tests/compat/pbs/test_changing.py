"""``qdel``, ``qhold``, ``qrls``, ``qalter``, ``qrerun``, ``qsig``, ``qmove``, ``qorder`` and ``qselect``."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, system_variables
from tests.kit.waiting import eventually


@pytest.fixture
async def waiting(tmp_path: Path) -> AsyncIterator[Cluster]:
    """A job that runs, two that wait, and an array that waits."""
    async with system_variables(
        tmp_path, "pbs", up=("--nodes", 1, "--procs-per-node", 2, "--clock", "stepped")
    ) as cluster:
        for words in ("-N a -l ncpus=2", "-N b -A acct", "-N c -p -7 -l walltime=60", "-N d -J 1-3"):
            assert (await cluster.ran("qsub", *words.split(), given="true\n")).code == 0
        yield cluster


async def letter(cluster: Cluster, name: str) -> str:
    """The letter of a job's state."""
    done = await cluster.ran("qstat", "-x", name)
    return done.out.splitlines()[2].split()[4]


async def silent(cluster: Cluster, command: str, *words: object) -> None:
    """Run it; it has to succeed without a word."""
    assert (await cluster.ran(command, *words)) == ("", "", 0)


async def attribute(cluster: Cluster, name: str, which: str) -> str:
    text = (await cluster.ran("qstat", "-f", "-w", name)).out
    [found] = [line.partition(" = ")[2] for line in text.splitlines() if line.startswith(f"    {which} = ")]
    return found


async def test_qdel(waiting: Cluster) -> None:
    await silent(waiting, "qdel", "1.molokini", "2")
    assert [await letter(waiting, name) for name in ("1", "2")] == ["F", "F"]
    assert (await waiting.ran("qdel", "1")) == ("", "qdel: Job has finished 1.molokini\n", 35)
    await silent(waiting, "qdel", "-x", "1")
    await silent(waiting, "qdel", "-W", "force", "4[2]")
    done = await waiting.ran("qdel", "77", "3")
    assert (done.err, done.code) == ("qdel: Unknown Job Id 77\n", 153)
    assert await letter(waiting, "3") == "F"
    assert (await waiting.ran("qdel")).code == 2
    await silent(waiting, "qdel", "4[]")
    await silent(waiting, "qdel", "all")
    assert (await waiting.ran("qstat")).out == ""


async def test_holds(waiting: Cluster) -> None:
    await silent(waiting, "qhold", "2", "3")
    await silent(waiting, "qhold", "-h", "os", "2")
    assert await attribute(waiting, "2", "Hold_Types") == "uos"
    await silent(waiting, "qrls", "2")
    assert await letter(waiting, "2") == "H"
    await silent(waiting, "qrls", "-h", "os", "2", "3")
    await silent(waiting, "qrls", "-h", "n", "3")
    assert [await letter(waiting, name) for name in ("2", "3")] == ["Q", "H"]
    await silent(waiting, "qhold", "-t", "2", "4[]")
    assert await letter(waiting, "4[2]") == "H"
    assert (await waiting.ran("qhold", "77")).code == 153
    assert (await waiting.ran("qhold", "-h", "x", "2")).err.startswith("qhold: illegal -h value 'x': ")


async def test_qalter_and_qmove(waiting: Cluster) -> None:
    words = "-N new -A other -p -9 -r n -W comment=why -W group_list=lab -l walltime=2:00:00,ncpus=2"
    await silent(waiting, "qalter", *words.split(), "2.molokini")
    for name, value in (
        ("Job_Name", "new"),
        ("Account_Name", "other"),
        ("Priority", "-9"),
        ("Rerunable", "False"),
        ("comment", "why"),
        ("group_list", "lab"),
        ("Resource_List.walltime", "02:00:00"),
        ("Resource_List.ncpus", "2"),
    ):
        assert await attribute(waiting, "2", name) == value
    await silent(waiting, "qalter", "-h", "uo", "2")
    assert await letter(waiting, "2") == "H"
    done = await waiting.ran("qalter", "-l", "ncpus=1", "1")
    assert (done.code, done.err.startswith("qalter: Request invalid for state of job 1: ")) == (168, True)
    assert (await waiting.ran("qalter", "-o", "/x", "2")).err == (
        "qalter: -o is not supported: it can be set only at submission\n"
    )
    for words in ("2", "-l walltime=x 2", "-W depend=before:1 2", "-N new 4[1]"):
        assert (await waiting.ran("qalter", *words.split())).code
    assert (await waiting.ran("qmove", "nope", "3")).code == 170
    assert (await waiting.ran("qmgr", "-c", "create queue other enabled=t,started=t")).code == 0
    await silent(waiting, "qmove", "other@molokini", "3", "2")
    assert await attribute(waiting, "3", "queue") == "other"
    done = await waiting.ran("qorder", "2", "3")
    assert (done.code, done.err.startswith("qorder: No support for requested service: ")) == (181, True)
    assert (await waiting.ran("qorder", "2", "99")).code == 153


async def test_qsig_and_qrerun(waiting: Cluster) -> None:
    await silent(waiting, "qsig", "-s", "suspend", "1")
    assert await letter(waiting, "1") == "S"
    done = await waiting.ran("qsig", "-s", "USR1", "77")
    assert (done.err, done.code) == ("qsig: Unknown Job Id 77\n", 153)
    done = await waiting.ran("qsig", "-s", "NONE", "1")
    assert (done.err, done.code) == ("qsig: Unknown/illegal signal name NONE\n", 165)
    assert (await waiting.ran("qrerun", "77")).code == 153
    await silent(waiting, "qdel", "2", "3", "4[]")
    assert (await waiting.ran("qsig", "-s", "resume", "1")).code in (0, 168)
    assert await letter(waiting, "1") == "R"
    await silent(waiting, "qrerun", "1")
    assert await attribute(waiting, "1", "run_count") == "2"
    assert (await waiting.ran("qrerun", "2")).code == 35


async def test_signals_reach_real_jobs(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "pbs", up=("--mode", "process", "--processors", 2)) as cluster:
        script = "trap 'echo got > $PBS_O_WORKDIR/got; exit 4' USR1\ntouch $PBS_O_WORKDIR/ready\n"
        script += "while true; do sleep 0.1; done\n"
        assert (await cluster.ran("qsub", given=script)).code == 0
        await eventually(lambda: (tmp_path / "ready").exists())
        await silent(cluster, "qsig", "-s", "USR1", "1")
        await eventually(lambda: (tmp_path / "got").exists())
        assert (
            await cluster.ran("qsub", "-W", "block=true", "-N", "kill", given="kill -9 $$\n")
        ).code == 265 & 255
        text = (await cluster.ran("qstat", "-xf", "1", "2")).out
        assert "    Exit_status = 4\n" in text
        assert "    Exit_status = 265\n" in text


@pytest.mark.deep
async def test_qselect(waiting: Cluster) -> None:
    async def found(*words: object) -> list[str]:
        done = await waiting.ran("qselect", *words)
        assert (done.err, done.code) == ("", 0)
        return [line.removesuffix(".molokini") for line in done.out.splitlines()]

    assert await found() == ["1", "2", "3", "4[]"]
    assert await found("-s", "R") == ["1"]
    assert await found("-s", "Q") == ["2", "3", "4[]"]
    assert await found("-N", "b") == ["2"]
    assert await found("-A", "acct") == ["2"]
    assert await found("-p", ".lt.0") == ["3"]
    assert await found("-l", "ncpus.ge.2") == ["1"]
    assert await found("-l", "walltime.le.1:00") == ["3"]
    assert await found("-l", "walltime=60") == ["3"]
    assert await found("-J") == ["4[]"]
    assert await found("-T", "-J") == ["4[]", "4[1]", "4[2]", "4[3]"]
    assert await found("-u", "nobody") == []
    await silent(waiting, "qdel", "2")
    assert await found("-x", "-s", "F") == ["2"] == await found("-H")
    for words in ("-l odd", "-l ncpus.no.2", "-s z", "-t x1200", "word"):
        assert (await waiting.ran("qselect", *words.split())).code == 2
    # A job of another transport says nothing of it, and may run again.
    assert (await waiting.molokini("submit", "--", "true")).code == 0
    assert (await waiting.ran("qsub", "-r", "n", given="true\n")).code == 0
    assert await found("-r", "y") == ["1", "3", "4[]", "5"]
    assert await found("-r", "n") == ["6"]
