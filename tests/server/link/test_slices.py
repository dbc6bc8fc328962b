"""What agents are told of slices, and what they tell of them."""

from molokini.model.slicing import Slicing
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.link.latest_reports import MOST_HEARD
from molokini.server.services.slicing_service import fill_pace, sliced_jobs
from molokini.server.turn.slicing import SliceJob
from tests.kit.voices import Voice, spoken

ROW = Slicing(rows=2, row=(1,), quantum_s=0.2, origin_s=3.0)


async def heartbeat(voice: Voice, sent_s: float = 0.0) -> wire.Acknowledge:
    """The answer to a heartbeat: what was said before it has been heard by then."""
    known = len(voice.of("acknowledge"))
    voice.said.put_nowait(wire.AgentMessage(heartbeat=wire.Heartbeat(sent_s=sent_s)))
    answer: wire.Acknowledge = (await voice.hears("acknowledge", known + 1))[-1]
    return answer


async def test_an_agent_is_told_when_its_job_computes() -> None:
    async with spoken() as (story, voice):
        job = await story.submit(processors=1)
        await voice.hears("launch", 1)
        await story.do(SliceJob(job, -1, "root", ROW))
        await story.do(SliceJob(job, -1, "root", None))
        sliced, whole = await voice.hears("order", 2)
        assert (sliced.kind, sliced.rate, sliced.attempt.job_id) == (wire.Order.SLICE, 0.5, job)
        assert sliced.slicing == jobs_pb2.Slicing(rows=2, row=[1], quantum_s=0.2, origin_s=3.0)
        assert (whole.kind, whole.rate, whole.HasField("slicing")) == (wire.Order.SLICE, 1.0, False)


async def test_heartbeats_are_answered_with_the_clock_where_that_is_wanted() -> None:
    async with spoken() as (story, voice):
        before = story.core.hub.monotonic()
        plain, timed = await heartbeat(voice), await heartbeat(voice, 77.5)
        assert (plain.sent_s, plain.server_s) == (0.0, 0.0)
        assert timed.sent_s == 77.5
        assert before <= timed.server_s <= story.core.hub.monotonic()


async def test_what_was_achieved_is_there_to_be_asked_for() -> None:
    async with spoken() as (story, voice):
        job = await story.submit(processors=1)
        await voice.hears("launch", 1)
        await story.do(SliceJob(job, -1, "root", ROW))
        attempt = wire.AttemptRef(job_id=job, array_index=-1, attempt=1)
        [line] = sliced_jobs(story.core).jobs
        assert (line.job.id, line.attempt, line.slicing.rows, dict(line.achieved)) == (job, 1, 2, {})

        async def says(sliced: jobs_pb2.Sliced, ref: wire.AttemptRef = attempt) -> None:
            voice.said.put_nowait(wire.AgentMessage(sliced=wire.SlicedAttempt(attempt=ref, sliced=sliced)))
            await heartbeat(voice)

        await says(jobs_pb2.Sliced(periods=5, on_s=1.0))
        await says(jobs_pb2.Sliced(trouble="t" * 2000))
        # Of another attempt, and of jobs that the agent does not run: the server keeps nothing.
        await says(jobs_pb2.Sliced(periods=7), wire.AttemptRef(job_id=job, array_index=-1, attempt=2))
        await says(jobs_pb2.Sliced(periods=7), wire.AttemptRef(job_id=99, array_index=-1, attempt=1))
        [line] = sliced_jobs(story.core).jobs
        [(agent, found)] = line.achieved.items()
        assert (agent, found.periods, found.on_s, len(found.trouble)) == (voice.name, 5, 1.0, 1000)
        for number in range(MOST_HEARD):
            story.core.hub.achieved.take((1000 + number, -1), 1, "other", jobs_pb2.Sliced())
        await says(jobs_pb2.Sliced(periods=9))
        assert len(story.core.hub.achieved) == MOST_HEARD
        assert sliced_jobs(story.core).jobs[0].achieved[voice.name].periods == 9


async def test_what_a_program_says_of_itself_is_there_to_be_asked_for() -> None:
    async with spoken() as (story, voice):
        job = await story.submit(processors=1)
        await voice.hears("launch", 1)
        await story.do(SliceJob(job, -1, "root", ROW))

        async def says(iteration: int, attempt: int = 1, number: int = job, per_s: float = 2.5) -> None:
            ref = wire.AttemptRef(job_id=number, array_index=-1, attempt=attempt)
            rate = jobs_pb2.Rate(iteration=iteration, per_s=per_s, at_s=7.0)
            voice.said.put_nowait(wire.AgentMessage(rated=wire.RatedAttempt(attempt=ref, rate=rate)))
            await heartbeat(voice)

        def shown() -> jobs_pb2.Job:
            made, element = jobs_pb2.Job(), story.state.jobs[job].element
            assert element is not None
            fill_pace(story.core, made, element)
            return made

        await says(3)
        await says(4)
        await says(9, attempt=2)
        await says(9, number=99)
        await says(9, per_s=float("nan"))
        ref = wire.AttemptRef(job_id=job, array_index=-1, attempt=1)
        sliced = wire.SlicedAttempt(attempt=ref, sliced=jobs_pb2.Sliced(periods=5))
        voice.said.put_nowait(wire.AgentMessage(sliced=sliced))
        await heartbeat(voice)
        found = shown()
        [(agent, rate)] = found.rates.items()
        assert (agent, rate.iteration, rate.per_s, rate.at_s) == (voice.name, 4, 2.5, 7.0)
        assert (list(found.slicing.row), found.achieved[voice.name].periods) == ([1], 5)
        await story.do(SliceJob(job, -1, "root", None))
        assert not shown().HasField("slicing")
