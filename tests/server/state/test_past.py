"""Records of finished jobs: those of an earlier version say the same."""

import json
from dataclasses import replace

import pytest

from molokini.model.canonical import text_of
from molokini.model.run_results import NO_RESULT, RunResult
from molokini.server.journal.port import Finished, Runs
from molokini.server.state.past import Past, elements_of, job_of, past_of, records_of
from tests.kit.live import Story, by_maui, live


@pytest.mark.parametrize(
    ("reason", "refusal", "detail"),
    [
        ("not at once", "not_at_once", ""),
        ("over ceiling: USERCFG[ann] MAXPROC=4", "over_ceiling", "USERCFG[ann] MAXPROC=4"),
        ("of a release that is not known", "", "of a release that is not known"),
    ],
)
async def test_version_1_had_refusal_and_limit_as_one_text(reason: str, refusal: str, detail: str) -> None:
    async with live(**by_maui("GROUPCFG[now] FLAGS=NOQUEUE")) as story:
        await story.submit(run_s=10.0, processors=12, group="now")
        one = await story.submit(run_s=10.0, processors=12, group="now")
        array = await story.submit(run_s=10.0, processors=12, group="now", array={"count": 2})
        [record] = records_of(story.job(one), story.state.machine)
        assert isinstance(record, Finished)
        body = json.loads(record.body)
        assert body["run"].pop("refusal") == "not_at_once"
        body["run"]["reason"] = reason
        job = job_of(replace(record, version=1, body=text_of(body)), story.state.machine)
        assert job.element is not None
        assert (job.element.refusal, job.element.reason, job.element.why) == (refusal, detail, reason)

        runs, record = records_of(story.job(array), story.state.machine)
        assert isinstance(runs, Runs)
        assert isinstance(record, Finished)
        body = json.loads(runs.body)
        for run in body["runs"]:
            assert run.pop("refusal") == "not_at_once"
            run["reason"] = reason
        old = replace(runs, version=1, body=text_of(body))
        found = elements_of(job_of(record, story.state.machine), old, story.state.machine)[1]
        assert {(run.refusal, run.why) for run in found} == {(refusal, reason)}


USED = RunResult(3, cpu_s=1.5, written_kb=7)


@pytest.mark.parametrize("used", [NO_RESULT, USED])
async def test_what_was_used_is_kept_where_it_is_known(story: Story, used: RunResult) -> None:
    number = await story.submit(run_s=10.0, array={"first": 0, "last": 1})
    await story.advance(20.0)
    for run in story.job(number).known_elements():
        run.result = used
    runs, record = records_of(story.job(number), story.state.machine)
    assert isinstance(runs, Runs)
    assert isinstance(record, Finished)
    assert ("cpu_s" in runs.body) == (used is USED)
    found = elements_of(job_of(record, story.state.machine), runs, story.state.machine)[1]
    assert [run.result for run in found] == [used, used]
    # Version 2 had the newer figures as a list.
    old = json.loads(runs.body)
    for run in old["runs"]:
        run["usage"] = [run.pop(name, 0) for name in ("cpu_s", "read_kb", "written_kb", "memory_all_kb")]
    runs = replace(runs, version=2, body=text_of(old))
    found = elements_of(job_of(record, story.state.machine), runs, story.state.machine)[1]
    assert [run.result for run in found] == [used, used]


async def test_an_array_has_ended_well_if_all_of_its_elements_have(story: Story) -> None:
    well, less_well = [await story.submit(run_s=10.0, array={"first": 0, "last": 2}) for _ in range(2)]
    await story.cancel(less_well, 1)
    await story.advance(20.0)
    assert [past_of(story.job(one)) for one in (well, less_well)] == [Past("ann", True), Past("ann", False)]
