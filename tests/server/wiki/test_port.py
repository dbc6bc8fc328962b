"""An outside scheduler drives a server: it looks, starts, ends; our own policy stands aside."""

from pathlib import Path

from molokini.server.security.roles import Role
from molokini.server.wiki.looking import Looking
from tests.kit.live import nodes
from tests.kit.serving import Served
from tests.kit.wiki import states, with_port

ADMIN = Role.ADMINISTRATOR


async def test_a_scheduler_looks_and_starts_and_ends(tmp_path: Path) -> None:
    async with with_port(tmp_path) as (one, maui), one.client() as ann:
        first = await ann.submit(processors=6, estimate_s=100.5, name="long", outcome={"run_s": 50})
        second = await ann.submit(processors=2, estimate_s=60)
        # Paused from the beginning: nothing starts by itself.
        assert states(await maui.jobs()) == {"1": "Idle", "2": "Idle"}
        assert await maui.ask("CMD=GETJOBS ARG=0:1") == (
            "SC=0 ARG=1#1:STATE=Idle;UPDATETIME=0;WCLIMIT=101;TASKS=6;DPROCS=1;NODES=1;QUEUETIME=0;"
            "STARTTIME=0;COMPLETETIME=0;UNAME=ann;GNAME=ann;RCLASS=[default:1];NAME=long;"
        )
        assert await maui.ask("CMD=GETNODES ARG=0:n1") == (
            "SC=0 ARG=1#n1:STATE=Idle;UPDATETIME=0;CPROC=4;APROC=4;CPULOAD=0.00;CCLASS=[default:4];"
            "ACLASS=[default:4];"
        )
        answer = await maui.ask("CMD=STARTJOB ARG=1 TASKLIST=n2:n2:n2:n4:n4:n4")
        assert answer == "SC=0 RESPONSE=job 1 started successfully"
        assert (await maui.jobs())["1"]["TASKLIST"] == "n2:n2:n2:n4:n4:n4"
        assert list(states(await maui.nodes()).values()) == ["Idle", "Running", "Idle", "Running"]
        job = await ann.job(first)
        assert [(part.node, part.processors) for part in job.allocation] == [("n2", 3), ("n4", 3)]
        answer = await maui.ask("CMD=CANCELJOB ARG=2 TYPE=ADMIN")
        assert answer == "SC=0 RESPONSE=job 2 cancelled successfully"
        assert (await ann.job(second)).reason == "cancelled by wiki: by its administrator"
        await one.advance(60)
        found = await maui.jobs()
        assert states(found) == {"1": "Completed", "2": "Removed"}
        assert (found["1"]["STARTTIME"], found["1"]["COMPLETETIME"], found["1"]["EXITCODE"]) == (
            "0",
            "50",
            "0",
        )


async def test_every_order(tmp_path: Path) -> None:
    async with with_port(tmp_path) as (one, maui), one.client() as ann:
        job = await ann.submit(nodes=2, processors_per_node=2, estimate_s=500, memory_kb=1500)
        said = (await maui.jobs())["1"]
        shown = {key: said[key] for key in ("TASKS", "DPROCS", "NODES", "TASKPERNODE", "RMEM", "RMEMCMP")}
        assert list(shown.values()) == ["2", "2", "2", "1", "3", ">="]
        modify = "CMD=MODIFYJOB ARG=1 TIMELIMIT=900 BANK=lab JOBNAME=other COMMENT='not now'"
        for order, answer in (
            (modify, "job 1 modified successfully"),
            ("CMD=STARTJOB ARG=1 TASKLIST=n[1-2]", "job 1 started successfully"),
            ("CMD=SUSPENDJOB ARG=1", "job 1 suspended successfully"),
            ("CMD=RESUMEJOB ARG=1", "job 1 resumed successfully"),
            ("CMD=SIGNALJOB ARG=1 VALUE=SIGCONT", "job 1 signalled"),
            ("CMD=REQUEUEJOB ARG=1", "job 1 requeued successfully"),
        ):
            assert await maui.ask(order) == f"SC=0 RESPONSE={answer}"
        spec = (await ann.job(job)).spec
        assert (spec.estimate_s, spec.account, spec.name, spec.comment) == (900, "lab", "other", "not now")
        await one.advance(0)
        assert states(await maui.jobs()) == {"1": "Idle"}
        assert (
            await maui.ask("CMD=STARTJOB ARG=1 TASKLIST=n4:n3") == "SC=0 RESPONSE=job 1 started successfully"
        )
        for kind in ("ADMIN", "TIMEOUT"):  # twice is harmless
            assert (
                await maui.ask(f"CMD=CANCELJOB ARG=1 TYPE={kind}")
                == "SC=0 RESPONSE=job 1 cancelled successfully"
            )
        await one.advance(0)
        assert states(await maui.jobs()) == {"1": "Removed"}


async def test_orders_that_are_refused(tmp_path: Path) -> None:
    async with with_port(tmp_path) as (one, maui), one.client() as ann:
        await ann.submit(processors=4, estimate_s=500, requeue=False)
        await ann.submit(processors=4, estimate_s=500)
        assert (await maui.ask("CMD=STARTJOB ARG=2 TASKLIST=n1*3:n2")).startswith("SC=0 ")
        for order, answer in (
            ("CMD=STARTJOB ARG=1", "-300 STARTJOB needs TASKLIST="),
            ("CMD=STARTJOB TASKLIST=n1", "-300 no ARG="),
            ("CMD=STARTJOB ARG=1 TASKLIST=n1:n1", "-700 job 1: 2 processors are given, and it has 4"),
            ("CMD=STARTJOB ARG=1 TASKLIST=n1*4", "-700 job 1: node n1 has no room for 4 of its tasks now"),
            ("CMD=STARTJOB ARG=1 TASKLIST=n7*4", "-700 no node named 'n7'"),
            ("CMD=STARTJOB ARG=1 TASKLIST=n1*2000000", "-300 TASKLIST has from 1 to 1,000,000 tasks"),
            ("CMD=STARTJOB ARG=1 TASKLIST=;", "-300 TASKLIST: names: ';' is not allowed"),
            ("CMD=STARTJOB ARG=2 TASKLIST=n3*4", "-700 job 2 does not wait (running)"),
            ("CMD=STARTJOB ARG=9 TASKLIST=n3*4", "-700 no job 9"),
            ("CMD=STARTJOB ARG=1[4] TASKLIST=n3*4", "-700 no job 1[4]"),
            ("CMD=STARTJOB ARG=x TASKLIST=n3*4", "-700 no job 'x'"),
            ("CMD=CANCELJOB ARG=1", "-300 CANCELJOB needs TYPE="),
            ("CMD=CANCELJOB ARG=1 TYPE=FUN", "-300 TYPE is one of ADMIN, WALLCLOCK, TIMEOUT"),
            ("CMD=SUSPENDJOB ARG=1", "-700 job 1 does not run (waiting)"),
            ("CMD=RESUMEJOB ARG=2", "-700 job 2 is not suspended (running)"),
            ("CMD=REQUEUEJOB ARG=1", "-700 job 1 does not run (waiting)"),
            ("CMD=SIGNALJOB ARG=2 VALUE=NOW", "-300 no such signal: NOW"),
            ("CMD=SIGNALJOB ARG=2 VALUE=99", "-700 signal: 99 is not allowed"),
            ("CMD=MODIFYJOB ARG=1", "-300 MODIFYJOB says nothing that is to be changed"),
            ("CMD=MODIFYJOB ARG=1 TIMELIMIT=soon", "-300 TIMELIMIT is a whole number"),
            ("CMD=MODIFYJOB ARG=1 WCKEY=a", "-300 MODIFYJOB changes BANK, COMMENT"),
            ("CMD=MODIFYJOB ARG=1 PARTITION=none", "-700 queue: 'none' is not allowed"),
            ("CMD=MODIFYJOB ARG=2 NODES=2", "-700 job 2 runs; resources can be changed only while it waits"),
            ("CMD=NOTIFYJOB ARG=1 MSG=hello", "-810 NOTIFYJOB is not supported"),
            ("CMD=JOBWILLRUN ARG=1", "-810 JOBWILLRUN is not supported"),
            ("CMD=PURGEJOB ARG=1", "-300 no such command: PURGEJOB"),
            ("CMD=GETJOBS ARG=now:ALL", "-300 ARG is an instant, a colon, and ALL or names"),
            ("CMD=GETNODES", "-300 ARG is an instant"),
            ("CMD=INITIALIZE ARG= EPORT=99999", "-300 EPORT is a port from 0 to 65535"),
            ("CMD=INITIALIZE ARG= EPORT=0 USEHOSTEXP=X", "-300 USEHOSTEXP is N, T or F"),
        ):
            code, _, text = answer.partition(" ")
            assert (await maui.ask(order)).startswith(f"SC={code} RESPONSE={text}"), order
        assert states(await maui.jobs()) == {"1": "Idle", "2": "Running"}


async def test_only_what_has_changed_since(tmp_path: Path) -> None:
    async with with_port(tmp_path) as (one, maui), one.client() as ann:
        await ann.submit(processors=1, estimate_s=500)
        await one.advance(10)
        await ann.submit(processors=1, estimate_s=500)
        assert list(await maui.jobs(10)) == ["2"]
        # Instants are whole: what has changed in the second that is named may be news.
        assert list(await maui.nodes(0)) == ["n1", "n2", "n3", "n4"]
        assert await maui.ask("CMD=GETNODES ARG=1:ALL") == "SC=0 ARG=0#"
        await one.advance(10.5)
        await maui.ask("CMD=STARTJOB ARG=1 TASKLIST=n1")
        assert {name: said["UPDATETIME"] for name, said in (await maui.jobs(20)).items()} == {"1": "20"}
        assert (await maui.nodes(20))["n1"]["STATE"] == "Running"
        assert await maui.ask("CMD=GETJOBS ARG=21:ALL") == "SC=0 ARG=0#"
        assert list(await maui.records("CMD=GETJOBS ARG=0:2:17")) == ["2"]


async def test_states_of_jobs_and_nodes(tmp_path: Path) -> None:
    offers = [nodes("a[1-2]", 2, memory_kb=8_000_000, generic={"gpu": 2}, features=["big", "ib"])]
    async with with_port(tmp_path, "easy", offers=offers) as (one, maui), one.client("root", ADMIN) as root:
        held = await root.submit(processors=1, estimate_s=50, held=True)
        await root.submit(processors=1, estimate_s=50, begin_at_s=70.5)
        await root.submit(processors=1, estimate_s=50, after={"afterany": [held]})
        await root.submit(processors=1, estimate_s=50, array="2-3", outcome={"exit_code": 3, "run_s": 5})
        found = await maui.jobs()
        assert states(found) == {"1": "Hold", "2": "Idle", "3": "Hold", "4[2]": "Idle", "4[3]": "Idle"}
        assert found["2"]["STARTDATE"] == "71"
        assert (await maui.ask("CMD=STARTJOB ARG=4[3] TASKLIST=a2")).startswith("SC=0")
        await root.drain(["a1", "a2"], reason="cleaning")
        machine = await maui.nodes()
        assert states(machine) == {"a1": "Drained", "a2": "Draining"}
        assert machine["a2"]["CAT"] == "cleaning"
        shown = ("CMEMORY", "FEATURE", "CRES", "CPROC", "APROC")
        assert [machine["a2"][key] for key in shown] == ["7812", "big:ib", "gpu:2", "2", "1"]
        await one.advance(10)
        found = await maui.jobs()
        assert (found["4[3]"]["STATE"], found["4[3]"]["EXITCODE"]) == ("Completed", "3")
        # Five minutes later, in both times, the scheduler has had its chance to see that.
        await one.advance(400)
        maui_s_looking(one)._changes._monotonic = lambda: 1e12
        assert "4[3]" not in await maui.jobs()


def maui_s_looking(one: Served) -> Looking:
    assert one.server.wiki is not None
    return one.server.wiki._looking
