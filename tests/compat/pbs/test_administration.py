"""``pbsnodes``, ``qmgr`` and ``tracejob``."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, system_variables


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    """Two nodes, on the first of which a job runs."""
    async with system_variables(
        tmp_path, "pbs", up=("--nodes", 2, "--procs-per-node", 2, "--clock", "stepped")
    ) as one:
        assert (await one.ran("qsub", "-N", "a", "-l", "ncpus=2", given="true\n")).code == 0
        yield one


async def test_nodes(cluster: Cluster) -> None:
    shown = (await cluster.ran("pbsnodes", "-a")).out
    first, second, end = shown.split("\n\n")
    assert end == ""
    assert first.splitlines() == [
        "node001",
        "     Mom = node001",
        "     ntype = PBS",
        "     state = job-busy",
        "     pcpus = 2",
        "     pbs_version = PBSPro_2022.1.0",
        "     jobs = 1.molokini/0, 1.molokini/1",
        "     resources_available.arch = linux",
        "     resources_available.host = node001",
        "     resources_available.ncpus = 2",
        "     resources_available.vnode = node001",
        "     resources_assigned.ncpus = 2",
        "     resv_enable = True",
        "     sharing = default_shared",
    ]
    assert "     state = free" in second.splitlines()
    found = json.loads((await cluster.ran("pbsnodes", "-a", "-F", "json")).out)
    assert found["nodes"]["node001"]["resources_available"]["ncpus"] == 2
    assert found["nodes"]["node001"]["jobs"] == ["1.molokini/0", "1.molokini/1"]
    assert (await cluster.ran("pbsnodes", "-a", "-F", "dsv")).out.startswith("Name=node001|Mom=node001|")
    table = (await cluster.ran("pbsnodes", "-aSj")).out.splitlines()
    assert table[3].split() == ["node001", "job-busy", "1", "1", "0", "0gb/0gb", "0/2", "0/0", "0/0", "1"]
    torque = (await cluster.ran("pbsnodes", "node001", MOLOKINI_PBS_DIALECT="torque")).out.splitlines()
    assert torque[:4] == [
        "node001",
        "     state = job-exclusive",
        "     power_state = Running",
        "     np = 2",
    ]
    assert "     jobs = 0/1.molokini, 1/1.molokini" in torque
    xml = (await cluster.ran("pbsnodes", "-x", MOLOKINI_PBS_DIALECT="torque")).out
    assert xml.startswith("<Data><Node><name>node001</name><state>job-exclusive</state>")


async def test_nodes_leave_and_come_back(cluster: Cluster) -> None:
    assert (await cluster.ran("pbsnodes", "-l")).out == ""
    assert (await cluster.ran("pbsnodes", "-o", "-C", "bad disk", "node002")) == ("", "", 0)
    assert (await cluster.ran("pbsnodes", "-l")).out == "node002              offline bad disk\n"
    torque = await cluster.ran("pbsnodes", "-l", "free", MOLOKINI_PBS_DIALECT="torque")
    assert torque.out == ""
    assert (await cluster.ran("pbsnodes", "-r", "node002")) == ("", "", 0)
    assert (await cluster.ran("pbsnodes", "-l")).out == ""
    done = await cluster.ran("pbsnodes", "-o", "nope")
    assert (done.err, done.code) == ("pbsnodes: Unknown node nope\n", 214)
    done = await cluster.ran("pbsnodes", "nope", "node001")
    assert (done.out.splitlines()[0], done.code) == ("node001", 214)
    assert (await cluster.ran("pbsnodes")).code == 2


async def test_qmgr_makes_changes_and_prints_queues(cluster: Cluster) -> None:
    commands = (
        "# a remark\n"
        "create queue night queue_type=e\n"
        "set queue night enabled = True, started = true\n"
        "set queue night resources_max.walltime = 10:00:00\n"
        "set queue night acl_users = 'ann,bob'\n"
        "s q night acl_users += cid\n"
        "s q night acl_users -= ann\n"
        "set queue night Priority = 5, max_queued = 9\n"
    )
    assert (await cluster.ran("qmgr", given=commands)) == ("", "", 0)
    printed = (await cluster.ran("qmgr", "-c", "print queue night")).out
    assert printed == (
        "#\n# Create queues and set their attributes.\n#\n"
        "#\n# Create and define queue night\n#\n"
        "create queue night\n"
        "set queue night queue_type = Execution\n"
        "set queue night Priority = 5\n"
        "set queue night max_queuable = 9\n"
        "set queue night resources_max.walltime = 10:00:00\n"
        "set queue night resources_default.ncpus = 1\n"
        "set queue night resources_default.walltime = 01:00:00\n"
        "set queue night acl_user_enable = True\n"
        "set queue night acl_users = bob,cid\n"
        "set queue night enabled = True\n"
        "set queue night started = True\n"
    )
    assert (await cluster.ran("qmgr", "-c", "delete queue night")).code == 0
    remade = await cluster.ran("qmgr", given=printed)
    assert (remade.err, remade.code) == ("", 0)
    assert (await cluster.ran("qmgr", "-c", "p q night")).out == printed
    assert (
        "    resources_max.walltime = 10:00:00\n" in (await cluster.ran("qmgr", "-c", "list queue night")).out
    )
    assert (
        await cluster.ran("qmgr", "-c", "list queue night enabled")
    ).out == "Queue night\n    enabled = True\n\n"
    assert "set server default_queue = default\n" in (await cluster.ran("qmgr", "-c", "print server")).out
    assert (await cluster.ran("qmgr", "-c", "set node node002 state=offline")).code == 0
    assert "    state = offline\n" in (await cluster.ran("qmgr", "-c", "list node node002")).out


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize(
    ("command", "text", "code"),
    [
        ("frob", "qmgr: Illegal directive: 'frob'; ", 2),
        ("list moon", "qmgr: Illegal object: 'moon'; ", 2),
        ("set queue", "qmgr: Syntax error: expected a name", 2),
        ("set queue nope enabled = t", "qmgr obj=nope svr=default: Unknown queue\nqmgr: Error (15018)", 1),
        ("set queue default odd = 1", "qmgr: Undefined attribute 'odd': ", 1),
        ("set queue default Priority = x", "qmgr: Illegal attribute or resource value: Priority = x", 1),
        ("set server scheduling = False", "qmgr obj= svr=default: No support for requested service: ", 1),
        ("create node n9", "qmgr obj=n9 svr=default: No support for requested service: ", 1),
        ("delete queue default", "qmgr obj=default svr=default: ", 1),
        ("create queue default", "qmgr obj=default svr=default: ", 1),
    ],
)
async def test_qmgr_says_what_it_cannot_do(cluster: Cluster, command: str, text: str, code: int) -> None:
    done = await cluster.ran("qmgr", "-c", command)
    assert (done.out, done.code) == ("", code)
    assert done.err.startswith(text), done.err
    assert (await cluster.ran("qmgr", "-z", "-c", command)) == ("", "", code)


@pytest.mark.deep
async def test_tracejob(cluster: Cluster) -> None:
    await cluster.molokini("clock", "advance", 60)
    await cluster.ran("qdel", "1")
    done = await cluster.ran("tracejob", "1", TZ="UTC")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[:3] == ["", "Job: 1.molokini", ""]
    assert lines[3] == "01/01/1970 00:00:00  S    enqueuing into default, state Q hop 1"
    assert any("  S    Exit_status=265 resources_used.cpupercent=0" in line for line in lines)
    [end] = [line for line in lines if "  A    user=root group=" in line and "Exit_status=265" in line]
    assert end.startswith("01/01/1970 00:01:00")
    assert " jobname=a " in end
    assert "  A    " not in (await cluster.ran("tracejob", "-a", "1")).out
    done = await cluster.ran("tracejob", "9")
    assert (done.err, done.code) == ("tracejob: Unknown Job Id 9\n", 153)
