"""What users read about their jobs: whom to ask, what was wrong, and instants that can be read."""

from pathlib import Path

import pytest

from molokini.client import errors
from molokini.model.decisions import Rule
from molokini.model.facts import NO_INDEX
from molokini.reports.wording import in_words
from molokini.server.security.roles import Role
from molokini.server.turn.ending import AttemptEnd, ReportEnd
from tests.kit.live import live
from tests.kit.serving import served

ROOT = ("root", Role.ADMINISTRATOR)
NOON_S = 1_795_262_400.0
"""2026-11-21 12:00:00 UTC."""


async def test_a_job_that_was_cancelled_says_by_whom_whether_it_ran_or_waited(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann, one.client(*ROOT) as root:
        ran = await ann.submit(estimate_s=100)
        held = await ann.submit(estimate_s=100, held=True)
        told = await ann.submit(estimate_s=100)
        assert await root.cancel([ran, held]) == ["", ""]
        assert await root.cancel([told], reason="the licence is over") == [""]
        await ann.wait([ran, held, told], timeout_s=5)
        reasons = [(await ann.job(number)).reason for number in (ran, held, told)]
        assert reasons == ["cancelled by root", "cancelled by root", "the licence is over"]


async def test_a_job_that_ends_by_itself_while_it_is_cancelled_was_not_cancelled() -> None:
    async with live() as story:
        job = await story.submit()
        await story.leave()
        await story.cancel(job)
        assert await story.do(ReportEnd(AttemptEnd(job, NO_INDEX, 1, 0.0, exit_code=3)))
        assert (story.status(job), story.run(job).reason) == ("failed", "")


async def test_a_hold_that_is_left_speaks_for_itself(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann, one.client(*ROOT) as root:
        await ann.submit(processors=16, estimate_s=100)
        for job in (await ann.submit(estimate_s=100), await ann.submit(array="1-3", estimate_s=100)):
            await ann.hold([job], reason="later on")
            await root.hold([job], hold="operator")
            assert await ann.release([job]) == [""]
            assert (await ann.job(job)).reason == "held by operator"


async def test_dependencies_are_called_as_users_call_them(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        job = await ann.submit(estimate_s=100)
        hopeless = await ann.submit(estimate_s=100, after={"afternotok": job})
        await ann.cancel([hopeless])
        other = await ann.submit(estimate_s=100, after={"afterok": job})
        await ann.cancel([job])
        await ann.wait([other], timeout_s=5)
        assert (await ann.job(other)).reason == f"dependency on job {job} (afterok) can never be met"
        with pytest.raises(errors.Refused, match="singleton needs a job with a name"):
            await ann.submit(estimate_s=100, after={"singleton": ()})


def test_instants_of_a_calendar_are_dates() -> None:
    text, helps = in_words(Rule.WOULD_DELAY_THE_HEAD, NOON_S, NOON_S + 3600, 4)
    assert text == (
        "it would end at 2026-11-21 13:00:00Z and delay the queue's head, reserved for 2026-11-21 12:00:00Z"
    )
    assert helps[0] == "an estimate that ends before 2026-11-21 12:00:00Z"
    assert in_words(Rule.RESERVED_LATER, 90.0, 4, 4)[0] == "it has a reservation at 90 s"


async def test_a_watch_from_a_number_that_has_not_come_is_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        await ann.submit(estimate_s=100)
        with pytest.raises(errors.Refused, match=r"after: 999999 .* at most"):
            await anext(ann.watch(999_999))
