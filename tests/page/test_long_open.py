"""A page that stays open: it goes on by itself, asks for a login where it must, and does not grow."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from molokini.server.security.roles import Role
from tests.kit.browser import Hosted, chromium, until
from tests.kit.serving import Served, served
from tests.page.conftest import NODES, At

HOUR_MS = 3_600_000
LOOKS = 30


@pytest.mark.deep
def test_an_hour_leaves_no_more_than_a_few_minutes(at: At) -> None:
    context = at.browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.clock.install()
    page.goto(at.link())
    page.wait_for_selector("body[data-complete=true]")
    looking = context.new_cdp_session(page)
    looking.send("Performance.enable")
    sizes: list[dict[str, float]] = []
    held = at.call("JobService/ListJobs", {"states": ["WAITING"]})["jobs"][0]["id"]
    for look in range(LOOKS):
        for view in ("now", "time", "jobs", "people", "nodes", "reservations", f"job/{held}"):
            page.goto(f"{at.origin}/#/{view}")
            page.clock.run_for(HOUR_MS // LOOKS // 7)
        method = "JobService/HoldJobs" if look % 2 == 0 else "JobService/ReleaseJobs"
        at.call(method, {"jobs": [{"id": held}]})
        page.goto(f"{at.origin}/#/now")
        text = "1 held" if look % 2 else "2 held"
        _until_told(page, f"document.querySelector('[data-name=Waiting]').innerText.includes('{text}')")
        if look % 10 == 9:
            looking.send("HeapProfiler.collectGarbage")
            told = looking.send("Performance.getMetrics")["metrics"]
            sizes.append({one["name"]: one["value"] for one in told})
    early, late = sizes[0], sizes[-1]
    assert late["Nodes"] < early["Nodes"] * 1.2 + 200
    assert late["JSEventListeners"] < early["JSEventListeners"] * 1.2 + 50
    assert late["JSHeapUsedSize"] < early["JSHeapUsedSize"] * 1.2 + 1_000_000


def _until_told(page: Any, expression: str) -> None:
    """As ``until``, in a page whose clock stands: it is turned on meanwhile."""
    for _ in range(400):
        if page.evaluate(expression):
            return
        page.clock.run_for(50)
    raise AssertionError(f"never true: {expression}")


def test_a_token_that_ends_while_the_page_is_open_is_asked_for_and_the_page_keeps_its_place(at: At) -> None:
    page = at.page()
    page.goto(f"{at.origin}/#/jobs?state=failed")
    page.wait_for_selector("dialog.login")
    page.fill("#token", at.one.token("ben"))
    page.keyboard.press("Enter")
    page.wait_for_selector("body[data-complete=true]")
    page.wait_for_selector('[aria-label="jobs"] .rows .row')

    async def revoke() -> None:
        async with at.one.client("root", Role.ADMINISTRATOR) as root:
            await root.revoke_tokens(user="ben")
            await root.submit(estimate_s=10, name="something happens")

    at.hosted.do(revoke())
    page.wait_for_selector("dialog.login")
    assert "stays where it is" in page.inner_text("dialog.login")
    page.fill("#token", "x.y.z")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog .refusal:not(:empty)")
    page.fill("#token", at.one.token("ann"))
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog.login", state="detached")
    until(page, "document.querySelector('.who').innerText.startsWith('ann')")
    assert page.url.endswith("#/jobs?state=failed")
    page.wait_for_selector('[aria-label="jobs"] .rows .row')
    at.errors = [one for one in at.errors if "401" not in one]


def test_a_job_that_is_gone_a_span_without_data_and_rubbish_in_the_address(at: At) -> None:
    page = at.logged_in()
    for view, text in (
        ("job/987654321", "no job 987654321"),
        ("job/x%00y", "no such job"),
        ("time?from=9e15&to=9e16", ""),
        ("time?from=5&to=1&job=%F0%9F%92%A9&by=x", ""),
        ("jobs?state=zzz&sort=-nothing&q=%25%00%5B", "No job is like that"),
        ("%E0%A4%A/..//?=&&=#", ""),
    ):
        page.goto(f"{at.origin}/#/{view}")
        until(page, "document.querySelector('main').innerText.trim().length > 10")
        if text:
            until(page, f"document.querySelector('main').innerText.includes({text!r})")
    at.errors = [one for one in at.errors if "404" not in one]


@pytest.mark.deep
def test_a_server_that_is_started_again_is_looked_at_without_a_hand(tmp_path: Path) -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]

    @asynccontextmanager
    async def world() -> AsyncIterator[Served]:
        async with served(tmp_path, offers=[NODES], web__listen=f"127.0.0.1:{port}") as one:
            yield one

    async def submit(one: Served, name: str) -> None:
        async with one.client("ann") as client:
            await client.submit(name=name, processors=1, estimate_s=100)

    with chromium() as browser:
        page = browser.new_page()
        with Hosted(world) as first:
            first.do(submit(first.one, "before"))
            gateway = first.one.server.gateway
            assert gateway is not None
            page.goto(f"http://127.0.0.1:{port}/{gateway.page.link()}")
            page.wait_for_selector("body[data-complete=true]")
            page.goto(f"http://127.0.0.1:{port}/#/jobs?q=ann")
            until(page, "document.querySelector('main').innerText.includes('before')")
        page.wait_for_selector(".trouble:not([hidden])")
        assert "before" in page.inner_text("main")
        with Hosted(world) as second:
            second.do(submit(second.one, "afterwards"))
            until(page, "document.querySelector('main').innerText.includes('afterwards')", 60)
            until(page, "document.querySelector('.trouble').hidden")
            assert page.url.endswith("#/jobs?q=ann")
