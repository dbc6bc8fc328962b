"""What a study says in the end: every verdict as it is, on the page, in JSON and on the terminal."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from molokini.clients.study import _Reported, run
from molokini.model.errors import BadFile, BadValue
from molokini.studies.catalogue import names, study_of
from molokini.studies.claims import Verdict
from molokini.studies.page import _links, page
from molokini.studies.report import Report, report_of
from molokini.studies.results import NotRun, interval
from molokini.studies.running import run_study
from molokini.studies.shown import Picture
from molokini.studies.study import Size
from tests.clients.command_runs import Ran, terminal, without_run
from tests.kit.tiny_study import STUDY, Noise, arguments

Command = Callable[..., Ran]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report_of(run_study(STUDY, STUDY.full, tmp_path_factory.mktemp("tiny"), 1))


def test_verdicts(report: Report) -> None:
    found = {claim.name: (finding.verdict, finding.why) for claim, finding in report.findings}
    assert found["grows"] == (Verdict.HOLDS, "9 of 9 steps grow")
    assert found["shrinks"][0] == Verdict.CONTRADICTED
    assert found["missing"] == (Verdict.UNTESTABLE, "mean of bias 7.0 was not measured")
    assert found["undefined"] == (Verdict.UNTESTABLE, "never of bias 0.0 is undefined")
    assert found["seen"] == (Verdict.UNTESTABLE, "no people were asked")
    assert sum(report.verdicts.values()) == len(STUDY.claims)


def test_common_random_numbers_cancel(report: Report) -> None:
    results = report.finished.results
    apart = results.difference(Noise(0.5), Noise(0.2), "mean")
    assert apart.mean == pytest.approx(0.3)
    assert apart.high - apart.low < 1e-9 < results.mean(Noise(0.5), "mean").high - apart.mean
    assert results.total([Noise(0.0), Noise(0.1)], "draws") == 2 * 6 * 1000
    with pytest.raises(NotRun):
        results.mean(Noise(0.55), "mean")


def test_an_interval_is_students() -> None:
    found = interval([1.0, 2.0, 3.0, 4.0])
    assert found.mean == 2.5
    assert found.high - found.mean == pytest.approx(3.182446 * (5 / 3) ** 0.5 / 2, rel=1e-6)  # t(0.975, 3)
    assert (interval([2.0, 2.0]).above, interval([0.0, 0.0]).above, interval([-1.0, -1.0]).below) == (1, 0, 1)


def test_the_page_says_what_does_not_hold(report: Report) -> None:
    text = page(report)
    assert "| section 1 | The mean shrinks with the bias. | **contradicted** | it changed by 0.9000" in text
    assert "a half. | **" in text
    assert "mean is \\| a half" in text  # a bar would end the cell
    assert "holds: 2, holds in shape: 0, contradicted: 1, undecided: 0, cannot be tested: 3." in text
    assert "| section 2, table 1 | mean without bias | 0.5 | 0.5" in text
    assert "![Figure 1: means](tiny/means.png)" in text
    assert "## Table 1: means | by bias" in text
    assert "60 runs: 10 cases with seeds 1 to 6, each 1,000 draws." in text
    assert "\nmolokini study tiny\n" in text


def test_a_page_of_less_says_so(tmp_path: Path) -> None:
    text = page(report_of(run_study(STUDY, Size("quick", 2, 0.1), tmp_path, 1)))
    assert "20 runs (size *quick*: not what the paper ran)" in text
    assert "each 0.1 times 1,000 draws" in text
    assert "\nmolokini study tiny --quick --seeds 2\n" in text


def test_everything_is_in_json(report: Report) -> None:
    found = json.loads(json.dumps(report.as_dict({"elapsed_s": 1.0}), allow_nan=False))
    assert next(iter(found)) == "schema"
    assert found["schema"] == "molokini.study/1"
    assert len(found["results"]) == 10
    assert [run["seed"] for run in found["results"][9]["runs"]] == [1, 2, 3, 4, 5, 6]
    assert found["results"][0]["case"] == {"bias": 0.0}
    assert found["results"][0]["runs"][0]["never"] is None
    assert {claim["verdict"] for claim in found["claims"]} >= {"holds", "contradicted", "cannot be tested"}
    half = found["claims"][2]["figures"][0]
    assert (half["published"], half["samples"]) == (0.5, 6)
    assert half["low"] < half["mean"] < half["high"]
    assert found["pictures"][0]["panels"][0]["curves"][0]["x"][1] == 0.1


def test_the_command_writes_and_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = run(STUDY, arguments(tmp_path / "a" / "one"))
    shown = capsys.readouterr().out
    assert " contradicted       section 1 " in shown
    assert "60 runs, 0 of them from an earlier one; 6 seeds, size full" in shown
    two = run(STUDY, arguments(tmp_path / "two", 2, json="-"))
    assert json.loads(capsys.readouterr().out) == two
    assert without_run(one) == without_run(two)
    for name in ("tiny.md", "tiny/means.png"):
        assert (tmp_path / "a" / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert json.loads((tmp_path / "two" / "tiny.json").read_text()) == two
    quick = run(STUDY, arguments(tmp_path / "two", quick=True, resume=False))
    assert (quick["size"], quick["run"]["stale"]) == ({"name": "quick", "seeds": 3, "length": 0.1}, 60)
    assert "60 runs of other code or thrown away" in capsys.readouterr().out


def test_what_cannot_be_used_is_told_before_anything_runs(tmp_path: Path) -> None:
    def never() -> None:
        raise AssertionError("it ran")

    chosen = replace(STUDY, prepare=never)
    for wrong in ({"seeds": 0}, {"seeds": 1001}, {"workers": 0}):
        with pytest.raises(BadValue):
            run(chosen, arguments(tmp_path, **{"workers": 1, **wrong}))
    with pytest.raises(BadFile):
        run(chosen, arguments(tmp_path, json=str(tmp_path / "no" / "file")))
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(BadFile):
        run(chosen, arguments(file / "below"))


def test_an_unknown_study_is_told(molokini: Command, tmp_path: Path) -> None:
    ran = molokini("study", "no-such-study", "--output", tmp_path / "out")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("molokini: no study named 'no-such-study'")
    assert not (tmp_path / "out").exists()


def test_the_list(molokini: Command) -> None:
    found = molokini("study", "--json", "-").json
    assert found["schema"] == "molokini.studies/1"
    shown = molokini("study")
    assert shown.code == 0
    for one in found["studies"]:
        assert f"{one['name']}: {one['title']}" in shown.out
        assert one["claims"] > 0


def test_no_study_is_one_line_of_help(molokini: Command) -> None:
    ran = molokini("study", "--help")
    assert ran.code == 0
    for option in ("--output", "--workers", "--seeds", "--quick", "--json", "--resume", "--fresh"):
        assert option in ran.out


@pytest.mark.deep
def test_an_empty_terminal_is_no_trouble() -> None:
    ran = terminal(60, "study")
    assert ran.code == 0
    assert all(len(line) <= 60 for line in ran.out.splitlines())


@pytest.mark.parametrize(
    ("place", "pictures"),
    [
        ("section 3.1, figure 1", ["figure-1"]),
        ("section 3.1, figures 1 and 2", ["figure-1", "figure-2"]),
        ("5.1.3, Figure 4b", ["figure-4a-c"]),
        ("5.3, Figures 4h to 4j, 19, 20", ["figure-4h-j", "figure-19", "figure-20"]),
        ("5.1.2, Figures 6, 10", ["figure-6", "figure-10"]),
        ("section 3.2, table 1", []),
        ("section 9, figure 3", []),
    ],
)
def test_a_claim_leads_to_the_pictures_of_its_figures(place: str, pictures: list[str]) -> None:
    names = ("1", "2", "4a-c", "4d-g", "4h-j", "6", "10", "19", "20")
    shown = [Picture(f"figure-{name}", name, "", []) for name in names]
    found = re.findall(r"\]\(study/([^)]+)\.png\)", _links(place, "study", shown))
    assert found == pictures


def test_the_page_says_in_short_what_there_is_to_learn(report: Report) -> None:
    assert "## In short" not in page(report)
    study = replace(STUDY, in_short=["One holds.", "One does not."])
    text = page(replace(report, finished=replace(report.finished, study=study)))
    assert text.index("## In short\n\nOne holds. One does not.\n") < text.index("## What the paper claims")


@pytest.mark.parametrize("name", names())
def test_every_study_says_in_short_what_came_of_it(name: str) -> None:
    assert 3 <= len(study_of(name).in_short) <= 7


def test_without_a_terminal_lines_tell_how_far_the_runs_are(capsys: pytest.CaptureFixture[str]) -> None:
    now = iter([0.0, 19.0, 21.0, 30.0, 62.0])
    reported = _Reported(None, lambda: next(now))
    for done in (1, 2, 3, 4):
        reported(done, 5)
    assert capsys.readouterr().err == "molokini: 2 of 5 runs in 21 s\nmolokini: 4 of 5 runs in 1 min 2 s\n"
