"""What came of a run, for programs: metrics by name, arrays by column, tables of pandas, pictures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from molokini.experiments.schedules import whole_columns, write_schedule
from molokini.model.errors import MissingExtra, UnknownName
from molokini.model.text import plural
from molokini.sim.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

Columns = dict[str, np.ndarray[Any, Any]]
File: TypeAlias = str | PathLike[str]


SHOWN = ("mean_wait_s", "mean_bounded_slowdown", "utilization")
"""The metrics that stand where a value is shown by itself, as at a prompt."""


class Named(dict[str, Any]):
    """Values by name; KeyError for a name that there is not says the nearest one."""

    def __init__(self, kind: str, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self._kind = kind

    def __missing__(self, name: str) -> Any:
        raise KeyError(str(UnknownName(self._kind, str(name), self)))


@dataclass(frozen=True, repr=False)
class Result:
    """What came of one replay."""

    document: Mapping[str, Any]
    """What ``molokini simulate --json`` writes."""
    replayed: Schedule
    tau_s: float
    batch_size: int | None
    heading: str
    """What is not as usual in the run, for pictures."""
    notes: Sequence[str]
    """What the command says on standard error, one line each."""
    precision: float | None = None
    """The size of intervals that was asked for, as a share of the mean."""

    def __repr__(self) -> str:
        one = self.replayed
        shown = ", ".join(f"{name} {digits(self.metrics[name])}" for name in SHOWN)
        return f"Result of {one.policy} on {one.workload.name}: {plural(len(one.workload), 'job')}, {shown}"

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        one = self.replayed
        rows = [[name, digits(self.metrics[name])] for name in SHOWN]
        jobs = plural(len(one.workload), "job")
        return html_table(f"{one.policy} on {one.workload.name}: {jobs}", ["metric", "value"], rows)

    @property
    def metrics(self) -> Mapping[str, Any]:
        """Every metric by its name in the JSON."""
        return Named("metric", self.document["metrics"])

    @cached_property
    def schedule(self) -> Columns:
        """The columns of ``--schedule``, one element a job; NaN where something did not happen."""
        return columns_of(self.replayed)

    def to_pandas(self) -> "DataFrame":
        """The schedule as a table, one row a job. MissingExtra without pandas."""
        return frame(self.schedule)

    def write(self, file: File) -> None:
        """Write the schedule in the format that the ending of *file* names, as ``--schedule`` does."""
        write_schedule(self.replayed, fspath(file))

    def page(self, plays: bool = False) -> str:
        """The run as one page for a browser; *plays*: it is played at once, on scaled time."""
        from molokini.experiments.pages import page_text

        return page_text([self.replayed], [self.document["metrics"]], plays)

    def write_page(self, file: File) -> None:
        """Write the run as one page that opens in a browser without a server, as ``--html`` does."""
        from molokini.experiments.pages import write_page

        write_page([self.replayed], [self.document["metrics"]], file)

    def _convergence(self) -> "Figure":
        """Of three means; of all with their crossings, where a precision was asked for."""
        from molokini.plots import convergence
        from molokini.plots.settling import settling_picture

        one, size = self.replayed, self.batch_size
        if self.precision is not None:
            return settling_picture(one, self.precision, size, note=self.heading)
        return convergence(one, tau_s=self.tau_s, batch_size=size, note=self.heading)

    def plot(self, what: str = "overview", file: File | None = None) -> "Figure":
        """A picture, also written to *file* where one is named: overview, ecdf, convergence or rows."""
        from molokini.plots import distributions, overview, rows_over_time

        one, tau_s = self.replayed, self.tau_s
        drawers: dict[str, Callable[[], Figure]] = {
            "overview": lambda: overview(one, note=self.heading),
            "ecdf": lambda: distributions([one], tau_s, self.heading),
            "convergence": self._convergence,
            "rows": lambda: rows_over_time(one, self.heading),
        }
        return drawn(drawers, what, file)


def digits(value: float | None) -> str:
    """A metric with five digits; one that is undefined by a dash."""
    return "-" if value is None else f"{value:,.5g}" if abs(value) < 1e5 else f"{value:,.0f}"


def html_table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], below: str = "") -> str:
    """A table for notebooks: names at the left, figures at the right; nothing of a log is read as HTML."""

    def line(cells: Sequence[str], tag: str) -> str:
        first, *others = map(escape, cells)
        figures = "".join(f'<{tag} style="text-align:right">{cell}</{tag}>' for cell in others)
        return f'<tr><{tag} style="text-align:left">{first}</{tag}>{figures}</tr>'

    body = "".join(line(row, "td") for row in rows)
    more = f"<p>{escape(below)}</p>" if below else ""
    return (
        f'<table><caption style="text-align:left">{escape(caption)}</caption>'
        f"<thead>{line(header, 'th')}</thead><tbody>{body}</tbody></table>{more}"
    )


def columns_of(schedule: Schedule) -> Columns:
    """The columns of *schedule*, read-only: they are those of the run."""
    columns = {name: np.asarray(column).view() for name, column in whole_columns(schedule).items()}
    for column in columns.values():
        column.flags.writeable = False
    return columns


def frame(columns: Any) -> "DataFrame":
    """*columns*, or rows, as a table of pandas. MissingExtra without it."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra("pandas", "pandas", "a DataFrame") from None
    return pandas.DataFrame(columns)


def drawn(drawers: Mapping[str, Callable[[], "Figure"]], what: str, file: File | None) -> "Figure":
    """The picture called *what*, also written to *file* where one is named."""
    from molokini.plots import save

    if what not in drawers:
        raise UnknownName("picture", what, drawers)
    figure = drawers[what]()
    if file is not None:
        save(figure, file)
    return figure
