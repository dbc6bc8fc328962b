"""A page without a login, where the configuration lets everybody look; and the way in from there."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.kit.browser import Hosted, chromium, until
from tests.kit.page_world import fill
from tests.kit.serving import Served, served
from tests.page.conftest import NODES, At

pytestmark = pytest.mark.deep


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[Served]:
    """A small cluster that anybody may look at."""
    listening = {"web__listen": "127.0.0.1:0", "web__anonymous": True}
    async with served(folder, policy="easy", offers=[NODES], **listening) as one:
        await fill(one, 40)
        yield one


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[At]:
    with chromium() as browser, Hosted(lambda: world(tmp_path_factory.mktemp("open"))) as hosted:
        yield At(hosted, browser)


def test_everybody_sees_the_views_and_changes_nothing_before_a_login(at: At) -> None:
    page = at.page()
    page.goto(f"{at.origin}/#/now")
    page.wait_for_selector("body[data-complete=true]")
    assert page.query_selector("dialog.login") is None
    for view in ("now", "time", "jobs", "people", "nodes", "reservations", "job/3"):
        page.goto(f"{at.origin}/#/{view}")
        until(page, "document.querySelector('main').innerText.trim().length > 10")
        assert page.query_selector_all("main .actions button") == [], view
    page.wait_for_selector(".events li[data-kind=submitted]")
    page.click("header button:has-text('Log in')")
    page.click("dialog button:has-text('Not now')")
    page.wait_for_selector("dialog.login", state="detached")
    page.click("header button:has-text('Log in')")
    page.fill("#token", at.one.token("ann"))
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.who').innerText.startsWith('ann')")
    assert not page.is_visible("header button:has-text('Log in')")
    mine = at.call("JobService/ListJobs", {"users": ["ann"]})["jobs"][0]["id"]
    page.goto(f"{at.origin}/#/job/{mine}")
    page.wait_for_selector(".actions button")
