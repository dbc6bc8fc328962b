"""Downey, Feitelson 1996 and the form of Jann: structure, published values, fits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.workloads.generated import generated, is_named
from molokini.workloads.models import jann
from molokini.workloads.models.jann import fitted, read_table
from molokini.workloads.speedup import most_useful, sevcik_s, speedup
from molokini.workloads.swf import write_swf
from molokini.workloads.workload import SWF_FIELDS, Workload
from tests.kit.workloads import Job, workload_of

KTH = Path(__file__).parents[5] / "shared" / "data" / "KTH-SP2-1996-2.1-cln.swf.gz"


def made(name: str, seed: int = 1, **given: Any) -> Workload:
    model = generated(name)
    asked = {key.replace("_", "-"): str(value) for key, value in given.items()}
    return model.make(model.values({"jobs": "20000", **asked}), seed)


@pytest.mark.parametrize(
    ("n", "sigma", "expected"),
    [
        *((4, 0.0, 4.0), (16, 0.0, 8.0), (8, 1.0, 5.5652), (15, 1.0, 8.0), (20, 1.0, 8.0)),
        *((8, 2.0, 24 * 8 / 38), (22, 2.0, 8.0)),
    ],
)
def test_downeys_speedup(n: float, sigma: float, expected: float) -> None:
    assert speedup(np.array([n]), np.array([8.0]), np.array([sigma]))[0] == pytest.approx(expected, abs=5e-5)


@given(st.floats(1.0, 500.0), st.floats(0.0, 4.0))
def test_speedup_rises_to_its_parallelism_and_no_further(parallelism: float, sigma: float) -> None:
    n = np.arange(1.0, 4000.0)
    found = speedup(n, np.full(n.size, parallelism), np.full(n.size, sigma))
    assert found[0] == pytest.approx(1.0)
    assert (np.diff(found) >= -1e-9).all()
    assert (found <= np.minimum(n, parallelism) + 1e-9).all()
    useful = float(most_useful(np.array([parallelism]), np.array([sigma]))[0])
    assert found[int(min(useful, 3999)) - 1] == pytest.approx(parallelism) or useful > 3999


def test_the_two_branches_of_speedup_meet_at_sigma_one() -> None:
    n, a = np.arange(1.0, 40.0), np.full(39, 10.0)
    assert speedup(n, a, np.full(39, 1.0)) == pytest.approx(speedup(n, a, np.full(39, 1.0 + 1e-12)))


def test_sevciks_time() -> None:
    assert sevcik_s(np.array([10.0]), np.array([1000.0]), 1.3, 25.0, 25.0).tolist() == [130 + 25 + 250]


def test_a_speedup_of_nothing() -> None:
    with pytest.raises(BadValue, match="sigma"):
        speedup(np.ones(1), np.ones(1), np.array([-1.0]))


def test_downeys_work_is_log_uniform() -> None:
    found = made("downey", sigma=0, most_parallelism=1, cycle="none", least_work=10, most_work=100_000)
    assert found.processors.max() == 1
    ranks = np.sort(np.log(found.run_s / 10.0) / np.log(10_000.0))
    assert np.abs(ranks - np.arange(1, ranks.size + 1) / ranks.size).max() < 0.03


@pytest.mark.parametrize("how", ["average", "useful", "uniform", "log-uniform"])
def test_jobs_choose_their_processors(how: str) -> None:
    found = made("downey", sizes=how)
    assert found.processors.min() >= 1
    assert found.processors.max() <= 128


@pytest.mark.parametrize(
    ("how", "least", "most", "mean"),
    [
        ("average", 16, 16, 16),
        ("useful", 31, 31, 31),
        ("uniform", 1, 31, 16),
        ("log-uniform", 1, 31, sum(n * np.log2(1 + 1 / n) / 5 for n in range(1, 32))),
    ],
)
def test_a_moldable_job_becomes_a_rigid_one_by_its_rule(how: str, least: int, most: int, mean: float) -> None:
    """Average parallelism 16 without variation: 31 processors are of use; run times follow the speedup."""
    found = made("downey", sizes=how, sigma=0, least_parallelism=16, most_parallelism=16, seconds="fractions")
    sizes = found.processors.astype(np.float64)
    assert (sizes.min(), sizes.max()) == (least, most)
    assert sizes.mean() == pytest.approx(mean, rel=0.02)
    # The same work, whatever the rule: it has a stream of its own.
    alone = made("downey", sigma=0, least_parallelism=1, most_parallelism=1, seconds="fractions")
    assert found.run_s * speedup(sizes, np.full(sizes.size, 16.0), np.zeros(sizes.size)) == pytest.approx(
        alone.run_s
    )


@pytest.mark.parametrize("most", [1, 2, 8, 100])
@pytest.mark.parametrize("how", ["average", "useful", "uniform", "log-uniform"])
def test_the_law_of_each_choice_of_processors(how: str, most: int) -> None:
    """Without variation so many are of use as Downey's speedup rises up to: 2 A - 1."""
    found = made("downey", sizes=how, sigma=0, least_parallelism=most, most_parallelism=most, jobs=20_000)
    useful = most if how == "average" else min(2 * most - 1, 128)
    sizes = np.arange(1, useful + 1)
    wanted = {"uniform": sizes / useful, "log-uniform": np.log(sizes + 1.0) / np.log(useful + 1.0)}.get(
        how, (sizes == useful).astype(float)
    )
    assert found.processors.min() >= 1
    assert found.processors.max() <= useful
    up_to = np.cumsum(np.bincount(found.processors, minlength=useful + 1)[1:]) / len(found)
    # Kolmogorov: four of its units lie beyond any chance.
    assert np.abs(up_to - wanted).max() < 4.0 / np.sqrt(len(found))


def test_limits_the_wrong_way_round() -> None:
    with pytest.raises(BadValue, match="most-work"):
        made("downey", least_work=100, most_work=10)
    with pytest.raises(BadValue, match="least-parallelism"):
        made("downey", least_parallelism=50, most_parallelism=10)


def test_feitelsons_published_row() -> None:
    """Table 2 of Feitelson (JSSPP 2001), to which our stages are set: 2700.89, 81.11, CV 3.25."""
    run_s = np.concatenate([made("feitelson96", seed, jobs=50_000).run_s for seed in range(10)])
    assert run_s.mean() == pytest.approx(2700.89, rel=0.05)
    assert np.median(run_s) == pytest.approx(81.11, rel=0.05)
    assert run_s.std() / run_s.mean() == pytest.approx(3.25, rel=0.05)


def test_runs_of_a_job_follow_one_another() -> None:
    found = made("feitelson96", jobs=5000)
    program = found.records[:, SWF_FIELDS.index("executable")]
    often = [one for one, count in zip(*np.unique(program, return_counts=True), strict=True) if count > 2]
    assert len(often) > 50
    for one in often[:50]:
        rows = np.flatnonzero(program == one)
        assert len(set(found.processors[rows].tolist())) == 1
        assert np.diff(found.submit_s[rows]) == pytest.approx(found.run_s[rows][:-1], abs=1.5)


def test_harmonic_sizes_with_their_emphasis() -> None:
    found = made("feitelson96", jobs=100_000, small=1, powers=1, repeats=20)
    counts = np.bincount(found.processors, minlength=129) / len(found)
    assert counts[2] / counts[1] == pytest.approx(2**-1.5, rel=0.05)
    assert counts[4] / counts[1] == pytest.approx(4**-1.5, rel=0.1)
    raised = np.bincount(made("feitelson96", jobs=100_000, repeats=20).processors, minlength=129)
    assert raised[16] > 3 * raised[15]


def test_two_stages() -> None:
    found = made("feitelson96", stages=2, means=1000, less=0, jobs=50_000)
    assert found.run_s.mean() == pytest.approx(1000 * 0.95 + 7000 * 0.05, rel=0.1)


def _log() -> Workload:
    generator = np.random.default_rng(1)
    jobs, at = [], 0
    for _ in range(600):
        at += int(generator.exponential(100.0)) + 1
        width = int(generator.choice([1, 1, 2, 3, 4, 8]))
        jobs.append(Job(at, int(generator.exponential(50.0 * width)) + 1, width))
    return workload_of(jobs)


def test_a_model_is_fitted_to_a_log(tmp_path: Path) -> None:
    from dataclasses import replace

    log = replace(_log(), machine_processors=16)
    table = fitted(log)
    assert [one.sizes for one in table.ranges] == [(1,), (2,), (3, 4), (8,)]
    for one in table.ranges:
        rows = np.flatnonzero(np.isin(log.processors, one.sizes))
        assert one.runs.mean == pytest.approx(log.run_s[rows].mean())
        assert one.gaps.mean == pytest.approx(np.diff(log.submit_s[rows]).mean())
        assert one.runs.moment(3) == pytest.approx((log.run_s[rows] ** 3).mean())
    path = tmp_path / "own.toml"
    path.write_text(table.text())
    assert read_table(path) == table
    found = made("jann", table=path)
    assert found.machine_processors == 16
    of_file = generated(f"jann:{path}")
    again = of_file.make(of_file.values({"jobs": "20000"}), 1)
    assert (again.records == found.records).all()
    assert is_named(f"jann:{path}")
    assert found.run_s.mean() == pytest.approx(log.run_s.mean(), rel=0.1)
    write_swf(log, tmp_path / "log.swf")
    with pytest.raises(BadInput, match="MaxProcs"):
        fitted(_log())


def test_ranges_of_few_jobs_join_others() -> None:
    from dataclasses import replace

    log = replace(_log(), machine_processors=16)
    few = log.take((log.processors < 8) | (np.cumsum(log.processors == 8) < 5))
    assert [one.sizes for one in fitted(few).ranges] == [(1,), (2,), (3, 4, 8)]
    with pytest.raises(BadInput, match="too few jobs"):
        fitted(log.take(slice(0, 12)))


@pytest.mark.skipif(not KTH.exists(), reason="the log KTH-SP2 is not at hand")
def test_the_table_that_comes_with_the_package_is_the_fit_of_its_log(tmp_path: Path) -> None:
    from molokini.workloads.readers import read_workload

    shipped = generated("jann").make(generated("jann").values({"jobs": "500"}), 1)
    again = generated("jann").make(generated("jann").values({"jobs": "500", "log": str(KTH)}), 1)
    assert np.allclose(shipped.records, again.records, atol=1.0)
    assert made("jann", jobs=200_000).run_s.mean() == pytest.approx(read_workload(KTH).run_s.mean(), rel=0.03)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = [", "no TOML"),
        ("log = 'a'", "no table of this model"),
        ("log='a'\nprocessors=1\nranges=[]", "one at least"),
        ("log='a'\nranges=[]", "'processors' is missing"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(BadFile, match=words):
        made("jann", table=path)
    with pytest.raises(BadFile, match="No such file"):
        made("jann", table=tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("processors = 100", "processors = 0", "processors: a whole number from 1"),
        ("sizes = [1]", "sizes = [101]", "from 1 to the machine's 100"),
        ("sizes = [1]", "sizes = [1.5]", "whole numbers"),
        ("sizes = [1]", "sizes = ['x']", "whole numbers"),
        ("shares = [1.0]", "shares = [-1.0]", "0 or more"),
        ("shares = [1.0]", "shares = [nan]", "0 or more"),
        ("shares = [1.0]", "shares = [0.5]", "add up to 1"),
        ("shares = [1.0]", "shares = [0.5, 0.5]", "a share is needed for each size"),
        ("order = 1", "order = 1.5", "order: 1.5 is not allowed"),
        ("rate1 = ", "rate1 = -", "rate1: -"),
    ],
)
def test_a_changed_table_is_told_with_its_file(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = (Path(jann.__file__).parent / "tables" / "kth-sp2.toml").read_text()
    assert old in text
    path = tmp_path / "bad.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BadFile, match=r"bad\.toml: no table of this model") as refused:
        made("jann", table=path)
    assert words in str(refused.value)


@pytest.mark.parametrize("kind", ["jann", "fitted"])
def test_a_kind_of_file_without_a_file(kind: str) -> None:
    with pytest.raises(BadInput, match=f"{kind}: names no file; say {kind}:FILE"):
        generated(f"{kind}:")
