"""The first view on a live server: what it shows is what the gateway says."""

import pytest

from tests.kit.browser import until
from tests.page.conftest import At


@pytest.mark.dear("Chromium beside a live server")
def test_the_link_logs_in_once_and_the_view_shows_what_the_gateway_says(at: At) -> None:
    link = at.link()
    page = at.page()
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url + request.headers.get("referer", "")))
    page.goto(link)
    page.wait_for_selector("body[data-complete=true]")
    assert link.partition("=")[2] not in "".join(seen)
    cluster = at.call("ClusterService/GetCluster")
    shown = {
        card.get_attribute("data-name"): card.inner_text().split("\n")
        for card in page.query_selector_all(".card")
    }
    used = cluster["processors_up"] - cluster["processors_free"]
    assert shown["Running"][1:] == [
        str(cluster["jobs_running"]),
        f"{used} of {cluster['processors']} processors",
    ]
    assert shown["Waiting"][1:] == [str(cluster["jobs_waiting"]), "1 held"]
    assert shown["Nodes"][1:] == ["60", f"{cluster['nodes_up']} up"]
    assert shown["Policy"][1] == "easy"

    jobs = at.call("JobService/ListJobs", {"states": ["WAITING"], "fields": ["user", "spec.name", "reason"]})[
        "jobs"
    ]
    rows = page.query_selector_all('[aria-label="jobs that wait"] .rows .row')
    for row, job in zip(rows, jobs[: len(rows)], strict=True):
        cells = {
            cell.get_attribute("data-column"): cell.inner_text() for cell in row.query_selector_all(".cell")
        }
        told = [cells[name] for name in ("job", "user", "name", "reason")]
        assert told == [str(job["id"]), job["user"], job["spec"]["name"], job["reason"]]

    other = at.page()
    other.goto(link)
    other.wait_for_selector("dialog.login")
    at.errors = [one for one in at.errors if "401" not in one]


@pytest.mark.dear("Chromium beside a live server")
@pytest.mark.deep
def test_a_new_job_appears_by_itself(at: At) -> None:
    page = at.logged_in()

    async def submit() -> None:
        async with at.one.client("ben") as client:
            await client.submit(name="just now", processors=480, estimate_s=60)

    at.hosted.do(submit())
    until(page, "document.body.innerText.includes('94')")
    table = page.locator('[aria-label="jobs that wait"]')
    table.evaluate("element => element.scrollTo(0, element.scrollHeight)")
    page.wait_for_selector("text=just now")
