import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from molokini.model.errors import BadFile, BadInput
from molokini.workloads.distributions import H2, Distribution, Exponential, Gamma, LogNormal, Pareto, Weibull
from molokini.workloads.fits.candidates import CANDIDATES, fit_all, judged
from molokini.workloads.fits.cycle import WEEK_S, fitted_week, week_of
from molokini.workloads.fits.files import read_site, text_of, write_site
from molokini.workloads.fits.fitting import LogFit, fit_log
from molokini.workloads.fitted import from_file, made
from molokini.workloads.readers import read_workload
from molokini.workloads.scaling import offered_load
from molokini.workloads.workload import Workload
from tests.clients.command_runs import EXAMPLE
from tests.core.workloads.builders import workload


@pytest.fixture(scope="module")
def log() -> Workload:
    return read_workload(EXAMPLE)


@pytest.fixture(scope="module")
def fit(log: Workload) -> LogFit:
    return fit_log(log)


@pytest.fixture(scope="module")
def file(fit: LogFit, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fit") / "site.toml"
    write_site(fit, path)
    return path


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize(
    "drawn",
    [
        Exponential(300.0),
        Gamma(0.4, 900.0),
        Weibull(0.6, 200.0),
        LogNormal(5.0, 1.5),
        Pareto(10.0, 1.4),
        H2(0.9, 60.0, 900.0),
    ],
)
def test_what_was_drawn_is_found_again(drawn: Distribution) -> None:
    values = drawn.sample(np.random.default_rng(7), 3000)
    found = fit_all("x", values)
    own = next(one for one in found.candidates if one.name == drawn.NAME)
    assert own.ks < 0.03
    # Nothing is much nearer; a larger family with the same member may be a little.
    assert own.ks < found.best.ks + 0.015
    assert own.distribution.quantile(0.5) == pytest.approx(drawn.quantile(0.5), rel=0.12)
    assert own.aic <= min(one.aic for one in found.candidates if one.name == "lognormal") + 1e-6


def test_distances_are_those_of_scipy() -> None:
    values = np.random.default_rng(2).gamma(0.7, 100.0, 500)
    one = judged("exponential", Exponential(80.0), values)
    assert one.ks == pytest.approx(stats.kstest(values, lambda x: 1 - np.exp(-x / 80.0)).statistic)
    ordered = np.sort(values)
    rank = np.arange(1, 501)
    log_below, log_above = np.log(-np.expm1(-ordered / 80.0)), -ordered / 80.0
    plain = -500 - ((2 * rank - 1) * (log_below + log_above[::-1])).sum() / 500
    assert one.ad == pytest.approx(plain / 500)
    assert one.log_likelihood == pytest.approx(stats.expon(scale=80.0).logpdf(values).sum())


def test_every_candidate_fits_plain_values_or_says_why() -> None:
    found = fit_all("x", np.round(np.random.default_rng(3).lognormal(6, 2, 3000)) + 1)
    assert {one.name for one in found.candidates} | set(found.refused) == set(CANDIDATES)
    assert not found.refused
    assert [one.ks for one in found.candidates] == sorted(one.ks for one in found.candidates)


def test_zeros_are_told_beside() -> None:
    found = fit_all("x", np.array([0.0] * 10 + list(range(1, 31)), np.float64))
    assert (found.values, found.zeros) == (30, 10)


def test_few_jobs_and_constant_run_times_are_refused() -> None:
    with pytest.raises(BadInput, match="10 jobs are too few for a fit; 20 are needed"):
        fit_log(workload(*((place * 60.0, place, 1) for place in range(10))))
    with pytest.raises(BadInput, match=r"run_s: all 100 values are 60, so there is nothing to fit"):
        fit_log(workload(*((place**1.5, 60, 1) for place in range(100))))
    with pytest.raises(BadInput, match=r"interarrival_s: all 99 values are 60"):
        fit_log(workload(*((60.0 * place, place + 1, 1) for place in range(100))))


@pytest.mark.deep
def test_downtime_is_left_out_of_gaps_that_are_made(log: Workload, fit: LogFit) -> None:
    assert len(fit.downtimes) == 48
    assert fit.without_downtime.values < fit.reports["interarrival_s"].values
    assert fit.without_downtime.largest < fit.reports["interarrival_s"].largest
    few = log.take(slice(0, 400))
    assert fit_log(few, keep_downtime=True).gaps.values == fit_log(few).gaps.values + 2


@pytest.mark.deep
def test_a_file_read_back_is_the_fit(fit: LogFit, file: Path) -> None:
    site = read_site(file)
    assert site.arrivals.gaps == fit.gaps.for_making.distribution
    assert site.arrivals.bursts == fit.bursts.bursts
    assert site.sizes.values == fit.sizes.values
    assert site.sizes.shares == pytest.approx(fit.sizes.shares)
    assert [one.distribution for one in site.runs] == [one.fits.for_making.distribution for one in fit.runs]
    assert site.arrivals.cycle.intensities == pytest.approx(fit.cycle.intensities)
    assert fit.accuracy is not None
    assert site.accuracy == fit.accuracy.distribution
    assert file.read_text() == text_of(fit)


def test_made_jobs_are_like_those_of_the_log(log: Workload, file: Path) -> None:
    site = read_site(file)
    jobs = made(site, jobs=20_000, seed=4)
    assert jobs.processors.max() <= site.processors
    assert jobs.processors.mean() == pytest.approx(log.processors.mean(), rel=0.05)
    assert np.median(jobs.run_s) == pytest.approx(np.median(log.run_s), rel=0.35)
    assert jobs.run_s.mean() == pytest.approx(log.run_s.mean(), rel=0.2)
    assert (jobs.run_s <= jobs.estimate_s).mean() > 0.95
    assert set(np.unique(jobs.estimate_s[jobs.estimate_s > jobs.run_s])) <= set(np.unique(log.estimate_s))
    assert jobs.header.first("MaxProcs") == "100"


@pytest.mark.deep
def test_a_load_is_reached_and_each_attribute_has_its_own_stream(file: Path) -> None:
    site = read_site(file)
    plain = made(site, jobs=5000, seed=1)
    heavy = made(site, jobs=5000, seed=1, load=0.9)
    assert offered_load(heavy, site.processors) == pytest.approx(0.9, rel=1e-3)
    for name in ("run_s", "processors", "estimate_s", "user"):
        assert np.array_equal(getattr(plain, name), getattr(heavy, name))
    assert made(site, jobs=5000, seed=1).records.tobytes() == plain.records.tobytes()
    assert not np.array_equal(made(site, jobs=5000, seed=2).run_s, plain.run_s)
    with pytest.raises(BadInput, match="cannot be had"):
        made(site, jobs=1, seed=1, load=0.5)


@pytest.mark.deep
def test_the_model_of_a_file_has_parameters(file: Path) -> None:
    model = from_file(file)
    values = model.values({"jobs": "300"})
    assert len(model.make(values, 7)) == 300
    assert len(model.make(model.values({}), 7)) == 2500
    loaded = model.make(model.values({"jobs": "300", "load": "0.5"}), 7)
    assert offered_load(loaded, 100) == pytest.approx(0.5, rel=0.01)
    for bad in ({"load": "0"}, {"jobs": "0"}, {"lod": "1"}):
        with pytest.raises(BadInput):
            model.values(bad)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('schema = "molokini.fit/1"', 'schema = "x"', "'molokini workload fit' writes it"),
        ("jobs = 2500", "jobs = 0", "jobs: 0 is not a whole number"),
        ("jobs = 2500", "", "'jobs' is missing"),
        ("processors = 100", "processors = 2", "from 1 to the machine's 2"),
        ("[gaps]", "[gops]", "'gaps' is missing"),
        ("zero_share = 0.0", "zero_share = 1.5", "not a share from 0 to 1"),
        ("[[run]]", "[[ run", "line"),
        ("[sizes]", "[bursts]\njobs = 0.0\ntail = 1.4\n[sizes]", "bursts.jobs"),
        ("[sizes]", "[bursts]\njobs = 9.0\ntail = 2.5\n[sizes]", "bursts.tail"),
        ("[sizes]", "[bursts]\njobs = 9.0\n[sizes]", "'tail' is missing"),
        ("weekday = [", "weekday = [1.0, ", "48 numbers"),
        (
            'distribution = "log-hyper-gamma"',
            'distribution = "log-hyper-gama"',
            "did you mean 'log-hyper-gamma'",
        ),
        ("share1 = ", "shaer1 = ", "needs share1, share2"),
        ("shares = [0", "shares = [-0", "shares of 0 or more"),
        ("shape1 = ", "shape1 = -", "shape1"),
    ],
)
def test_a_file_that_is_none_is_told(file: Path, tmp_path: Path, old: str, new: str, words: str) -> None:
    text = file.read_text()
    assert old in text
    path = tmp_path / "bad.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BadFile, match=r"bad\.toml") as raised:
        from_file(path)
    assert words in str(raised.value)


def test_no_file_and_no_text_are_told(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\x00")
    for name in ("binary.toml", "none.toml"):
        with pytest.raises(BadFile, match=name):
            read_site(tmp_path / name)


weights = st.lists(st.floats(0.1, 10), min_size=48, max_size=48)


@given(weights, weights, weights, st.lists(st.floats(0, 50 * WEEK_S), min_size=1, max_size=20))
def test_operational_time_and_real_time_are_inverse(
    weekday: list[float], saturday: list[float], sunday: list[float], times: list[float]
) -> None:
    cycle = week_of(weekday, saturday, sunday)
    assert math.fsum(cycle.intensities) == pytest.approx(336)
    at = np.sort(np.array(times))
    there = cycle.operational_s(at)
    assert (np.diff(there) >= 0).all()
    assert cycle.clock_s(there) == pytest.approx(at, abs=1e-3)


def test_a_cycle_is_that_of_the_jobs() -> None:
    # Ten jobs at noon of each weekday, two on Saturdays, none on Sundays.
    noon = np.concatenate(
        [np.full(10, day * 86400.0 + 43_200) for day in range(5)] + [np.full(2, 5 * 86400.0 + 43_200)]
    )
    cycle = fitted_week(noon, np.ones(7, np.int64))
    week = np.array(cycle.intensities).reshape(7, 48)
    assert week[0, 24] / week[5, 24] == pytest.approx(5.0)
    assert week[6].max() == week.min()


@pytest.mark.deep
@settings(max_examples=15)
@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 60.0, 3600.0]), min_size=25, max_size=60),
    st.sampled_from([1.0, 1e-9, 1e15]),
)
def test_odd_values_are_fitted_or_refused(values: list[float], unit: float) -> None:
    try:
        found = fit_all("x", np.array(values) * unit)
    except BadInput:
        return
    assert all(0 <= one.ks <= 1 for one in found.candidates)
    json.dumps(found.told(), allow_nan=False)
