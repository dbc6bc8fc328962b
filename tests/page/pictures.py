"""``make pictures``: every view of the page as a picture, narrow and wide, light and dark.

``python -m tests.page.pictures FOLDER``. The clusters and runs are the same each time; instants are those of
the scheduling clock, which begins at 0.
"""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from molokini.experiments import compare
from molokini.experiments.coscheduling import run_scenario, ways
from molokini.experiments.pages import write_page
from molokini.experiments.timeline_pages import write_timeline_page
from molokini.process_sim.scenario_files import read_scenario
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.proto.v1.cluster_service_pb2 import Reservation
from molokini.server.security.roles import Role
from tests.kit.browser import Hosted, chromium
from tests.kit.page_world import fill
from tests.kit.serving import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
LIVE: tuple[str, ...] = ("now", "time", "jobs", "job/30", "people", "nodes", "reservations")
OF_FILES: tuple[str, ...] = ("run", "now", "time", "jobs", "people", "compare")
SIZES = ((1400, 900), (360, 800))
REST_MS = 1500
"""A view reads, draws, and asks for forecasts meanwhile."""


def main(folder: Path) -> None:
    """Write all of them to *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as name, chromium() as browser:
        work = Path(name)
        for policy, views in (("easy", LIVE), ("gs", ("matrix",))):
            with Hosted(partial(_cluster, work / policy, policy)) as hosted:
                _live(browser, hosted, views, folder)
        _files(work)
        for file, seen in (("both", OF_FILES), ("inside", ("inside",))):
            for shot, page in _pages(browser):
                for view in seen:
                    page.goto(f"file://{work / file}.html#/{view}")
                    _shoot(page, folder / f"file-{view}-{shot}.png")


def _live(browser: "Browser", hosted: Hosted[Served], views: tuple[str, ...], folder: Path) -> None:
    gateway = hosted.one.server.gateway
    assert gateway is not None
    origin = f"http://127.0.0.1:{gateway.port}"
    for shot, page in _pages(browser):
        page.goto(f"{origin}/{gateway.page.link()}")
        page.wait_for_selector("body[data-complete=true]")
        waiting = page.evaluate(
            "document.querySelector('[aria-label=\"jobs that wait\"] [data-key]')?.dataset.key"
        )
        for view in (*views, f"time?job={waiting}"):
            if view.startswith("time?") and "time" not in views:
                continue
            page.goto(f"{origin}/#/{view}")
            name = "time-chosen" if "?" in view else view.partition("/")[0]
            _shoot(page, folder / f"{name}-{shot}.png")


def _pages(browser: "Browser") -> Iterator[tuple[str, "Page"]]:
    """A window of each size and scheme, with a name."""
    schemes: tuple[Any, ...] = ("light", "dark")
    for width, height in SIZES:
        for scheme in schemes:
            size: Any = {"width": width, "height": height}
            context = browser.new_context(viewport=size, color_scheme=scheme)
            page = context.new_page()
            page.set_default_timeout(60_000)
            yield f"{width}-{scheme}", page
            context.close()


def _shoot(page: "Page", file: Path) -> None:
    page.wait_for_timeout(REST_MS)
    page.screenshot(path=file)
    print(file)


@asynccontextmanager
async def _cluster(folder: Path, policy: str) -> AsyncIterator[Served]:
    """Some hours of work, and a reservation; narrower where all jobs are to be told apart."""
    many = policy == "easy"
    offers = [NodeOffer(names="node[001-060]" if many else "node[001-020]", processors=8)]
    async with served(folder, policy=policy, offers=offers, web__listen="127.0.0.1:0") as one:
        if many:
            await fill(one)
            async with one.client("root", Role.ADMINISTRATOR) as root:
                now_s = (await root.clock()).now_s
                kept = Reservation(
                    name="maintenance", processors=96, start_s=now_s + 3600, end_s=now_s + 10_800
                )
                await root.create_reservation(kept)
        else:
            async with one.client("ann") as client:
                for processors in (8, 150, 30, 60, 12, 100, 24, 40, 64):
                    await client.submit(processors=processors, estimate_s=5000, name="sweep")
            await one.advance(30)
        yield one


def _files(work: Path) -> None:
    log = str(ROOT / "examples" / "kth-sp2-month.swf.gz")
    both = compare([log], policies=["easy", "fcfs"])
    write_page(both.replayed, [row["metrics"] for row in both.results], work / "both.html")
    source = read_scenario(str(ROOT / "examples" / "coscheduling" / "neighbours.toml"))
    window_ns = (0, 50_000_000)
    source = replace(source, scenario=replace(source.scenario, until_ns=window_ns[1]))
    [way] = ways(source.scenario.settings, [], [], None)
    done = run_scenario(source, way, window_ns=window_ns)
    write_timeline_page(done, window_ns, "neighbours", work / "inside.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
