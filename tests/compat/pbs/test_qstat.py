"""``qstat``: its tables column by column, and all attributes of jobs."""

import asyncio
import json
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.batch_commands import Cluster, Ran, system_variables
from tests.kit.waiting import DEADLINE_S

UP = ("--nodes", 2, "--procs-per-node", 8, "--clock", "stepped")


@pytest.fixture
async def busy(tmp_path: Path) -> AsyncIterator[Cluster]:
    """A job that runs, one that waits, one that is held, an array, and one that was cancelled, at 3,661 s."""
    async with system_variables(tmp_path, "pbs", up=UP) as cluster:
        for words in (
            "-N wide -l nodes=2:ppn=4,walltime=2:00:00,mem=4gb",
            "-N a-name-that-is-too-long -l select=2:ncpus=8,walltime=90",
            "-N held -h",
            "-N many -J 1-4",
            "-N gone -h",
        ):
            assert (await cluster.ran("qsub", *words.split(), given="true\n", TZ="UTC")).code == 0
        assert (await cluster.ran("qdel", "5")).code == 0
        await cluster.molokini("clock", "advance", 3599)
        yield cluster


async def shown(cluster: Cluster, *words: object) -> str:
    """What qstat prints, in UTC."""
    done = await cluster.ran("qstat", *words, TZ="UTC")
    assert (done.err, done.code) == ("", 0)
    return done.out


async def test_the_tables_column_by_column(busy: Cluster) -> None:
    assert await shown(busy) == (
        "Job id            Name             User              Time Use S Queue\n"
        "----------------  ---------------- ----------------  -------- - -----\n"
        "1.molokini        wide             root              00:00:00 R default\n"
        "2.molokini        a-name-that-is-* root                     0 Q default\n"
        "3.molokini        held             root                     0 H default\n"
        "4[].molokini      many             root              00:00:00 B default\n"
    )
    assert await shown(busy, "-a") == (
        "\n"
        "molokini: \n"
        "                                                            Req'd  Req'd   Elap\n"
        "Job ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S Time\n"
        "--------------- -------- -------- ---------- ------ --- --- ------ ----- - -----\n"
        "1.molokini      root     default  wide           --   2   8    4gb 02:00 R 00:59\n"
        "2.molokini      root     default  a-name-th*     --   2  16     -- 00:01 Q    --\n"
        "3.molokini      root     default  held           --   1   1     -- 01:00 H    --\n"
        "4[].molokini    root     default  many           --   1   1     -- 01:00 B    --\n"
    )
    torque = await busy.ran("qstat", MOLOKINI_PBS_DIALECT="torque")
    assert torque.out == (
        "Job ID                    Name             User            Time Use S Queue\n"
        "------------------------- ---------------- --------------- -------- - -----\n"
        "1.molokini                wide             root            00:00:00 R default\n"
        "2.molokini                ...that-is-too-long root                   0 Q default\n".replace(
            "...that-is-too-long", "...t-is-too-long"
        )
        + "3.molokini                held             root                   0 H default\n"
        "4[].molokini              many             root            00:00:00 R default\n"
    )


@pytest.mark.deep
async def test_lines_below_and_beside(busy: Cluster) -> None:
    lines = (await shown(busy, "-n", "-s", "1", "2")).splitlines()[5:]
    assert lines[:3] == [
        "1.molokini      root     default  wide           --   2   8    4gb 02:00 R 00:59",
        "   node001/0*4+node002/0*4",
        "   Job run at Thu Jan  1 at 00:00 on (node001:ncpus=4)+(node002:ncpus=4)",
    ]
    assert lines[4] == "   --"
    assert lines[5].startswith("   Not Running: ")
    [line] = (await shown(busy, "-n1", "1")).splitlines()[5:]
    assert line.endswith("R 00:59 node001/0*4+node002/0*4")
    assert (await shown(busy, "-w", "2")).splitlines()[2].split()[1] == "a-name-that-is*"


async def test_which_jobs(busy: Cluster) -> None:
    async def ids(*words: object) -> list[str]:
        found = (line.split() for line in (await shown(busy, *words)).splitlines())
        return [words[0] for words in found if words and words[0][:1].isdigit()]

    assert await ids("-r") == ["1.molokini", "4[].molokini"]
    assert await ids("-i") == ["2.molokini", "3.molokini"]
    assert await ids("-u", "root") == await ids()
    assert await ids("-u", "nobody") == []
    assert await ids("-J") == ["4[].molokini"]
    assert await ids("-x") == [*await ids(), "5.molokini"]
    assert await ids("-H") == ["5.molokini"]
    assert await ids("-t", "4[]") == ["4[].molokini", *(f"4[{k}].molokini" for k in (1, 2, 3, 4))]
    assert await ids("4[2]", "1.molokini") == ["4[2].molokini", "1.molokini"]
    assert await ids("default") == await ids("@molokini") == await ids()


def ended(done: Ran) -> tuple[str, int]:
    return done.err, done.code


@pytest.mark.deep
async def test_jobs_that_are_not_there(busy: Cluster) -> None:
    assert ended(await busy.ran("qstat", "99")) == ("qstat: Unknown Job Id 99\n", 153)
    text = "qstat: 5.molokini Job has finished, use -x or -H to obtain historical job information\n"
    assert ended(await busy.ran("qstat", "5")) == (text, 35)
    done = await busy.ran("qstat", "-x", "1", "99.molokini")
    assert ended(done) == ("qstat: Unknown Job Id 99.molokini\n", 153)
    assert "1.molokini" in done.out
    assert ended(await busy.ran("qstat", "4[9]")) == ("qstat: Unknown Job Id 4[9]\n", 153)
    assert ended(await busy.ran("qstat", "1[]")) == ("qstat: Unknown Job Id 1[]\n", 153)
    assert ended(await busy.ran("qstat", "1x")) == ("qstat: illegally formed job identifier: 1x\n", 1)
    assert ended(await busy.ran("qstat", "nope")) == ("qstat: Unknown queue nope\n", 170)
    assert ended(await busy.ran("qstat", "-Z")) == ("qstat: invalid option -- 'Z' (see qstat --help)\n", 2)
    assert (await busy.ran("qstat", "-F", "json")).code == 2
    assert (await busy.ran("qstat", "-f", "-F", "xml")).code == 2


async def test_all_attributes_as_text(busy: Cluster) -> None:
    text = await shown(busy, "-f", "1")
    assert text.startswith("Job Id: 1.molokini\n    Job_Name = wide\n    Job_Owner = root@")
    assert text.endswith("\n\n")
    whole = text.replace("\n\t", "")
    for line in (
        "    job_state = R",
        "    queue = default",
        "    ctime = Thu Jan  1 00:00:00 1970",
        "    exec_host = node001/0*4+node002/0*4",
        "    exec_vnode = (node001:ncpus=4:mem=2097152kb)+(node002:ncpus=4:mem=2097152kb)",
        "    Resource_List.mem = 4gb",
        "    Resource_List.ncpus = 8",
        "    Resource_List.nodect = 2",
        "    Resource_List.nodes = 2:ppn=4",
        "    Resource_List.place = scatter",
        "    Resource_List.walltime = 02:00:00",
        "    resources_used.walltime = 00:59:59",
        "    substate = 42",
        "    run_count = 1",
    ):
        assert line in whole.splitlines(), line
    assert all(len(line.expandtabs()) <= 78 for line in text.splitlines())
    assert "\t" not in await shown(busy, "-f", "-w", "1")
    names = [line.strip().partition(" = ")[0] for line in whole.splitlines()[1:]]
    order = ["Job_Name", "Job_Owner", "job_state", "queue", "Variable_List", "comment", "Submit_arguments"]
    assert [name for name in names if name in order] == order
    dsv = await shown(busy, "-f", "-F", "dsv", "-D", ";", "3")
    assert dsv.startswith("Job Id: 3.molokini;Job_Name=held;")


@pytest.mark.deep
async def test_all_attributes_as_json(busy: Cluster) -> None:
    found = json.loads(await shown(busy, "-f", "-F", "json", "-x"))
    assert list(found) == ["timestamp", "pbs_version", "pbs_server", "Jobs"]
    assert list(found["Jobs"]) == ["1.molokini", "2.molokini", "3.molokini", "4[].molokini", "5.molokini"]
    states = {name: job["job_state"] for name, job in found["Jobs"].items()}
    assert states == {
        "1.molokini": "R",
        "2.molokini": "Q",
        "3.molokini": "H",
        "4[].molokini": "B",
        "5.molokini": "F",
    }
    assert found["Jobs"]["5.molokini"]["Exit_status"] == 265
    assert found["Jobs"]["4[].molokini"]["array_state_count"] == "Queued:0 Running:4 Exiting:0 Expired:0 "
    assert found["Jobs"]["2.molokini"]["comment"].startswith("Not Running: ")
    assert found["Jobs"]["2.molokini"]["Variable_List"]["PBS_O_WORKDIR"] == str(busy.folder)
    assert "Exit_status" not in found["Jobs"]["1.molokini"]
    assert json.loads(await shown(busy, "-f", "-F", "json", "-u", "nobody")).keys() == {
        "timestamp",
        "pbs_version",
        "pbs_server",
    }


async def test_elements_end_before_their_array(busy: Cluster) -> None:
    await busy.ran("qdel", "4[2]")
    element: dict[str, Any] = {}
    async with asyncio.timeout(DEADLINE_S):
        # It is over when its agent has said so.
        while "Exit_status" not in element:
            [element] = json.loads(await shown(busy, "-f", "-F", "json", "4[2]"))["Jobs"].values()
    assert (element["job_state"], element["Exit_status"], element["array_id"]) == ("X", 265, "4[].molokini")
    await busy.ran("qdel", "4[]")
    assert (await busy.ran("qstat", "4[2]")).code == 35
    [element] = json.loads(await shown(busy, "-x", "-f", "-F", "json", "4[2]"))["Jobs"].values()
    assert element["job_state"] == "F"


@pytest.mark.deep
async def test_in_torque_x_is_xml_and_what_has_ended_stays_for_a_while(busy: Cluster) -> None:
    async def torque(*words: object) -> Ran:
        return await busy.ran("qstat", *words, MOLOKINI_PBS_DIALECT="torque", TZ="UTC")

    done = await torque("-fx", "-u", "root")
    assert done.out.count("\n") == 1
    jobs = {job.findtext("Job_Id"): job for job in ET.fromstring(done.out)}
    assert jobs["1.molokini"].findtext("Resource_List/nodes") == "2:ppn=4"
    assert jobs["1.molokini"].findtext("exec_host") == "node001/0-3+node002/0-3"
    assert (await torque("-x", "-u", "nobody")).out == ""
    assert "5.molokini" not in jobs, "it ended an hour ago"
    await busy.ran("qdel", "3")
    assert (await torque("3")).out.splitlines()[2].split()[4] == "C"
    assert "    exit_status = 271" in (await torque("-f", "-1", "3")).out
    assert ended(await torque("5")) == ("qstat: Unknown Job Id 5.molokini\n", 153)
    assert ended(await torque("-f", "-F", "json")) == ("qstat: invalid option -- 'F'\n", 2)


async def test_queues_and_the_server(busy: Cluster) -> None:
    assert await shown(busy, "-Q") == (
        "Queue              Max   Tot Ena Str   Que   Run   Hld   Wat   Trn   Ext Type\n"
        "---------------- ----- ----- --- --- ----- ----- ----- ----- ----- ----- ----\n"
        "default              0     4 yes yes     1     2     1     0     0     0 Exec\n"
    )
    assert await shown(busy, "-q") == (
        "\n"
        "server: molokini\n"
        "\n"
        "Queue            Memory CPU Time Walltime Node   Run   Que   Lm  State\n"
        "---------------- ------ -------- -------- ---- ----- ----- ----  -----\n"
        "default              --       --       --   --     2     2   --   E R\n"
        "                                              ----- -----\n"
        "                                                  2     2\n"
    )
    assert await shown(busy, "-B") == (
        "Server             Max   Tot   Que   Run   Hld   Wat   Trn   Ext Status\n"
        "---------------- ----- ----- ----- ----- ----- ----- ----- ----- -----------\n"
        "molokini             0     4     1     2     1     0     0     0 Active\n"
    )
    assert (await shown(busy, "-B", "-f")).startswith("Server: molokini\n    server_state = Active\n")
    assert "    queue_type = Execution\n" in await shown(busy, "-Q", "-f", "default")
    assert list(json.loads(await shown(busy, "-Qf", "-F", "json"))["Queue"]) == ["default"]
    assert (await busy.ran("qstat", "-Q", "nope")).code == 170


@pytest.mark.deep
async def test_a_closed_pipe_leaves_no_traceback(busy: Cluster) -> None:
    done = await busy.ran("sh", "-c", "qstat -f -F json -x | head -1")
    assert (done.out, done.err, done.code) == ("{\n", "", 0)
