"""The form of the model of Jann et al. (JSSPP 1997), fitted to a log: hyper-Erlang times by size.

Sizes are cut into ranges, of which each is a stream of its own: its gaps and its run times have hyper-Erlang
distributions of common order with the first three moments of the log. The tables of the paper, of the CTC
SP2, could not be had and are not here: parameters come from a log, by default from the KTH SP2. Sizes inside
a range, and what becomes of ranges with few jobs, are ours.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.arriving.cycles import EVEN
from molokini.workloads.arriving.feeds import Feed
from molokini.workloads.distributions import FEWEST_TO_FIT, HyperErlang
from molokini.workloads.generator import Generated
from molokini.workloads.header import LARGEST_MACHINE
from molokini.workloads.models.common import (
    OWN,
    Stream,
    TooFew,
    in_seconds,
    made,
    one_feed,
    others_cycle,
    parameters,
    whole,
)
from molokini.workloads.readers import read_workload
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats, Workload

SHIPPED = "kth-sp2"
"""The table that comes with the package, named after its log."""
_FOLDER = Path(__file__).parent / "tables"
_ROUNDING = 0.005
"""Shares of a range may add up to so much more or less than 1."""


@dataclass(frozen=True)
class Range:
    """Jobs of neighbouring sizes."""

    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    """Of each of the sizes."""
    gaps: HyperErlang
    runs: HyperErlang


@dataclass(frozen=True)
class Table:
    """All that the model knows of a log."""

    log: str
    processors: int
    ranges: tuple[Range, ...]

    def text(self) -> str:
        """As a file of TOML, which ``read_table`` reads."""
        lines = [f"log = {_quoted(self.log)}", f"processors = {self.processors}"]
        for one in self.ranges:
            lines += ["", "[[ranges]]", f"sizes = {list(one.sizes)}", f"shares = {list(one.shares)}"]
            for name, law in (("gaps", one.gaps), ("runs", one.runs)):
                lines.append(
                    f"{name} = {{ share = {law.share!r}, rate1 = {law.rate1!r}, rate2 = {law.rate2!r}, "
                    f"order = {law.order} }}"
                )
        return "\n".join(lines) + "\n"


def fitted(workload: Workload) -> Table:
    """The model of *workload*, by ranges of sizes 1, 2, 3-4, 5-8 and so on.

    A range of fewer than ``FEWEST_TO_FIT`` + 1 jobs, or whose gaps or run times do not vary, joins the range
    below it (the first one that above). Raises BadInput where nothing remains.
    """
    processors = workload.machine_processors
    if processors is None:
        raise BadInput(f"{workload.name}: no MaxProcs in its header, which the model needs")
    wide = np.ceil(np.log2(workload.processors)).astype(np.int64)
    groups = [np.flatnonzero(wide == one) for one in range(int(wide.max(initial=0)), -1, -1)]
    found = [_range(workload, rows) for rows in _merged(workload, groups)]
    kept = tuple(one for one in found if one is not None)
    if not kept or len(kept) < len(found):
        raise BadInput(f"{workload.name}: jann: too few jobs, or jobs that do not vary, for a fit")
    return Table(workload.name, processors, tuple(sorted(kept, key=lambda one: one.sizes[0])))


def _merged(workload: Workload, rows: Sequence[Any]) -> list[Any]:
    """*rows* of ranges, from the widest on, those that cannot be fitted joined to the next."""
    found: list[Any] = []
    carried = np.zeros(0, np.int64)
    for one in rows:
        joined = np.sort(np.concatenate([carried, one]))
        if _range(workload, joined) is None:
            carried = joined
        else:
            found.append(joined)
            carried = carried[:0]
    if carried.size:
        found.append(np.sort(np.concatenate([found.pop(), carried])) if found else carried)
    return found


def _range(workload: Workload, rows: Any) -> Range | None:
    """What is fitted to the jobs of *rows*, or None where that cannot be."""
    if rows.size <= FEWEST_TO_FIT:
        return None
    gaps, runs = np.diff(workload.submit_s[rows]), workload.run_s[rows]
    try:
        laws = [_law(values) for values in (gaps, runs)]
    except BadInput:
        return None
    sizes, counts = np.unique(workload.processors[rows], return_counts=True)
    return Range(tuple(sizes.tolist()), tuple((counts / rows.size).tolist()), *laws)


def _law(values: Floats) -> HyperErlang:
    unit = float(values.mean())
    if unit <= 0.0:
        raise BadInput("no time passes")
    first, second, third = (float(((values / unit) ** k).mean()) for k in (1, 2, 3))
    one = HyperErlang.from_moments(first, second, third)
    return HyperErlang(one.share, one.rate1 / unit, one.rate2 / unit, one.order)


def read_table(path: Path) -> Table:
    """The table in a file of TOML. Raises BadFile."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        ranges = tuple(
            Range(
                tuple(one["sizes"]),
                tuple(one["shares"]),
                HyperErlang(**one["gaps"]),
                HyperErlang(**one["runs"]),
            )
            for one in found["ranges"]
        )
        table = Table(str(found["log"]), int(found["processors"]), ranges)
    except OSError as error:
        raise BadFile(str(path), error.strerror or "it cannot be read") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(str(path), f"no TOML: {error}") from None
    except KeyError as error:
        raise BadFile(str(path), f"no table of this model: {error} is missing") from None
    except (TypeError, ValueError, BadValue) as error:
        raise BadFile(str(path), f"no table of this model: {error}") from None
    if wrong := _wrong(table):
        raise BadFile(str(path), f"no table of this model: {wrong}")
    return table


def _wrong(table: Table) -> str:
    """What a table has that no jobs can be made of; empty: nothing."""
    if not 1 <= table.processors <= LARGEST_MACHINE:
        return f"processors: a whole number from 1 to {LARGEST_MACHINE:,} is needed"
    if not table.ranges:
        return "ranges: one at least is needed"
    for one in table.ranges:
        if len(one.sizes) != len(one.shares) or not one.sizes:
            return "a share is needed for each size"
        if not all(isinstance(size, int) and 1 <= size <= table.processors for size in one.sizes):
            return f"sizes: whole numbers from 1 to the machine's {table.processors} are needed"
        if not all(isinstance(share, float | int) and share >= 0.0 for share in one.shares):
            return "shares: numbers of 0 or more are needed"
        if abs(sum(one.shares) - 1.0) > _ROUNDING:
            return "shares: those of a range have to add up to 1"
    return ""


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


PARAMETERS: tuple[Parameter, ...] = (
    *(one for one in parameters(processors=100) if one.name != "processors"),
    Parameter(
        "table",
        SHIPPED,
        f"what was fitted: {SHIPPED}, or a file in the form of the one that comes with the package",
        Kind.TEXT,
        source="ours: fitted to the log that it is named after",
    ),
    Parameter(
        "log",
        "",
        "a log to which the model is fitted on the spot, instead of a table",
        Kind.TEXT,
        source="published: the method",
        rare=True,
    ),
)


def make(values: Mapping[str, Value], seed: int) -> Workload:
    """The workload of these *values*. Raises BadInput for a log or a table that cannot be used."""
    table = _table(values)
    values = {**values, "processors": table.processors}
    streams, jobs, name = Streams(seed), whole(values, "jobs"), f"jann-{_stem(table.log)}-{seed}"
    rates = np.array([1.0 / one.gaps.mean for one in table.ranges])
    if str(values["arrivals"]) != OWN:
        return _other_arrivals(name, values, streams, table, rates)
    other = others_cycle(values)
    cycle = EVEN if other is None else other
    likely = np.minimum(jobs, jobs * 1.2 * rates / rates.sum() + 2_000).astype(np.int64).tolist()
    for counts in (likely, [jobs] * len(table.ranges)):
        kinds, feeds = [], []
        for place, (one, count) in enumerate(zip(table.ranges, counts, strict=True)):
            kinds.append(_jobs(values, streams, place, one, count))
            gaps = one.gaps.sample(streams.of(f"{place}.gaps"), count)
            feeds.append(Feed(np.cumsum(gaps), cycle))
        try:
            return made(name, values, streams, kinds, feeds)
        except TooFew:
            continue
    raise AssertionError("as many jobs of each range as of all are enough")


def _table(values: Mapping[str, Value]) -> Table:
    if values.get("log"):
        return fitted(read_workload(str(values["log"])))
    name = str(values["table"])
    if name == SHIPPED:
        return read_table(_FOLDER / f"{SHIPPED}.toml")
    if not name:
        raise BadValue("table", name, f"{SHIPPED}, or the name of a file")
    return read_table(Path(name))


def _stem(name: str) -> str:
    return name.removesuffix(".gz").removesuffix(".swf")


def _jobs(values: Mapping[str, Value], streams: Streams, place: int, one: Range, count: int) -> Stream:
    upto = np.cumsum(one.shares)[:-1]
    which = np.searchsorted(upto, streams.of(f"{place}.sizes").random(count), side="right")
    run_s = in_seconds(values, one.runs.sample(streams.of(f"{place}.runs"), count))
    return Stream(np.asarray(one.sizes, dtype=np.float64)[which], run_s)


def _other_arrivals(
    name: str, values: Mapping[str, Value], streams: Streams, table: Table, rates: Floats
) -> Workload:
    """The model's jobs at the arrivals of another process: ranges mixed as their rates imply."""
    jobs = whole(values, "jobs")
    upto = np.cumsum(rates / rates.sum())[:-1]
    which = np.searchsorted(upto, streams.of("ranges").random(jobs), side="right")
    sizes, run_s = np.empty(jobs), np.empty(jobs)
    for place, one in enumerate(table.ranges):
        here = np.flatnonzero(which == place)
        kind = _jobs(values, streams, place, one, here.size)
        sizes[here], run_s[here] = kind.processors, kind.run_s
    feeds, user = one_feed(values, streams, 1.0 / float(rates.sum()))
    return made(name, values, streams, [Stream(sizes, run_s)], feeds, user)


MODELS = (
    Generated(
        "jann",
        "hyper-Erlang gaps and run times for each range of sizes, fitted to a log",
        "form and method: Jann et al., JSSPP 1997; parameters: the log's, by default of the KTH SP2",
        PARAMETERS,
        make,
        note="the published tables (CTC SP2) could not be had: this is its form, fitted to a log",
    ),
)


def from_file(path: str) -> Generated:
    """The model of the table in the file *path*: ``jann:FILE?jobs=1000``."""
    (model,) = MODELS
    told = tuple(replace(one, default=path) if one.name == "table" else one for one in model.parameters)
    return replace(model, name=f"{model.name}:{path}", parameters=told)
