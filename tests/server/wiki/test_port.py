"""An outside scheduler drives a server: it looks, starts, ends; our own policy stands aside."""

from pathlib import Path

from tests.kit.wiki import states, with_port


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
