"""Lines and header of an SWF log, column by column."""

import pytest

from molokini.accounting.formats import Site, writer_of
from molokini.accounting.record import Record
from molokini.accounting.swf import SwfLines
from molokini.model.errors import UnknownName
from molokini.model.facts import Ending
from molokini.model.version import version
from tests.kit.accounting import BARE, record

WAITED = record(number=5, user="bob", start_s=None, nodes=(), allocated=0, ending=Ending.CANCELLED, queue="")


def log_of(*jobs: Record, processors: int = 64, nodes: int = 8) -> tuple[list[str], list[str]]:
    """Header and lines."""
    log = SwfLines("srv", processors, nodes)
    made = [log.line(one) for one in jobs]
    return list(log.header()), [log.finished(line) for line in made]


def test_every_field_stands_where_the_format_has_it() -> None:
    _, lines = log_of(record(), WAITED, record(number=6, user="", command="", memory_kb=0, cpu_s=0.0))
    assert lines == [
        # Number, submission, wait, run time; processors, time and memory of each; processors, time and memory
        # asked for; status, user, group, executable, queue; three that Molokini does not know.
        "68350 0.25 93.5 3599.75 4 1785 512 4 3600 512 1 1 1 1 1 -1 -1 -1",
        "5 0.25 3693.25 -1 -1 1785 512 4 3600 512 5 2 1 1 -1 -1 -1 -1",
        "6 0.25 93.5 3599.75 4 -1 512 4 3600 -1 1 -1 1 2 1 -1 -1 -1",
    ]


def test_what_is_not_known_is_minus_one() -> None:
    assert log_of(BARE)[1] == ["9 0 100 60 -1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1"]
    unheld = record(processors=0, allocated=0, nodes=())
    assert log_of(unheld)[1] == ["68350 0.25 93.5 3599.75 -1 -1 -1 -1 3600 512 1 1 1 1 1 -1 -1 -1"]


def test_the_header_tells_of_all_lines() -> None:
    later = record(number=3, submitted_s=1365512600.0, end_s=1365516100.0, estimate_s=60.0, queue="a\nb")
    header, _ = log_of(record(), later)
    assert header == [
        "; Version: 2.2",
        "; Computer: srv",
        f"; Conversion: molokini {version()}, accounting export",
        "; MaxJobs: 2",
        "; MaxRecords: 2",
        "; Preemption: No",
        "; UnixStartTime: 1365512507",
        "; TimeZoneString: UTC",
        "; StartTime: Tue Apr  9 13:01:47 UTC 2013",
        "; EndTime: Tue Apr  9 14:03:20 UTC 2013",
        "; MaxNodes: 8",
        "; MaxProcs: 64",
        "; MaxRuntime: 3600",
        "; MaxQueues: 2",
        "; Queue: 1 batch",
        "; Queue: 2 a_b",
        "; Note: users, groups and executables are numbered in the order in which they come",
    ]


def test_a_header_without_jobs_and_figures_leaves_these_out() -> None:
    header, lines = log_of(processors=0, nodes=0)
    assert lines == []
    assert header[3:] == [
        "; MaxJobs: 0",
        "; MaxRecords: 0",
        "; Preemption: No",
        "; UnixStartTime: 0",
        "; TimeZoneString: UTC",
        "; StartTime: Thu Jan  1 00:00:00 UTC 1970",
        "; EndTime: Thu Jan  1 00:00:00 UTC 1970",
        "; MaxQueues: 0",
        "; Note: users, groups and executables are numbered in the order in which they come",
    ]


def test_elements_are_numbered_above_the_greatest_whatever_came_last() -> None:
    header, lines = log_of(record(number=9), record(number=3, index=0), record(number=3, index=1))
    assert [line.split()[0] for line in lines] == ["9", "10", "11"]
    assert header[-1] == "; Note: 2 elements of arrays have numbers above 9"


def test_a_format_of_another_name_is_none() -> None:
    with pytest.raises(UnknownName, match="did you mean 'sacct'"):
        writer_of("sact", Site("srv"))


@pytest.mark.parametrize(("changes", "ran_s"), [({}, 3599.75), ({"start_s": None}, 0.0)])
def test_how_long_a_job_ran(changes: dict[str, object], ran_s: float) -> None:
    assert record(**changes).ran_s == ran_s
