"""What a month of jobs is like: the figures that the paper's text and tables speak of."""

from typing import Any

import numpy as np

from molokini.workloads.distributions import H2, Distribution, Gamma, LogUniform, Pareto, Weibull
from molokini.workloads.models.o2k import size_classes, week
from molokini.workloads.models.o2k_tables import read_tables
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

MEMORY_GB = 3 * 64.0 + 4 * 32.0 + 16.0
"""Of the eight hosts that are shared: three of 64 GB, four of 32 GB, one of 16 GB."""
PROCESSORS = 960
LARGEST = 15
PIECES = 4
"""Of the log-uniform distribution that is fitted to run times."""

FITTED: tuple[type[Distribution], ...] = (Weibull, Gamma, H2, Pareto)


def measured(month: Workload) -> dict[str, float | None]:
    """Every figure by name; shares from 0 to 1."""
    columns = _Columns(month)
    return {
        **_arrivals(month),
        **_requests(columns),
        **_times(columns),
        **_demand(columns),
        **_peaks(columns),
        **_fits(month.run_s),
    }


class _Columns:
    """The columns of a month under short names: hours, GB of whole jobs, MB of a processor."""

    def __init__(self, month: Workload) -> None:
        asked, used = (
            month.records[:, SWF_FIELDS.index(name)] for name in ("requested_memory_kb", "used_memory_kb")
        )
        self.processors = month.processors.astype(np.float64)
        self.request_h, self.run_h = month.estimate_s / 3600, month.run_s / 3600
        self.memory_mb, self.peak_mb = asked / 1024, used / 1024
        self.memory_gb = self.memory_mb * self.processors / 1024
        self.work_h = self.processors * self.run_h
        self.size = size_classes(read_tables(""), self.processors, self.memory_gb)
        self.span_h = float(np.ptp(month.submit_s)) / 3600

    def demand(self, chosen: Any) -> float:
        """The share of *chosen* jobs in all processor hours."""
        return float(self.work_h[chosen].sum() / self.work_h.sum())

    def memory_demand(self, chosen: Any) -> float:
        """The share of *chosen* jobs in all hours of requested memory."""
        held = self.memory_gb * self.run_h
        return float(held[chosen].sum() / held.sum())


def _arrivals(month: Workload) -> dict[str, float | None]:
    submit_s = month.submit_s
    day, hour = (submit_s // 86400 % 7).astype(np.int64), submit_s // 3600 % 24
    gaps, weekday = np.diff(submit_s), day < 5
    peak = weekday & (hour >= 8) & (hour < 18)
    within = gaps[peak[:-1] & peak[1:] & (gaps < 10 * 3600)]
    days = np.arange(int(submit_s[-1] // 86400))  # whole days alone
    counts = np.bincount((submit_s // 86400).astype(np.int64), minlength=days.size)[: days.size]
    # Without the rhythm: what a stationary period would show.
    even = np.diff(week(read_tables(""))[0].operational_s(submit_s))
    return {
        "gap_cv": float(within.std() / within.mean()),
        "even_gap_cv": float(even.std() / even.mean()),
        "peak_gap_min": float(within.mean() / 60),
        "weekday_jobs": _mean(counts[days % 7 < 5]),
        "weekend_jobs": _mean(counts[days % 7 >= 5]),
    }


def _mean(values: Any) -> float | None:
    return float(np.mean(values)) if np.size(values) else None


def _requests(one: _Columns) -> dict[str, float | None]:
    serial, sizes = one.processors == 1, one.processors.astype(np.int64)
    large = one.processors > 16
    return {
        "serial": float(serial.mean()),
        "powers_of_two": float(((sizes & (sizes - 1)) == 0).mean()),
        "largest": float(sizes.max()),
        "above_256_mb": float((one.memory_mb > 256).mean()),
        "above_512_mb": float((one.memory_mb > 512).mean()),
        "serial_above_512_mb": float((one.memory_mb[serial] > 512).mean()),
        "below_2_gb": float((one.memory_gb < 2).mean()),
        "memory_gb_wide_over_serial": float(one.memory_gb[large].mean() / one.memory_gb[serial].mean()),
        "memory_mb_wide_over_serial": float(one.memory_mb[large].mean() / one.memory_mb[serial].mean()),
        **{
            f"class_{name}": float((one.size == place).mean())
            for place, name in enumerate(("sj", "mj", "lj"))
        },
        "vst": float((one.request_h <= 5).mean()),
        "serial_asks_longer_h": float(
            one.request_h[serial].mean() - one.request_h[one.processors == 64].mean()
        ),
        "narrow_asks_longer_h": float(one.request_h[~large].mean() - one.request_h[large].mean()),
        "defaults": float(np.isin(one.request_h, (5, 50, 200, 400)).mean()),
    }


def _times(one: _Columns) -> dict[str, float | None]:
    ratio, default = one.run_h / one.request_h, np.isin(one.request_h, (5, 50, 200, 400))
    return {
        "below_a_fifth": float((ratio < 0.2).mean()),
        "default_median_ratio": float(np.median(ratio[default])),
        "ended_in_a_minute": float((one.run_h[one.request_h > 5] <= 1 / 60).mean()),
        "exactly_5_h": float((ratio[one.request_h == 5] == 1).mean()),
        "mean_run_min": float(one.run_h.mean() * 60),
        "run_cv": float(one.run_h.std() / one.run_h.mean()),
        "above_1_h": float((one.run_h > 1).mean()),
        "above_20_h": float((one.run_h > 20).mean()),
        "run_and_processors": float(np.corrcoef(one.processors, one.run_h)[0, 1]),
    }


def _demand(one: _Columns) -> dict[str, float | None]:
    above = one.work_h > one.work_h.mean()
    wide = (one.processors > 16) & (one.run_h > 1 / 6)
    hungry = (one.memory_gb > 4) & (one.run_h > 1 / 6)
    largest = np.argsort(one.work_h)[-LARGEST:]
    return {
        "processor_demand": float(one.work_h.sum() / (PROCESSORS * one.span_h)),
        "memory_demand": float((one.memory_gb * one.run_h).sum() / (MEMORY_GB * one.span_h)),
        "mean_work_h": float(one.work_h.mean()),
        "demand_above_5_h": one.demand(one.request_h > 5),
        "demand_of_lj": one.demand(one.size == 2),
        "above_mean_work": float(above.mean()),
        "above_mean_work_demand": one.demand(above),
        "above_20_h_demand": one.demand(one.run_h > 20),
        "above_mean_work_memory": one.memory_demand(above),
        "above_20_h_memory": one.memory_demand(one.run_h > 20),
        "wide_memory": one.memory_demand(wide),
        "hungry_memory": one.memory_demand(hungry),
        "wide_and_hungry": float((wide & hungry).mean()),
        "wide": float(wide.mean()),
        "wide_demand": one.demand(wide),
        "hungry": float(hungry.mean()),
        "hungry_demand": one.demand(hungry),
        "largest_demand": float(one.work_h[largest].sum() / (PROCESSORS * one.span_h)),
        "largest_run_h": float(one.run_h[largest].mean()),
        "largest_work_h": float(one.work_h[largest].mean()),
    }


def _peaks(one: _Columns) -> dict[str, float | None]:
    short, held = one.run_h < 1 / 60, one.processors * one.run_h
    return {
        "peak_above_request": float((one.peak_mb > one.memory_mb).mean()),
        "short_most_mb": float((one.peak_mb * one.processors)[short].max()),
        "peak_below_32_mb": float((one.peak_mb < 32).mean()),
        "peak_above_1_gb": float((one.peak_mb > 1024).mean()),
        "memory_used": float((one.peak_mb @ held) / (one.memory_mb @ held)),
    }


def _fits(run_s: Floats) -> dict[str, float | None]:
    """The distance of Kolmogorov and Smirnov of each fit to the run times."""
    values = np.sort(run_s)
    steps = np.arange(1, values.size + 1) / values.size
    laws = {law.NAME: law.fit(values) for law in FITTED}
    laws[LogUniform.NAME] = LogUniform.fit(values, PIECES)
    return {f"distance_{name}": float(np.abs(law.cdf(values) - steps).max()) for name, law in laws.items()}
