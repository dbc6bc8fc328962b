"""Each view in a real browser: narrow and wide, light and dark; its cells are what the gateway says."""

from itertools import pairwise
from typing import Any

import pytest

from tests.kit.browser import until
from tests.page.conftest import At

VIEWS = (
    "now",
    "time",
    "jobs",
    "job/3",
    "job/999",
    "people",
    "nodes",
    "reservations",
    "rubbish/%E0%A4%A?from=x",
)


@pytest.mark.quick(one_in=4)
@pytest.mark.parametrize(
    ("width", "scheme"), [(1400, "light"), (1400, "dark"), (360, "light"), (360, "dark")]
)
def test_every_view_fits_its_window_and_says_something(at: At, width: int, scheme: str) -> None:
    page = at.logged_in(width=width, scheme=scheme)
    for view in VIEWS:
        page.goto(f"{at.origin}/#/{view}")
        until(page, "document.querySelector('main').innerText.trim().length > 10")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
        # What has no text of its own has a label.
        nameless = page.evaluate(
            "[...document.querySelectorAll('button, a, input, select, canvas')].filter((one) => "
            "!(one.innerText || one.getAttribute('aria-label') || one.labels?.length)).length"
        )
        assert nameless == 0, view
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 24, 30)")
    at.errors = [one for one in at.errors if "404" not in one]  # of the job that there is not


def cells(page: Any, label: str) -> list[dict[str, str]]:
    """What the rows of a table show that are in the document."""
    found: list[dict[str, str]] = page.evaluate(
        """(label) => [...document.querySelectorAll(`[aria-label="${label}"] .rows .row`)].map((row) =>
        Object.fromEntries([...row.querySelectorAll("[data-column]")].map((cell) =>
        [cell.dataset.column, cell.innerText.trim()])))""",
        label,
    )
    return found


def test_jobs_nodes_and_a_job_are_those_of_the_gateway(at: At) -> None:
    page = at.logged_in("jobs?state=failed&sort=job")
    failed = at.call("JobService/ListJobs", {"states": ["FAILED"], "include_ended": True})["jobs"]
    until(page, f"document.querySelector('.count').innerText.startsWith('{len(failed)} of')")
    shown = [(row["job"], row["user"], row["processors"]) for row in cells(page, "jobs")]
    told = [(str(j["id"]), j["user"], str(j["spec"]["resources"]["processors"])) for j in failed]
    assert shown == told[: len(shown)] != []

    page.goto(f"{at.origin}/#/nodes")
    nodes = at.call("ClusterService/ListNodes")["nodes"]
    page.wait_for_selector('[aria-label="nodes"] .rows .row')
    for row, node in zip(cells(page, "nodes"), nodes, strict=False):
        assert row["name"] == node["name"]
        assert row["used"] == f"{node.get('processors_used', 0)} of {node['processors']}"
        assert row["state"].split("\n")[-1].endswith(node["state"].lower())
        assert row["reason"] == node.get("reason", "")

    job = at.call("JobService/GetJob", {"job": {"id": 3}})
    page.goto(f"{at.origin}/#/job/3")
    page.wait_for_selector("[data-name=user]")
    assert page.inner_text("[data-name=user]") == job["user"]
    assert page.inner_text("dd[data-name=account]") == job["spec"]["account"]
    assert page.inner_text("dd[data-name=on]").count("node") == len(job["allocation"])


@pytest.mark.dear("Chromium beside a live server")
@pytest.mark.deep
def test_of_a_job_that_waits_the_page_says_why_and_until_when(at: At) -> None:
    waiting = at.call("JobService/ListJobs", {"states": ["WAITING"]})["jobs"]
    chosen = waiting[1]["id"]
    why = at.call("JobService/ExplainJob", {"id": chosen})
    page = at.logged_in(f"time?job={chosen}")
    page.wait_for_selector(".side [data-name=rule]")
    assert page.inner_text(".side [data-name=rule]") == why["text"]
    # The forecast may have to be compiled.
    page.wait_for_selector(".side [data-name=expected]", timeout=90_000)
    assert page.inner_text(".side [data-name=expected]").startswith("about ")
    # Another address of the same view is another look at it.
    page.goto(f"{at.origin}/#/time?job={waiting[2]['id']}")
    until(page, f"document.querySelector('.side h2').innerText.startsWith('Job {waiting[2]['id']} ')")
    page.go_back()
    until(page, f"document.querySelector('.side h2').innerText.startsWith('Job {chosen} ')")
    # The address is a link: somebody else sees the same.
    other = at.logged_in()
    other.goto(page.url)
    other.wait_for_selector(".side [data-name=rule]")


def test_the_keyboard_alone_reaches_a_job_and_holds_it(at: At) -> None:
    page = at.logged_in("jobs?state=waiting&sort=-job")
    page.wait_for_selector('[aria-label="jobs"] .rows .row')
    page.focus('[aria-label="jobs"]')
    page.keyboard.press("Enter")
    page.wait_for_selector(".actions button")
    chosen = int(page.url.rpartition("/")[2])
    page.focus(".actions button >> text=Hold")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    assert f"Hold job {chosen} " in page.inner_text("dialog h1")
    page.keyboard.type("looked at by hand")
    page.keyboard.press("Enter")
    page.wait_for_selector(".job-head .state.held")
    assert at.call("JobService/GetJob", {"job": {"id": chosen}})["state"] == "HELD"
    page.click(".actions button >> text=Release")
    page.keyboard.press("Enter")
    page.wait_for_selector(".job-head .state.waiting")


@pytest.mark.deep
def test_every_view_is_reached_and_walked_through_by_keys_alone(at: At) -> None:
    page = at.logged_in("now")
    page.wait_for_selector("main .card")
    views = ("now", "time", "jobs", "people", "nodes", "reservations")
    for place, view in enumerate(views, 1):
        page.keyboard.press(str(place))
        until(page, f"location.hash.startsWith('#/{view}')")
        until(page, "document.querySelector('main').innerText.trim().length > 10")
        walked = []
        for _ in range(24):
            page.keyboard.press("Tab")
            walked.append(page.evaluate(FOCUS))
        within = [one for one in walked if one["main"]]
        # Each has a name to be heard by, and none holds the focus.
        assert within != [], view
        assert all(one["name"] for one in walked if one["tag"] not in ("BODY", "MAIN")), (view, walked)
        assert all(one != other for one, other in pairwise(walked) if one["tag"] != "BODY"), (view, walked)
        page.evaluate("document.activeElement.blur()")
    page.keyboard.press("3")
    # The search is there once the view is drawn, which is later than its address.
    page.wait_for_selector("main input[type=search]")
    page.keyboard.press("/")
    page.keyboard.type("ann")
    until(page, "location.hash.includes('q=ann')")


FOCUS = """(() => { const one = document.activeElement; const all = [...document.querySelectorAll("*")];
return { tag: one.tagName, place: all.indexOf(one), main: one.closest("main") !== null,
name: one.getAttribute("aria-label") || one.innerText?.trim() || one.labels?.[0]?.innerText || "" };
})()"""
"""What has the focus, and its name."""


@pytest.mark.dear("Chromium beside a live server")
@pytest.mark.deep
def test_what_the_server_refuses_is_shown_in_its_own_words(at: At) -> None:
    page = at.logged_in("nodes?q=node010")
    page.wait_for_selector('[aria-label="nodes"] .rows .row')
    page.click("button:has-text('Drain')")
    page.fill("#reason", "a\u0007bell")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("dialog .refusal:not(:empty)")
    assert "reason" in page.inner_text("dialog .refusal")
    at.errors = [one for one in at.errors if "400" not in one]


@pytest.mark.dear("Chromium paints a view of many jobs")
@pytest.mark.deep
def test_the_time_view_is_painted_moved_and_searched(at: At) -> None:
    page = at.logged_in("time")
    page.wait_for_selector(".legend li")
    coloured = (
        "(() => { const one = document.querySelector('.chart canvas'); const pixels = one.getContext('2d')"
        ".getImageData(0, 100, one.width, one.height - 140).data; let count = 0; for (let k = 0; "
        "k < pixels.length; k += 4) count += Math.abs(pixels[k] - pixels[k + 2]) > 60; return count; })()"
    )
    until(page, f"{coloured} > 20_000")
    page.hover(".chart canvas")
    page.mouse.wheel(0, -400)
    until(page, "location.hash.includes('from=')")
    before = page.url
    page.mouse.down()
    page.mouse.move(300, 500, steps=4)
    page.mouse.up()
    until(page, f"location.href !== {before!r}")
    page.fill(".time-view input[type=search]", "no such user")
    until(page, f"{coloured} < 5_000")
