"""Resource managers are not all alike: what is missing, unknown, lost, refused or repeated."""

import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from molokini.server.foreign_rm.foreign_records import Stage, node_told, takes_work, told_of
from molokini.server.state.jobs import JobStatus
from molokini.server.turn.changing import Cancel, Requeue
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.wiki.answers import read_answer
from molokini.server.wiki.client import Refused, Unanswered, Unreachable
from molokini.server.wiki.messages import WikiError
from tests.kit.fake_foreign_rm import DROP, GARBAGE, HALF, STRANGER, scene
from tests.kit.live import MemoryJournal


async def test_fields_that_are_missing_have_their_defaults() -> None:
    async with scene() as one:
        one.fake.nodes |= {"n3": "STATE=Running;", "n4": "CPROC=9;", "n5": "STATE=Down;CAT=burnt;"}
        one.fake.jobs = {"a.tux": "STATE=Idle;", "b": "TASKS=4;WCLIMIT=x;QUEUETIME=;RMEM=;"}
        await one.look()
        state = one.story.state
        assert [(node.name, node.processors) for node in state.machine.nodes] == [
            ("n1", 2),
            ("n2", 2),
            ("n3", 1),
            ("n4", 9),
            ("n5", 1),
        ]
        assert [str(node.status) for node in state.machine.nodes][3:] == ["draining", "draining"]
        assert state.machine.by_name["n5"].drained == ("manager", "Down at the resource manager: burnt")
        assert one.states() == {"a.tux": "running", "b": "running"}
        assert one.fake.orders == ["STARTJOB a.tux TASKLIST=n1", "STARTJOB b TASKLIST=n1:n2:n2:n3"]
        assert state.jobs[2].estimate_s == 864_000


async def test_a_state_that_is_not_known(caplog: pytest.LogCaptureFixture) -> None:
    async with scene() as one:
        one.fake.jobs = {"1": "STATE=Pondering;TASKS=1;", "2": "STATE=Idle;TASKS=1;"}
        await one.look()
        assert one.states() == {"1": "held", "2": "running"}
        one.fake.set("2", STATE="Pondering")
        await one.look()
        # What runs goes on, whatever that means there.
        assert one.states() == {"1": "held", "2": "running"}
        assert len([r for r in caplog.records if "Pondering" in r.message]) == 1
        one.fake.set("1", STATE="Idle")
        await one.look()
        assert one.states()["1"] == "running"


async def test_a_start_that_is_refused_is_tried_again_later() -> None:
    async with scene("fcfs") as one:
        one.fake.jobs = {"1": "STATE=Idle;TASKS=4;", "2": "STATE=Idle;TASKS=2;"}
        one.fake.troubles.append(("STARTJOB ARG=1", "SC=-910 RESPONSE=no licence"))
        await one.look()
        assert one.states() == {"1": "held", "2": "running"}
        assert "no licence" in one.reason("1")
        await one.look()
        assert one.states()["1"] == "held"
        one.fake.set("2", STATE="Completed", EXITCODE="3")
        await one.look(10.0)
        assert one.states() == {"1": "running", "2": "failed"}
        assert one.story.run(2).result.exit_code == 3
        assert one.fake.orders == ["STARTJOB 2 TASKLIST=n1:n1", "STARTJOB 1 TASKLIST=n1:n1:n2:n2"]


@pytest.mark.parametrize("trouble", [DROP, GARBAGE, HALF, STRANGER, "SC=-140 RESPONSE=starting", "SC=x"])
@pytest.mark.parametrize("query", ["GETNODES", "GETJOBS"])
async def test_a_look_that_fails_changes_nothing(query: str, trouble: str) -> None:
    async with scene() as one:
        one.fake.jobs = {"1": "STATE=Idle;TASKS=4;"}
        await one.look()
        one.fake.jobs = {}
        one.fake.troubles.append((query, trouble))
        with pytest.raises((Unanswered, Unreachable, Refused)):
            await one.look(100.0)
        assert one.states() == {"1": "running"}
        await one.look(100.0)
        assert one.story.run(1).status is JobStatus.CANCELLED
        assert one.story.run(1).reason == "the resource manager no longer lists it"


async def test_a_start_whose_answer_is_lost() -> None:
    async with scene() as one:
        one.fake.jobs = {"1": "STATE=Idle;TASKS=4;"}
        # Carried out, and the answer is cut off.
        one.fake.troubles.append(("STARTJOB", HALF))
        with pytest.raises(Unanswered):
            await one.look()
        await one.look()
        assert (one.states(), len(one.fake.orders)) == ({"1": "running"}, 1)


async def test_a_start_that_was_lost_is_ordered_again() -> None:
    async with scene() as one:
        one.fake.jobs = {"1": "STATE=Idle;TASKS=4;"}
        one.fake.troubles.append(("STARTJOB", DROP))
        with pytest.raises(Unanswered):
            await one.look()
        assert one.states() == {"1": "running"}
        # A resource manager may be slow to show what it has done; twice is enough.
        await one.look()
        assert len(one.fake.orders) == 1
        await one.look()
        assert (one.states(), len(one.fake.orders)) == ({"1": "running"}, 2)
        assert one.story.run(1).attempt == 2


async def test_a_resource_manager_that_is_away() -> None:
    async with scene() as one:
        one.bridge.client.address = "127.0.0.1:1"
        with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1 cannot be reached"):
            await one.look()


@pytest.mark.parametrize("trouble", ["away", "SC=-140 RESPONSE=starting"])
async def test_nothing_is_decided_in_the_dark(trouble: str) -> None:
    async with scene("fcfs") as one:
        one.fake.jobs = {str(number): "STATE=Idle;TASKS=3;" for number in range(1, 6)}
        await one.look()
        one.fake.set("1", STATE="Completed")
        place = one.bridge.client.address
        if trouble == "away":
            # After the look that tells of the end, and before the order that follows from it.
            await one.bridge.look()
            one.story.core.reactor.inform(True)
            one.bridge.client.address = "127.0.0.1:1"
        one.fake.troubles.append(("STARTJOB", trouble))
        with pytest.raises(Unreachable):
            await one.look()
        assert one.states() == {"1": "completed", "2": "running"} | dict.fromkeys("345", "waiting")
        one.bridge.client.address = place
        one.fake.troubles.clear()
        await one.look()
        assert one.fake.orders == ["STARTJOB 1 TASKLIST=n1:n1:n2", "STARTJOB 2 TASKLIST=n1:n1:n2"]
        assert one.story.run(2).attempt == 1


async def test_jobs_that_are_listed_twice_or_broken() -> None:
    async with scene() as one:
        one.fake.jobs = {"1": "STATE=Hold;TASKS=1;"}
        one.fake.extra_jobs = "#1:STATE=Idle;TASKS=2;NAME=a\\;b\\#c;#;;#:STATE=Idle#nonsense#"
        await one.look()
        assert one.states() == {"1": "running"}
        assert one.story.job(1).name == "a;b#c"
        assert one.fake.orders == ["STARTJOB 1 TASKLIST=n1:n1"]


async def test_names_that_an_order_cannot_have(caplog: pytest.LogCaptureFixture) -> None:
    async with scene() as one:
        one.fake.nodes["n3 n4"] = "STATE=Idle;CPROC=64;"
        one.fake.jobs = {"1 TASKLIST=n1 X=": "STATE=Idle;", "2": "STATE=Idle;TASKS=1;"}
        await one.look()
        assert one.fake.orders == ["STARTJOB 2 TASKLIST=n1"]
        assert [node.name for node in one.story.state.machine.nodes] == ["n1", "n2"]
        assert "has a name that no start command can carry" in caplog.text
        assert "node 'n3 n4' of the resource manager has a name that no command can carry" in caplog.text


async def test_a_job_that_cannot_run_here_stays_there(caplog: pytest.LogCaptureFixture) -> None:
    async with scene() as one:
        one.fake.jobs = {"1": "STATE=Idle;TASKS=99;", "2": "STATE=Idle;TASKS=1;RFEATURES=warp;"}
        one.fake.jobs["3"] = "STATE=Idle;TASKS=1;"
        await one.look()
        assert one.states() == {"3": "running"}
        told = [record.message for record in caplog.records if "cannot be scheduled here" in record.message]
        assert ["99" in told[0], "warp" in told[1]] == [True, True]


async def test_what_others_do_at_the_resource_manager() -> None:
    async with scene() as one:
        started = "STATE=Running;TASKS=3;WCLIMIT=100;STARTTIME=0;TASKLIST=n2:n2:n1;"
        one.fake.jobs = {"1": started, "2": "STATE=Idle;TASKS=1;", "3": "STATE=Idle;TASKS=1;"}
        await one.look()
        assert one.states() == {"1": "running", "2": "running", "3": "waiting"}
        assert one.story.run(1).nodes == ((1, 2), (0, 1))
        one.fake.set("1", STATE="Suspended")
        await one.look()
        assert one.states() == {"1": "suspended", "2": "running", "3": "running"}
        for name in ("2", "3"):
            one.fake.set(name, STATE="Completed")
        one.fake.set("1", STATE="Running")
        await one.look()
        assert one.states() == {"1": "running", "2": "completed", "3": "completed"}
        one.fake.set("1", STATE="Hold")
        await one.look()
        await one.look()
        assert one.states()["1"] == "held"
        one.fake.set("1", STATE="Idle")
        await one.look()
        assert one.states()["1"] == "running"
        one.fake.set("1", STATE="Removed")
        await one.look()
        assert (one.states()["1"], one.reason("1")) == ("cancelled", "Removed at the resource manager")
        # Some number their jobs anew one day.
        one.fake.jobs["1"] = "STATE=Idle;TASKS=1;QUEUETIME=7;"
        await one.look()
        assert one.states()["1"] == "running"
        assert one.bridge.jobs.by_name["1"].number == 4


async def test_a_job_that_runs_where_we_have_no_room(caplog: pytest.LogCaptureFixture) -> None:
    async with scene() as one:
        one.fake.jobs = {
            "1": "STATE=Running;TASKS=2;TASKLIST=n1:n1;",
            "2": "STATE=Running;TASKS=1;TASKLIST=n1;",
            "3": "STATE=Running;TASKS=2;TASKLIST=n2;",
            "4": "STATE=Running;TASKS=1;TASKLIST=elsewhere;",
        }
        await one.look()
        assert one.states() == {"1": "running", "2": "held", "3": "held", "4": "held"}
        assert one.fake.orders == []
        assert "node n1 has no room for it by our records" in caplog.text
        assert "not for all of its tasks" in caplog.text
        assert "it runs on node elsewhere, which is not known" in caplog.text


async def test_a_user_here_cancels_what_is_there() -> None:
    async with scene() as one:
        one.fake.jobs = {"1": "STATE=Idle;TASKS=4;", "2": "STATE=Idle;TASKS=4;"}
        await one.look()
        for number in (1, 2):
            await one.story.do(Cancel(number, -1, "ann"))
        await one.look()
        await one.look()
        assert one.fake.orders[1:] == ["CANCELJOB 1 TYPE=ADMIN", "CANCELJOB 2 TYPE=ADMIN"]
        assert one.states() == {"1": "cancelled", "2": "cancelled"}


async def test_what_an_operator_here_orders_reaches_the_resource_manager() -> None:
    async with scene() as one:
        one.fake.jobs = {"1": "STATE=Idle;TASKS=3;DPROCS=1;"}
        await one.look()
        for command in (SuspendJob(1, -1, "olga"), ResumeJob(1, -1, "olga"), Requeue(1, -1, "olga")):
            await one.story.do(command)
            await one.look()
        assert one.fake.orders[1:4] == ["SUSPENDJOB 1", "RESUMEJOB 1", "REQUEUEJOB 1"]
        await one.look()
        assert one.fake.orders[4:] == ["STARTJOB 1 TASKLIST=n1:n1:n2"]
        assert (one.states(), one.story.run(1).attempt) == ({"1": "running"}, 2)


async def test_orders_that_are_refused_leave_what_is_there(caplog: pytest.LogCaptureFixture) -> None:
    async with scene() as one:
        one.fake.jobs = {"1": "STATE=Idle;TASKS=3;"}
        await one.look()
        one.fake.troubles.append(("SUSPENDJOB", "SC=-700 RESPONSE=never"))
        await one.story.do(SuspendJob(1, -1, "olga"))
        await one.look()
        assert "refuses (-700): never" in caplog.text
        # The next look shows that it runs, and so it does here.
        assert one.states() == {"1": "running"}


async def test_a_job_that_is_ours_alone_cannot_run_there() -> None:
    async with scene() as one:
        await one.look()
        number = await one.story.submit(processors=1)
        await one.look()
        assert one.story.status(number) == "not-started"
        assert one.story.run(number).reason == "no job of the resource manager"


async def test_a_server_that_starts_again_knows_its_jobs() -> None:
    journal = MemoryJournal()
    jobs = {"1": "STATE=Idle;TASKS=4;", "2": "STATE=Idle;TASKS=4;"}
    async with scene(journal=journal) as one:
        one.fake.jobs = dict(jobs)
        await one.look()
        left = one.fake.jobs
    async with scene(journal=journal) as one:
        one.fake.jobs = left
        await one.look()
        assert one.states() == {"1": "running", "2": "waiting"}
        one.fake.set("1", STATE="Completed")
        await one.look()
        assert one.states() == {"1": "completed", "2": "running"}
        assert one.fake.orders == ["STARTJOB 2 TASKLIST=n1:n1:n2:n2"]


async def test_nodes_that_go_and_come_back() -> None:
    async with scene() as one:
        one.fake.nodes["n1"] = "STATE=Draining;CPROC=2;"
        one.fake.jobs = {"1": "STATE=Idle;TASKS=4;", "2": "STATE=Idle;TASKS=5;"}
        await one.look()
        assert one.states() == {"1": "waiting"}
        # Of a node that has not changed the state alone may be told.
        one.fake.nodes["n1"] = "STATE=Idle;"
        await one.look()
        assert one.states() == {"1": "running"}
        one.fake.nodes = {"n2": "STATE=Down;", "n3": "STATE=Idle;CPROC=5;"}
        await one.look()
        # What runs on a node that is down there is over when the resource manager says so.
        assert one.states() == {"1": "running", "2": "running"}


def test_answers_in_the_words_of_others() -> None:
    slurm = 'SC=0 ARG=1#65539:STATE=Idle;RCLASS="batch";NAME="a;b";GRES="gpu:2";UNAME="ann";\x00'
    assert read_answer(slurm).records["65539"]["NAME"] == "a;b"
    told = told_of("65539", read_answer(slurm).records["65539"])
    assert (told.stage, told.user, told.spec["queue"]) == (Stage.IDLE, "ann", "batch")
    assert told.spec["resources"] == {"processors": 1, "generic": {"gpu": 2}}
    assert read_answer("SC=-700;RESPONSE=no").text == "no"
    node = node_told("n", {"CPROC": "8", "CMEMORY": "100", "FEATURE": "a:b", "CRES": "gpu:2,fat:1"})
    assert (node.processors, node.memory_kb, node.generic) == (8, 102_400, {"gpu": 2, "fat": 1})
    wide = told_of("1", {"TASKS": "8", "TASKPERNODE": "4", "DPROCS": "2"})
    assert wide.spec["resources"] == {"nodes": 2, "processors_per_node": 8}
    assert told_of("1", {"TASKLIST": "a,a,b"}).places == {"a": 2, "b": 1}


_VALUES = st.text("0123456789-.:;#*[]=\\\"'aé \x00", max_size=12) | st.text(max_size=6)
_KEYS = st.sampled_from(
    [
        *("STATE", "TASKS", "DPROCS", "TASKPERNODE", "WCLIMIT", "RMEM", "RFEATURES", "RCLASS", "TASKLIST"),
        *(
            "GRES",
            "STARTTIME",
            "QUEUETIME",
            "UNAME",
            "NAME",
            "EXITCODE",
            "CPROC",
            "CMEMORY",
            "FEATURE",
            "CRES",
        ),
    ]
)


@given(st.text(max_size=60) | _VALUES.map(lambda text: f"SC=0 ARG=1#{text}"), st.dictionaries(_KEYS, _VALUES))
def test_any_answer_is_read_or_refused(text: str, fields: dict[str, str]) -> None:
    try:
        found = read_answer(text).records
    except WikiError:
        found = {}
    for said in (*found.values(), fields):
        told = told_of("x", said)
        assert told.tasks >= 1
        assert told.spec["estimate_s"] > 0
        assert node_told("n", said).processors >= 1
        takes_work(said)


_STATES = st.sampled_from(["Idle", "Running", "Hold", "Suspended", "Completed", "Removed", "Odd", ""])
_MORE = st.sampled_from(
    ["", "TASKLIST=n1", "TASKLIST=n1:n1;", "STARTTIME=5;", "#", "WCLIMIT=9;", "DPROCS=2;"]
)
_STEP = st.dictionaries(st.sampled_from("123"), st.tuples(_STATES, st.integers(1, 5), _MORE), max_size=3)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(_STEP, min_size=1, max_size=6))
async def test_whatever_is_told_the_counts_are_right(steps: list[dict[str, tuple[str, int, str]]]) -> None:
    async with scene("fcfs") as one:
        logging.getLogger("molokini.server").setLevel(logging.CRITICAL)
        try:
            for step in steps:
                for name, (state, tasks, more) in step.items():
                    one.fake.jobs[name] = f"STATE={state};TASKS={tasks};{more}"
                await one.look(30.0)
                t = one.story.state.tables
                running = [e for e in one.story.state.by_row.values() if e.status is JobStatus.RUNNING]
                held = sum(processors for e in running for _, processors in e.nodes)
                assert held <= 4
                assert int(t.nodes.free[:, 0].sum()) == 4 - held
            one.fake.jobs = dict.fromkeys(one.fake.jobs, "STATE=Completed;")
            one.fake.extra_jobs = ""
            await one.look(100.0)
            await one.look(100.0)
            assert not one.story.state.open_jobs
        finally:
            logging.getLogger("molokini.server").setLevel(logging.NOTSET)
