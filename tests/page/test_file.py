"""A run as one file: opened without a server it shows what the command has measured."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from molokini.clients.arguments.coschedule import TimelineArguments
from molokini.clients.coschedule import timeline
from molokini.compiled.compilation import interpreting
from molokini.experiments import compare, simulate
from molokini.experiments.pages import page_data, write_page
from tests.kit.browser import chromium, until

EXAMPLES = Path(__file__).parents[2] / "examples"
LOG = "lublin?jobs=300"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("files")
    run = simulate(LOG, policy="easy", nodes=16, processors_per_node=8)
    run.write_page(folder / "run.html")
    both = compare([LOG], policies=["easy", "fcfs"])
    write_page(both.replayed, [row["metrics"] for row in both.results], folder / "both.html")
    return folder, run, both


def test_the_same_run_makes_the_same_file(files: Any, tmp_path: Path) -> None:
    folder, run, _ = files
    run.write_page(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (folder / "run.html").read_bytes()
    assert len(page_data([run.replayed], [run.document["metrics"]])["nodes"]) == 16


SHOWN = (
    "[...document.querySelectorAll('.both canvas')].map((one) => { const part = one.getContext('2d')"
    ".getImageData(0, 90, one.width, one.height - 120).data; let sum = 0; for (let k = 0; k < part.length; "
    "k += 4) sum += part[k] !== part[k + 2] ? 1 : 0; return sum; })"
)
"""How many pixels of each chart have a colour."""


def _both_move_together(page: Any) -> None:
    """The charts of two runs have one axis, and the slider plays both."""
    until(page, f"{SHOWN}.every((one) => one > 1000)")
    before = page.evaluate(SHOWN)
    page.hover(".both canvas")
    page.mouse.wheel(0, -600)
    until(page, f"{SHOWN}.every((one, k) => one !== {before}[k])")
    page.click("button:has-text('All')")
    until(page, f"{SHOWN}.every((one, k) => one === {before}[k])")
    page.locator(".player input").fill("500")
    until(page, f"{SHOWN}.every((one, k) => one < 0.9 * {before}[k])")
    assert min(page.evaluate(SHOWN)) > 0


def test_the_views_of_a_file_show_the_run(files: Any) -> None:
    folder, run, both = files
    errors: list[str] = []
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: errors.append(asked.url) if "run.html" not in asked.url else None)
        page.goto(f"file://{folder}/run.html")
        page.wait_for_selector(".card")
        assert page.inner_text("[data-name=Jobs] .card-value") == "300"
        assert page.inner_text("[data-name=Utilization] .card-value") == (
            f"{run.metrics['utilization'] * 100:.1f} %"
        )
        page.goto(f"file://{folder}/run.html#/jobs?sort=job")
        until(page, "document.querySelectorAll('.rows .row').length > 5")
        first = {name: run.schedule[name][0] for name in ("job", "processors")}
        row = page.locator(".rows .row").first
        assert row.locator("[data-column=job]").inner_text() == str(first["job"])
        assert row.locator("[data-column=processors]").inner_text() == str(first["processors"])
        for view in ("time", "people", "nodes", f"job/{first['job']}"):
            page.goto(f"file://{folder}/run.html#/{view}")
            until(page, "document.querySelector('main').innerText.trim().length > 20")
        page.goto(f"file://{folder}/run.html#/now")
        page.locator(".player input").fill("500")
        schedule = run.schedule
        ends_s, begins_s = float(np.nanmax(schedule["end_s"])), float(schedule["submit_s"].min())
        at = (begins_s + ends_s) / 2
        running = int(((schedule["start_s"] <= at) & (schedule["end_s"] > at)).sum())
        waiting = int(((schedule["submit_s"] <= at) & (schedule["start_s"] > at)).sum())
        until(page, f"document.querySelector('[data-name=Running] .card-value').innerText === '{running}'")
        assert page.inner_text("[data-name=Waiting] .card-value") == str(waiting)
        errors = [one for one in errors if "both.html" not in one]
        page.goto(f"file://{folder}/both.html#/compare")
        page.wait_for_selector('[aria-label="differences by job"]')
        starts = [one.start_s for one in both.replayed]
        later = int((starts[1] > starts[0]).sum())
        assert page.inner_text('[aria-label="winners and losers"] [data-column=later]') == str(later)
        _both_move_together(page)
    assert [one for one in errors if "both.html" not in one] == []


@pytest.mark.deep
def test_a_run_of_one_job_and_an_address_by_hand(tmp_path: Path) -> None:
    run = simulate("lublin?jobs=1", policy="easy")
    run.write_page(tmp_path / "one.html")
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 360, "height": 800})
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        for view in (
            "run",
            "now",
            "time",
            "jobs",
            "job/1",
            "people",
            "compare?with=9",
            "time?from=1e300&to=-1",
        ):
            page.goto(f"file://{tmp_path}/one.html#/{view}")
            until(page, "document.querySelector('main').innerText.trim().length > 10")
            page.locator(".player input").fill("0")
            page.locator(".player input").fill("1000")
        assert page.locator("nav a").count() == 5
    assert errors == []


@pytest.mark.deep
def test_a_timeline_of_cpus_is_a_page(tmp_path: Path) -> None:
    scenario = EXAMPLES / "coscheduling" / "neighbours.toml"
    file = tmp_path / "inside.html"
    with interpreting():
        told = timeline(TimelineArguments(scenario=str(scenario), end=0.05, html=str(file)))
    busy: dict[str, int] = {}
    for piece in told["pieces"]:
        busy[piece["segment"]] = busy.get(piece["segment"], 0) + piece["to_ns"] - piece["from_ns"]
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"file://{file}")
        page.wait_for_selector('[aria-label="time by segment"] [data-name=compute]')
        for name, ns in busy.items():
            shown = page.inner_text(f'[aria-label="time by segment"] [data-name={name}] td')
            assert float(shown.replace(",", "")) == pytest.approx(ns / 1e6, abs=0.001), name
        page.focus("canvas")
        page.keyboard.press("+")
        until(page, "location.hash.includes('from=')")
        page.goto(f"file://{file}#/rubbish?from=x")
        page.wait_for_selector('[aria-label="time by segment"]')
    assert errors == []
