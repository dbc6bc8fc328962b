"""What a format can hold comes back as it was, whatever users call things."""

import signal
from dataclasses import replace
from datetime import UTC
from math import floor
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from molokini.accounting import lsf_reading, pbs, pbs_reading, sacct, sacct_reading
from molokini.accounting.fields import fit
from molokini.accounting.formats import Site, writer_of
from molokini.accounting.record import Record, SkippedLine
from molokini.accounting.swf import STATUS
from molokini.model.facts import Ending
from molokini.workloads.swf import read_swf
from molokini.workloads.workload import SWF_FIELDS
from tests.kit.accounting import jobs_of, placed, records

SITE = Site("srv", UTC)


def in_seconds(job: Record) -> Record:
    """*job* as formats of whole seconds hold it."""
    start, eligible = job.start_s, job.eligible_s
    return replace(
        job,
        submitted_s=floor(job.submitted_s),
        eligible_s=None if eligible is None else floor(eligible),
        start_s=None if start is None else floor(start),
        end_s=floor(job.end_s),
    )


def word(text: str) -> str:
    """*text* as PBS holds it: one line; in quotes, which it cannot hold itself, where it has blanks."""
    text = fit(text)
    quoted = text.startswith('"') or any(sign.isspace() for sign in text)
    return text.replace('"', "'") if quoted else text


def ended_by_sigterm(job: Record) -> Record:
    """*job*, ended so by itself if it ran."""
    if job.start_s is None:
        return job
    return replace(job, ending=Ending.FAILED, signal=signal.SIGTERM, exit_code=0)


@given(records() | records().map(ended_by_sigterm))
def test_pbs_keeps_what_it_can_hold(job: Record) -> None:
    found = list(pbs_reading.read(placed(line.text for line in pbs.lines_of(job, "srv", UTC))))
    kinds = [one.reason for one in found if isinstance(one, SkippedLine)]
    if job.start_s is None:
        assert kinds == ["other_record", "never_started"]
        return
    assert kinds == ["other_record", "other_record"]
    [(_, read)] = [one for one in found if not isinstance(one, SkippedLine)]
    texts = {name: word(getattr(job, name)) for name in ("name", "user", "group", "account", "queue")}
    held = replace(in_seconds(job), **texts, uid=-1, qos="", command="", directory="")  # type: ignore[arg-type]
    if job.signal == signal.SIGTERM:
        # By this signal PBS ends what is deleted, or is over its limit: of a job that ended so by itself it
        # says the same.
        over = 0 < held.estimate_s <= held.ran_s
        held = replace(held, signal=0, ending=Ending.TIMED_OUT if over else Ending.CANCELLED)
    assert read == held


@given(records())
def test_lsf_keeps_what_it_can_hold(job: Record) -> None:
    [line] = writer_of("lsf", SITE).lines(job)
    [read] = jobs_of(lsf_reading.read, line.text)
    names = ("name", "user", "account", "queue", "command", "directory")
    texts = {name: fit(getattr(job, name), instead=" ") for name in names}
    attempt = int(job.start_s is not None)
    held = replace(in_seconds(job), **texts, group="", qos="", eligible_s=None, attempt=attempt)  # type: ignore[arg-type]
    assert read == held


@given(records())
def test_sacct_keeps_what_it_can_hold(job: Record) -> None:
    writer = writer_of("sacct", SITE)
    [line] = writer.lines(job)
    [read] = jobs_of(sacct_reading.read, *writer.header(), line.text)
    names = ("name", "user", "group", "account", "queue", "qos", "command", "directory")
    texts = {name: fit(getattr(job, name), sacct.SEPARATOR) for name in names}
    assert read == replace(in_seconds(job), **texts, nodes=())  # type: ignore[arg-type]


@given(
    st.lists(st.integers(1, 10**9), min_size=1, max_size=5, unique=True).flatmap(
        lambda numbers: st.tuples(*(records(number) for number in sorted(numbers)))
    )
)
def test_swf_keeps_what_it_can_hold(tmp_path_factory: object, jobs: tuple[Record, ...]) -> None:
    path = Path(tmp_path_factory.mktemp("swf")) / "log.swf"  # type: ignore[attr-defined]
    writer = writer_of("swf", replace(SITE, processors=64, nodes=8))
    lines = sorted(line for job in jobs for line in writer.lines(job))
    path.write_text("\n".join([*writer.header(), *(writer.finished(line.text) for line in lines)]) + "\n")
    ran = sorted((job for job in jobs if job.start_s is not None), key=lambda job: job.submitted_s)
    if not ran:
        return
    log = read_swf(path)
    zero_s = floor(min(job.submitted_s for job in jobs))
    assert log.header.first("UnixStartTime") == str(zero_s)
    assert log.machine_processors == 64
    assert log.skipped == ({"run_time_negative": len(jobs) - len(ran)} if len(ran) < len(jobs) else {})
    columns = {name: log.records[:, place] for place, name in enumerate(SWF_FIELDS)}
    np.testing.assert_allclose(
        np.sort(columns["submit_s"]), [job.submitted_s - zero_s for job in ran], rtol=0, atol=0.00051
    )
    by_run = sorted(ran, key=lambda job: job.ran_s)
    np.testing.assert_allclose(np.sort(columns["run_s"]), [job.ran_s for job in by_run], rtol=0, atol=0.00051)
    assert sorted(columns["requested_processors"]) == sorted(job.processors for job in ran)
    assert sorted(columns["status"]) == sorted(STATUS[job.ending] for job in ran)
    assert sorted(columns["requested_s"]) == sorted(job.estimate_s or -1 for job in ran)
    np.testing.assert_allclose(
        np.sort(columns["cpu_s"]),
        sorted(job.cpu_s / (job.allocated or job.processors) if job.cpu_s > 0 else -1 for job in ran),
        rtol=0,
        atol=0.00051,
    )
    plain = {job.number for job in ran if job.index < 0}
    assert plain <= set(columns["number"])


def test_elements_get_numbers_above_all_jobs() -> None:
    def job(number: int, index: int = -1) -> Record:
        return Record(number=number, index=index, submitted_s=5.0, start_s=5.0, end_s=6.0, processors=1)

    writer = writer_of("swf", SITE)
    made = [line.text for one in (job(3, 0), job(3, 1), job(9)) for line in writer.lines(one)]
    assert [writer.finished(text).split()[0] for text in made] == ["10", "11", "9"]
    assert "; Note: 2 elements of arrays have numbers above 9" in writer.header()
