"""A server with 100,000 jobs in a real browser: what each view says is what the gateway says."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from molokini.proto.v1.jobs_pb2 import JobSpec, Outcome, Resources
from molokini.server.security.roles import Role
from tests.kit.browser import Hosted, chromium, until
from tests.kit.serving import Served, served
from tests.page.conftest import NODES, At
from tests.page.test_views import cells

pytestmark = [pytest.mark.deep, pytest.mark.dear("100,000 jobs are submitted, listed and shown")]

JOBS, A_BATCH = 100_000, 1_000
USERS = ("ann", "ben", "cleo", "dora")


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[Served]:
    """Most jobs wait; some have ended, some run; a few are held."""
    async with served(
        folder,
        policy="easy",
        offers=[NODES],
        web__listen="127.0.0.1:0",
        limits__requests_per_second=1e6,
        limits__burst=1_000_000,
        limits__jobs_per_user=JOBS,
    ) as one:
        for place, user in enumerate(USERS):
            async with one.client(user) as client:
                for first in range(0, JOBS // len(USERS), A_BATCH):
                    await client.submit_many([_spec(place, first + k) for k in range(A_BATCH)])
            await one.advance(600)
        async with one.client("root", Role.ADMINISTRATOR) as root:
            await root.drain(["node005"], "a fan is loud")
        yield one


def _spec(place: int, number: int) -> JobSpec:
    return JobSpec(
        name=f"run{number % 7}",
        account=("physics", "biology")[number % 2],
        resources=Resources(processors=(1, 2, 8, 64)[(number + place) % 4]),
        estimate_s=300 + number % 900,
        outcome=Outcome(run_s=200 + number % 500, exit_code=int(number % 11 == 3)),
    )


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[At]:
    with chromium() as browser, Hosted(lambda: world(tmp_path_factory.mktemp("many"))) as hosted:
        yield At(hosted, browser)


def everything(at: At) -> list[dict[str, Any]]:
    """All jobs as the gateway lists them, page by page."""
    found: list[dict[str, Any]] = []
    token = ""
    while True:
        page = at.call(
            "JobService/ListJobs", {"include_ended": True, "page_size": 10_000, "page_token": token}
        )
        found += page.get("jobs", [])
        token = page.get("next_page_token", "")
        if not token:
            return found


def test_each_view_says_what_the_gateway_says(at: At) -> None:
    jobs = everything(at)
    assert len(jobs) == JOBS
    states = Counter(job["state"] for job in jobs)
    page = at.page()
    page.set_default_timeout(120_000)
    page.goto(at.link())
    page.wait_for_selector("body[data-complete=true]", timeout=240_000)

    shown = {
        one.get_attribute("data-name"): one.inner_text().split("\n")[1]
        for one in page.query_selector_all(".card")
    }
    assert shown["Running"] == f"{states['RUNNING']:,}"
    assert shown["Waiting"] == f"{states['WAITING']:,}"

    page.goto(f"{at.origin}/#/jobs?state=waiting&sort=-job")
    until(page, f"document.querySelector('.count').innerText.startsWith('{states['WAITING']:,} of')")
    last = sorted((job for job in jobs if job["state"] == "WAITING"), key=lambda job: -int(job["id"]))
    told = [(str(j["id"]), j["user"], str(j["spec"]["resources"]["processors"])) for j in last]
    rows = [(row["job"], row["user"], row["processors"]) for row in cells(page, "jobs")]
    assert rows == told[: len(rows)] != []
    # To the end, and a search.
    page.locator('[aria-label="jobs"]').evaluate("one => one.scrollTo(0, one.scrollHeight)")
    until(page, f"document.querySelector('[data-key=\"{told[-1][0]}\"]') !== null")
    page.fill("input[type=search]", "cleo run3")
    mine = sum(job["user"] == "cleo" and job["spec"]["name"] == "run3" for job in last)
    until(page, f"document.querySelector('.count').innerText.startsWith('{mine:,} of')")

    page.goto(f"{at.origin}/#/people?by=account")
    until(page, "document.querySelectorAll('[aria-label=\"shares\"] .rows .row').length === 2")
    of = Counter(job["spec"]["account"] for job in jobs)
    assert {row["name"]: row["jobs"] for row in cells(page, "shares")} == {k: f"{n:,}" for k, n in of.items()}

    page.goto(f"{at.origin}/#/nodes")
    page.wait_for_selector('[aria-label="nodes"] .rows .row')
    nodes = at.call("ClusterService/ListNodes")["nodes"]
    for row, node in zip(cells(page, "nodes"), nodes, strict=False):
        assert row["used"] == f"{node.get('processors_used', 0)} of {node['processors']}"
    queue = at.call("ClusterService/ListQueues")["queues"][0]
    [row] = cells(page, "queues")
    assert (row["waiting"], row["running"]) == (f"{queue['jobs_waiting']:,}", f"{queue['jobs_running']:,}")

    page.goto(f"{at.origin}/#/time?from=0&to=3000&by=state")
    until(page, "document.querySelectorAll('.legend li').length >= 3", 120)

    failed = next(job for job in jobs if job["state"] == "FAILED")
    page.goto(f"{at.origin}/#/job/{failed['id']}")
    page.wait_for_selector(".job-head .state.failed")
    assert page.inner_text("dd[data-name='exit code']") == str(failed["exit_code"])
    page.wait_for_selector(".events li")


def test_what_happens_meanwhile_is_seen(at: At) -> None:
    page = at.page()
    page.goto(at.link())
    page.wait_for_selector("body[data-complete=true]", timeout=240_000)
    first = at.call("JobService/ListJobs", {"states": ["WAITING"], "page_size": 1})["jobs"][0]["id"]
    at.call("JobService/HoldJobs", {"jobs": [{"id": first}]})
    until(page, "document.querySelector('[data-name=Waiting]').innerText.includes('1 held')")
    at.call("JobService/ReleaseJobs", {"jobs": [{"id": first}]})
    until(page, "!document.querySelector('[data-name=Waiting]').innerText.includes('held')")
