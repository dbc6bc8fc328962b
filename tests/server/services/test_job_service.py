"""The services as users meet them: the real client, over a real socket, on a clock to turn."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from molokini.client import errors
from molokini.client.client import Client
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.proto.v1.job_service_pb2 import JobEvent
from molokini.proto.v1.jobs_pb2 import JobSpec
from molokini.server.security.roles import Role
from molokini.server.turn.running_policy import RunningPolicy
from molokini.sim.replay import Replay
from tests.kit.serving import Served, served
from tests.kit.waiting import DEADLINE_S

STATE = jobs_pb2.JobState

ROOT = ("root", Role.ADMINISTRATOR)


async def test_a_job_from_its_submission_to_its_end(ann: Client, root: Client) -> None:
    job = await ann.submit(name="x", processors=6, estimate_s=100, outcome={"run_s": 40, "exit_code": 0})
    await root.advance(10)
    now = await ann.job(job)
    assert (now.state, now.user, now.start_s, now.attempt) == (STATE.RUNNING, "ann", 0.0, 1)
    assert sum(part.processors for part in now.allocation) == 6
    await root.advance(30)
    now = await ann.job(job)
    assert (now.state, now.end_s) == (STATE.COMPLETED, 40.0)
    waited = await ann.wait([job], timeout_s=300)
    assert waited.all_ended
    with pytest.raises(errors.NotFound, match="99"):
        await ann.job(99)


async def test_chunks_of_loads_that_are_over_are_all_computed(ann: Client, root: Client) -> None:
    load = {"load": 10.0, "send_s": 1.0, "compute_s": 100.0}
    loads = [await ann.submit(processors=16, divisible=load) for _ in range(2)]
    await root.advance(1000)
    told = [await ann.job(job) for job in loads]
    assert told[0].start_s == 0.0
    assert told[1].start_s == told[0].end_s > 0.0
    for job in told:
        assert job.state == STATE.COMPLETED
        assert job.chunks.sent == job.chunks.computed == job.chunks.chunks > 1


async def test_an_advance_answers_when_all_on_the_way_has_happened(ann: Client, root: Client) -> None:
    jobs = [await ann.submit(processors=16, estimate_s=10, outcome={"run_s": 10}) for _ in range(20)]
    clock = await root.advance(195)
    assert clock.now_s == 195.0
    found = [job async for job in ann.jobs(include_ended=True)]
    assert [job.id for job in found] == jobs
    assert [job.end_s for job in found[:-1]] == [10.0 * k for k in range(1, 20)]
    assert found[-1].state == STATE.RUNNING
    with pytest.raises(errors.Refused, match="advance_s"):
        await root.advance(-1)
    with pytest.raises(errors.Refused, match="advance_s"):
        await root.advance(float("inf"))
    with pytest.raises(errors.NotNow):
        await root.set_rate(2)


async def test_an_advance_of_a_paused_clock_is_refused_at_once(root: Client) -> None:
    await root.pause_clock()
    with pytest.raises(errors.NotNow, match="paused"):
        await asyncio.wait_for(root.advance(5), 60)
    await root.resume_clock()
    assert (await root.advance(5)).now_s == 5.0


async def test_changes_of_every_kind(ann: Client, root: Client) -> None:
    job = await ann.submit(estimate_s=100, held=True)
    assert await ann.release([job]) == [""]
    assert (await ann.job(job)).state == STATE.RUNNING
    await root.advance(10)
    now = await ann.job(job)
    assert (now.elapsed_s, now.expected_end_s) == (10.0, 100.0)
    assert await ann.suspend([job]) == [""]
    await root.advance(10)
    now = await ann.job(job)
    assert (now.state, now.work_s, now.elapsed_s) == (STATE.SUSPENDED, 10.0, 20.0)
    assert now.suspended_s == 10.0
    assert not now.HasField("expected_end_s")
    assert await ann.resume([job]) == [""]
    assert await ann.requeue([job]) == [""]
    await root.advance(5)
    now = await ann.job(job)
    assert (now.state, now.attempt, now.work_s) == (STATE.RUNNING, 2, 5.0)
    assert (now.start_s, now.elapsed_s, now.expected_end_s) == (20.0, 5.0, 120.0)
    assert now.suspended_s == 0.0
    assert (await ann.alter(job, comment="hm", estimate_s=50)).spec.comment == "hm"
    assert await ann.signal([job], 15) == [""]
    await root.advance(0)
    now = await ann.job(job)
    assert (now.state, now.signal) == (STATE.FAILED, 15)
    assert (now.elapsed_s, now.end_s, now.HasField("expected_end_s")) == (5.0, 25.0, False)
    assert await ann.cancel([job]) == [""]
    with pytest.raises(errors.NotNow):
        await ann.hold([job])
    refusals = await ann.cancel([job, 77])
    assert refusals[0] == ""
    assert "77" in refusals[1]


async def test_a_job_that_is_named_many_times_is_asked_once(one: Served, ann: Client) -> None:
    running, waiting = await ann.submit(estimate_s=100, processors=16), await ann.submit(processors=16)
    before = one.core.state.serial
    assert await ann.cancel([waiting, running, *[waiting] * 4000]) == [""] * 4002
    # The stop that was asked for, the end of each, and that the agent's report was taken.
    assert one.core.state.serial - before <= 8
    refusals = await ann.hold([running, 77] * 2000)
    assert refusals[::2] == [refusals[0]] * 2000
    assert refusals[1::2] == [refusals[1]] * 2000
    assert "77" in refusals[1]


async def test_a_queue_that_is_changed_is_told_with_its_jobs(ann: Client, root: Client) -> None:
    await ann.submit(estimate_s=100, processors=16)
    await ann.submit(processors=16)
    await ann.submit(processors=1, held=True)
    made = await root.set_queue("default", priority=3)
    assert (made.jobs_running, made.jobs_waiting, made.jobs_held) == (1, 1, 1)
    assert made == (await ann.queues())[0]


async def test_with_privacy_others_jobs_do_not_exist_for_a_user(tmp_path: Path) -> None:
    async with served(tmp_path, security__privacy=True) as one, one.client() as ann, one.client("bob") as bob:
        job = await ann.submit()
        assert [other.id async for other in bob.jobs(include_ended=True)] == []
        assert [other.id async for other in bob.jobs(users=["ann"])] == []
        for act in (bob.job(job), bob.cancel([job]), bob.explain(job), bob.wait([job]), bob.signal([job], 9)):
            with pytest.raises(errors.NotFound, match=f"no job {job}"):
                await act
        async with one.client("olga", Role.OPERATOR) as olga:
            assert [other.id async for other in olga.jobs()] == [job]


async def events(client: Client, after: int, until: str) -> list[JobEvent]:
    """Changes after a sequence number, up to the first of kind *until*."""
    found: list[JobEvent] = []
    async with asyncio.timeout(DEADLINE_S):
        async for event in client.watch(after):
            found.append(event)
            if event.kind == until:
                return found
    raise AssertionError("the watch has ended")


async def test_a_watch_has_no_gap_and_tells_each_state(one: Served, ann: Client, root: Client) -> None:
    before = (await ann.cluster()).sequence
    for _ in range(30):
        await ann.submit(processors=16, estimate_s=10, outcome={"run_s": 10})
    await root.advance(150)
    last = await ann.submit(held=True)
    await ann.hold([last], hold="user")
    await ann.cancel([last], reason="enough")
    found: list[JobEvent] = []
    async with asyncio.timeout(DEADLINE_S):
        async for event in ann.watch(before):
            found.append(event)
            if event.kind == "ended" and event.job_id == last:
                break
    keys = [(event.sequence, event.job_id) for event in found]
    assert keys == sorted(set(keys))
    for job in range(1, 15):
        mine = [(event.kind, event.state) for event in found if event.job_id == job]
        assert mine == [("submitted", STATE.WAITING), ("started", STATE.RUNNING), ("ended", STATE.COMPLETED)]
    middle = found[len(found) // 2].sequence
    rest = []
    async with asyncio.timeout(DEADLINE_S):
        async for event in ann.watch(middle):
            rest.append(event.sequence)
            if event.sequence == found[-1].sequence:
                break
    assert rest == [event.sequence for event in found if event.sequence > middle]
    one.core.state.events.popleft()
    one.core.state.events.popleft()
    with pytest.raises(errors.HistoryGone):
        await events(ann, 1, "ended")
    # Who has seen all up to the oldest that is kept has missed nothing.
    while not hasattr(one.core.state.events[0][2], "job"):
        one.core.state.events.popleft()
    oldest = one.core.state.events[0][0]
    assert (await events(ann, oldest - 1, "ended"))[0].sequence == oldest
    with pytest.raises(errors.HistoryGone):
        await events(ann, oldest - 2, "ended")


async def test_explain_changes_nothing_and_says_who_is_in_front(tmp_path: Path) -> None:
    bodies = []
    for asking in (False, True):
        async with (
            served(tmp_path / str(asking), "easy") as one,
            one.client() as ann,
            one.client(*ROOT) as root,
        ):
            for k in range(12):
                job = await ann.submit(
                    processors=3 + 5 * (k % 3),
                    estimate_s=20 + k,
                    outcome={"run_s": 5 + 3 * (k % 5)},
                    submission_key=f"k{k}",
                )
                if asking:
                    for number in range(1, job + 1):
                        await ann.explain(number)
                        await ann.forecast(number)
                await root.advance(3)
            if asking:
                why = await ann.explain(12)
                assert why.rule
                assert why.text
            await root.advance(500)
            core = one.core
            bodies.append([(e.time_s, e.kind, e.body) async for e in core.journal.read(0)])
    plain, asked = ([one for one in body if one[1].startswith("Job")] for body in bodies)
    assert plain == asked


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("policy", ["fcfs", "easy"])
async def test_a_forecast_is_exact_where_run_times_equal_estimates(policy: str, tmp_path: Path) -> None:
    async with served(tmp_path, policy) as one, one.client() as ann, one.client(*ROOT) as root:
        for k in range(10):
            await ann.submit(processors=5 + 4 * (k % 3), estimate_s=10 + 3 * k, outcome={"run_s": 10 + 3 * k})
        foreseen = {k: await ann.forecast(k) for k in range(1, 11)}
        await root.advance(1000)
        for number, forecast in foreseen.items():
            job = await ann.job(number)
            assert forecast.possible
            assert forecast.start_s == job.start_s
            assert forecast.earliest_s <= forecast.start_s <= forecast.latest_s


async def test_others_are_served_during_a_forecast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go, run = threading.Event(), threading.Event(), Replay.run

    def slow(replay: Replay, *given: Any, **named: Any) -> bool:
        begun.set()
        assert go.wait(30)
        return run(replay, *given, **named)

    monkeypatch.setattr(Replay, "run", slow)
    async with served(tmp_path, "fcfs") as one, one.client() as ann, one.client(*ROOT) as root:
        jobs = [await ann.submit(processors=16, estimate_s=50, outcome={"run_s": 50}) for _ in range(3)]
        asked = asyncio.create_task(ann.forecast(jobs[2]))
        assert await asyncio.to_thread(begun.wait, 30)
        # The state goes on, too: what is reckoned with is a copy.
        await ann.cancel([jobs[1]])
        assert (await ann.job(jobs[1])).state == STATE.CANCELLED
        await root.advance(1)
        go.set()
        assert (await asked).start_s == 100.0


async def test_nodes_queues_and_the_policy(ann: Client, root: Client) -> None:
    job = await ann.submit(processors=4, estimate_s=50)
    await root.drain(["n[1-2]"], "tired")
    found = {node.name: node async for node in ann.nodes()}
    assert (found["n1"].reason, list(found["n1"].job_ids), found["n1"].processors_used) == ("tired", [job], 4)
    assert [node.name async for node in ann.nodes(states=["draining"])] == ["n1", "n2"]
    assert await root.down(["n1"]) == [""]
    assert (await ann.job(job)).attempt in (1, 2)
    await root.resume_nodes(["n[1-4]"])
    with pytest.raises(errors.NotFound, match="n9"):
        await root.drain(["n3", "n9"])
    assert [node.name async for node in ann.nodes(states=["draining"])] == []
    with pytest.raises(errors.Refused, match="names"):
        await root.drain(["n[1-1000000000]"])
    await root.set_queue("night", nodes=["n[3-4]"], max_processors=4)
    with pytest.raises(errors.Refused, match="processors"):
        await ann.submit(queue="night", processors=5)
    await root.remove_queue("night")
    assert [queue.name for queue in await ann.queues()] == ["default"]
    assert (await root.set_policy("easy")).name == "easy"
    for name in ("/tmp/evil.py", "no-such"):
        with pytest.raises(errors.NotFound):
            await root.set_policy(name)
    with pytest.raises(errors.ServerError, match="depth"):
        await root.set_policy("easy", {"depth": 1})


async def test_a_refused_policy_is_not_compiled(root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(RunningPolicy, "compile", lambda self: compiled.append(self.policy.name))
    with pytest.raises(errors.Refused, match="release"):
        await root.set_policy("edf-epr-an", {"release": "each"})
    assert (await root.set_policy("fcfs")).name == "fcfs"
    assert compiled == ["fcfs"]


async def test_an_empty_message_never_ends_in_a_fault(root: Client, one: Served) -> None:
    for method in (
        root._job_service.GetJob(wire.GetJobRequest(), metadata=root._caller.metadata),
        root._job_service.CancelJobs(wire.ChangeJobsRequest(), metadata=root._caller.metadata),
        root._job_service.AlterJob(wire.AlterJobRequest(), metadata=root._caller.metadata),
        root._job_service.WaitJobs(wire.WaitJobsRequest(), metadata=root._caller.metadata),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await method
        assert refused.value.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND)


async def test_a_clock_that_was_advanced_does_not_go_back_at_a_restart(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client("root", Role.ADMINISTRATOR) as root:
        job = await root.submit(processors=1, estimate_s=1000, outcome={"run_s": 500})
        assert (await root.advance(60)).now_s == 60.0
    async with served(tmp_path) as one, one.client("root", Role.ADMINISTRATOR) as root:
        assert (await root.clock()).now_s == 60.0
        assert (await root.job(job)).work_s == 60.0
        await root.advance(440)
        assert (await root.job(job)).end_s == 500.0


async def test_the_reason_is_kept_with_the_job_while_it_is_suspended(ann: Client) -> None:
    job = await ann.submit(estimate_s=100)
    await ann.suspend([job], reason="the demo comes first")
    found = await ann.job(job)
    assert (found.state, found.reason) == (STATE.SUSPENDED, "the demo comes first")
    await ann.resume([job])
    found = await ann.job(job)
    assert (found.state, found.reason) == (STATE.RUNNING, "")


async def test_a_limit_of_jobs_is_no_bad_input(tmp_path: Path) -> None:
    async with served(tmp_path, limits__jobs_per_user=2) as one, one.client() as ann:
        for _ in range(2):
            await ann.submit()
        with pytest.raises(
            errors.OverLimit, match="user: there may be at most 2 unfinished jobs of ann; submit it"
        ) as refused:
            await ann.submit()
        assert refused.value.reason == "over_limit"


async def test_a_repeated_key_is_said_to_be_known_over_a_stream_too(one: Served, ann: Client) -> None:
    wanted = [JobSpec(submission_key=key) for key in ("a", "b", "", "a", "b", "")]

    async def requests() -> AsyncIterator[wire.SubmitRequest]:
        for tag, spec in enumerate(wanted):
            yield wire.SubmitRequest(spec=spec, tag=tag)

    call = ann._job_service.SubmitStream(requests(), metadata=ann._caller.metadata)
    answers = [(one.tag, one.job_id, one.repeated_key) async for made in call for one in made.answers]
    assert answers == [(0, 1, False), (1, 2, False), (2, 3, False), (3, 1, True), (4, 2, True), (5, 4, False)]


async def test_a_stream_answers_each_request_under_its_tag_taken_or_refused(one: Served, ann: Client) -> None:
    wanted = [JobSpec(), JobSpec(user_priority=5), JobSpec(queue="none"), JobSpec()]

    async def requests() -> AsyncIterator[wire.SubmitRequest]:
        for tag, spec in enumerate(wanted, 10):
            yield wire.SubmitRequest(spec=spec, tag=tag)

    call = ann._job_service.SubmitStream(requests(), metadata=ann._caller.metadata)
    answers = [(one.tag, one.job_id, one.refusal) async for made in call for one in made.answers]
    assert answers == [
        (10, 1, ""),
        (11, 0, "user_priority: 5 is not allowed; it must be at most 0 unless by an operator"),
        (12, 0, "no queue named 'none'; known: default"),
        (13, 2, ""),
    ]
