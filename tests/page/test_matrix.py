"""The matrix of gang scheduling, and what a job has written, in a real browser."""

import json
import os
import pwd
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.proto.v1.jobs_pb2 import JobSpec, Resources
from molokini.server.services.job_service import JobService
from tests.kit.browser import Hosted, chromium, until
from tests.kit.serving import Served, served
from tests.page.conftest import At
from tests.page.test_views import cells

pytestmark = pytest.mark.deep

ME = pwd.getpwuid(os.getuid()).pw_name
EVIL = "<img src=x onerror=\"window.hit='log'\"><script>window.hit='log'</script>\x07\x1b[31m red"


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[Served]:
    """Jobs in rows; one of them has written something."""
    offers = [NodeOffer(names="node[001-020]", processors=8)]
    async with served(folder, policy="gs", offers=offers, web__listen="127.0.0.1:0") as one:
        async with one.client(ME) as client:
            for processors in (8, 150, 30, 60, 12, 100):
                resources = Resources(processors=processors)
                spec = JobSpec(estimate_s=5000, resources=resources, working_directory=str(folder))
                spec.stdout_path = "written"
                await client.submit(spec)
        await one.advance(30)
        lines = "".join(f"step {k} of many, and what it has found\n" for k in range(4000))
        (folder / "written").write_text(lines + EVIL)
        yield one


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[At]:
    patched = pytest.MonkeyPatch()
    # As on nodes that run programs.
    patched.setattr(JobService, "_is_emulated", lambda self, element: False)
    with chromium() as browser, Hosted(lambda: world(tmp_path_factory.mktemp("rows"))) as hosted:
        yield At(hosted, browser)
    patched.undo()


def test_the_matrix_is_that_of_the_report(at: At) -> None:
    page = at.logged_in("matrix")
    told = json.loads(at.call("ClusterService/GetReport", {"name": "matrix"})["json"])
    page.wait_for_selector('[aria-label="jobs in the matrix"] .rows .row')
    rows = cells(page, "jobs in the matrix")
    assert len(rows) == len(told["jobs"]) == 6
    for row, job in zip(rows, told["jobs"], strict=True):
        assert (row["job"], row["processors"], row["home"]) == (
            str(job["job"]),
            str(job["processors"]),
            str(job["home"]),
        )
        assert row["rows"] == ", ".join(map(str, job["rows"]))
    label = f"matrix of {len(told['rows'])} rows and 160 columns with 6 jobs"
    assert page.locator(f"canvas[aria-label='{label}']").count() == 1
    # A job is under the hand where the report has it.
    box = page.locator("canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60, box["y"] + 40)
    until(page, "document.querySelector('.drawn .tip').innerText.includes('processors 0')")
    page.mouse.down()
    page.mouse.up()
    until(page, "location.hash.startsWith('#/job/')")


def test_output_is_shown_from_its_end_and_stays_text(at: At) -> None:
    page = at.logged_in("job/1")
    page.wait_for_selector("pre.output:not(:empty)")
    until(page, "document.querySelector('pre.output').innerText.includes('red')")
    text = page.inner_text("pre.output")
    assert "<script>window.hit='log'</script>" in text
    assert "\x1b" not in text
    assert "step 3999" in text
    assert "step 0 of" not in text
    earlier = page.locator("button:has-text('Show earlier')")
    for _ in range(2):
        before = len(page.inner_text("pre.output"))
        earlier.click()
        until(page, f"document.querySelector('pre.output').innerText.length > {before}")
    assert page.inner_text("pre.output").startswith("step 0 of")
    assert not earlier.is_visible()
    assert page.evaluate("window.hit") is None
    assert page.query_selector_all("main img, main script") == []
    page.wait_for_selector(".events li[data-kind=started]")


def test_a_policy_without_rows_takes_the_view_away(at: At) -> None:
    page = at.logged_in("reservations")
    there = "[...document.querySelectorAll('nav a')].some((one) => one.innerText === 'Matrix')"
    until(page, there)
    at.call("JobService/CancelJobs", {"jobs": [{"id": one} for one in range(1, 7)]})
    at.call("ClusterService/SetPolicy", {"name": "fcfs"})
    until(page, f"!{there}")
    page.goto(f"{at.origin}/#/matrix")
    until(page, "document.querySelector('nav [aria-current=page]').innerText === 'Now'")
