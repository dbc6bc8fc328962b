"""LSF's JOB_FINISH: each field at its place, and records of LSF and openlava read."""

import pytest

from molokini.accounting import lsf
from molokini.accounting.lsf_reading import read
from molokini.accounting.record import Odd
from molokini.model.facts import NO_INDEX, Ending
from tests.kit.accounting import BARE, jobs_of, reasons_of, record

GOLDEN = " ".join(
    [
        # Event, its version and time; job, user, options, processors; submission, begin, termination, start.
        '"JOB_FINISH" "10.1" 1365516200 68350 1001 33554435 4 1365512507 0 0 1365512600',
        # User, queue; requirements, dependencies, pre-execution; from where; folder; four files.
        '"ann" "batch" "" "" "" "srv" "/home/ann" "" "" "" ""',
        # Hosts asked for, and held, one a slot; status DONE, host factor, name, command.
        '0 4 "n1" "n1" "n2" "n2" 64 60.000000 "t1" "run.sh a"',
        # Nineteen numbers of use.
        "7140.000000 0.000000" + " -1" * 17,
        # Mail, project, exit status, most processors, shell, time event, index, memory, swap, two files.
        '"" "acct1" 0 4 "" "" 0 2048 0 "" ""',
        # rsvId sla exceptMask additionalInfo exitInfo warningAction warningTimePeriod chargedSAAP license
        '"" "" 0 "" 0 "" 0 "" ""',
        # app postExecCmd runtimeEstimation jobGroupName requeueEvalues options2 resizeCmd lastResizeTime
        '"" "" 0 "" "" 0 "" 0',
        # rsvId jobDescription; submitEXT, numHostRusage; runLimit options3 avgMem effectiveResReq
        '"" "" 0 0 3600 0 0 "rusage[mem=512KB/task]"',
        # srcCluster srcJobId dstCluster dstJobId forwardTime flow_id acJobWaitTime totalProvisionTime
        '"" 0 "" 0 0 0 0 0',
        # outdir runTime subcwd, networks, affinity, energy, cpi gips gbs gflops
        '"" 3600 "" 0 "" 0.000000 0.000000 0.000000 0.000000 0.000000',
        # numAllocSlots and hosts
        '4 "n1" "n1" "n2" "n2"',
        # ineligiblePendTime indexRangeCnt requeueTime numGPURusages storageInfoC numKVP schedulingOverhead
        "-1 0 0 0 0 0 0",
    ]
)
UNKNOWN = " ".join(
    [
        '"JOB_FINISH" "10.1" 300 9 -1 2 0 100 0 0 200 "" "" "" "" "" "srv" "" "" "" "" ""',
        '0 0 64 60.000000 "" ""' + " -1" * 19,
        '"" "" 0 0 "" "" 0 0 0 "" "" "" "" 0 "" 0 "" 0 "" "" "" "" 0 "" "" 0 "" 0 "" ""',
        '0 0 -1 0 0 "" "" 0 "" 0 0 0 0 0 "" 60 "" 0 "" 0.000000 0.000000 0.000000 0.000000 0.000000',
        "0 -1 0 0 0 0 0 0",
    ]
)
"""``BARE``, noted at 300."""
OPENLAVA = (
    '"JOB_FINISH" "3.3" 1000002000 7 501 33816627 2 1000000000 0 0 1000000100 "ann" "normal" "" "" "" '
    '"login" "/h" "" "o" "" "1000000000.7" 0 1 "2*n1" 32 60.0 "a ""b""" "sleep 9" '
    "1.5 0.5 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 "
    '"" "default" 768 2 "/bin/sh" 3 4096 0 "" ""'
)


def test_every_field_stands_where_the_reference_has_it() -> None:
    assert lsf.line_of(record(), "srv") == GOLDEN
    assert lsf.line_of(BARE, "srv", 300.0) == UNKNOWN


@pytest.mark.parametrize(
    ("changes", "word", "info"),
    [
        ({"ending": Ending.FAILED, "exit_code": 1}, 256, 0),
        ({"ending": Ending.FAILED, "signal": 9}, 9, 0),
        ({"ending": Ending.TIMED_OUT}, 12, lsf.RUNLIMIT),
        ({"ending": Ending.CANCELLED}, 15, lsf.OWNER),
        ({"ending": Ending.CANCELLED, "start_s": None, "nodes": ()}, 0, lsf.OWNER),
        ({"ending": Ending.REFUSED, "start_s": None, "nodes": ()}, 0, lsf.OTHER),
    ],
)
def test_exit_statuses_are_words_of_wait(changes: dict[str, object], word: int, info: int) -> None:
    line = lsf.line_of(record(**changes), "srv")
    assert f'"" "acct1" {word} 4 ' in line
    assert f'"" "" 0 "" {info} "" 0 ' in line
    assert " 32 60.000000 " in line


def test_a_record_of_openlava_is_read_though_it_ends_sooner() -> None:
    [job] = jobs_of(read, OPENLAVA)
    assert (job.number, job.index, job.name, job.user, job.queue) == (7, 3, 'a "b"', "ann", "normal")
    assert (job.submitted_s, job.start_s, job.end_s) == (1000000000, 1000000100, 1000002000)
    assert (job.processors, job.allocated, job.nodes) == (2, 2, (("n1", 2),))
    assert (job.ending, job.exit_code, job.cpu_s, job.used_kb) == (Ending.FAILED, 3, 2.0, 4096)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('"JOB_FINISH"', '"JOB_RESIZE"'), "other_record"),
        (("1000000100", "nan"), "not_a_number"),
        (("1000000100", '"x"'), "wrong_field_count"),
        (("1000000100", "1000002001"), "out_of_range"),
        ((" 7 501", " 0 501"), "out_of_range"),
        ((" 0 1 ", " 0 900 "), "wrong_field_count"),
        ((" 32 60.0", " 4 60.0"), "other_record"),
        (('"sleep 9"', '"sleep 9'), "wrong_field_count"),
        (('"normal"', "normal"), "wrong_field_count"),
        (('"2*n1"', '"999999999*n1"'), None),
        ((' 4096 0 "" ""', " 4096"), "wrong_field_count"),
        (('1 "2*n1"', '3 "999999999*n1" "999999999*n2" "999999999*n3"'), "out_of_range"),
        ((" 0 1 ", " -1 1 "), "wrong_field_count"),
        ((" 2 1000000000", " -1 1000000000"), "out_of_range"),
        (("1000000000 0 0 1000000100", "-1 0 0 1000000100"), "out_of_range"),
        (("1000000000 0 0 1000000100", "1000000000 0 0 -1"), "out_of_range"),
        (('"" "default"', '""x "default"'), "wrong_field_count"),
        (('"" "default"', 'x"" "default"'), "wrong_field_count"),
        (("32 60.0", '32 "60.0"'), "wrong_field_count"),
        (("32 60.0", "32 sixty"), "not_a_number"),
        (("1000000100", "1000002000"), None),
        ((" 2 1000000000", " 0 1000000000"), None),
        (("1000000000 0 0", "0 0 0"), None),
    ],
)
def test_what_is_no_job_has_a_reason(change: tuple[str, str], reason: str | None) -> None:
    assert reasons_of(read, OPENLAVA.replace(*change)) == ([(1, reason)] if reason else [])


def test_a_job_that_never_started_has_no_start() -> None:
    line = lsf.line_of(record(ending=Ending.CANCELLED, start_s=None, nodes=(), allocated=0), "srv")
    assert jobs_of(read, line)[0].start_s is None


def changed(*changes: tuple[str, str]) -> str:
    """``GOLDEN`` with changes, each of which it must allow."""
    text = GOLDEN
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.mark.parametrize(("code", "requeued"), [(9, False), (10, True), (11, True), (31, True), (12, False)])
def test_an_attempt_that_runs_again_is_no_job(code: int, requeued: bool) -> None:
    line = changed((" 64 60", " 32 60"), ('"" "" 0 "" 0 "" 0', f'"" "" 0 "" {code} "" 0'))
    assert reasons_of(read, line) == ([(1, "requeued_attempt")] if requeued else [])


@pytest.mark.parametrize(
    ("word", "info", "ending", "code", "signal"),
    [
        (3 << 8, 0, Ending.FAILED, 3, 0),
        (128 << 8, 0, Ending.FAILED, 128, 0),
        # A shell says so of what a signal has ended.
        (137 << 8, 0, Ending.FAILED, 0, 9),
        ((137 << 8) + 11, 0, Ending.FAILED, 0, 11),
        (9, 0, Ending.FAILED, 0, 9),
        # The bit beside the signal says that there is a core.
        (0x80 + 11, 0, Ending.FAILED, 0, 11),
        (9, 5, Ending.TIMED_OUT, 0, 0),
        (9, 8, Ending.CANCELLED, 0, 0),
        (9, 9, Ending.CANCELLED, 0, 0),
        (9, 14, Ending.CANCELLED, 0, 0),
        (9, 15, Ending.CANCELLED, 0, 0),
        (9, 19, Ending.NODE_LOST, 0, 0),
        (9, 28, Ending.FAILED, 0, 9),
    ],
)
def test_exit_words_say_how_a_job_ended(word: int, info: int, ending: Ending, code: int, signal: int) -> None:
    line = changed(
        (" 64 60", " 32 60"),
        ('"acct1" 0 4', f'"acct1" {word} 4'),
        ('"" "" 0 "" 0 "" 0', f'"" "" 0 "" {info} "" 0'),
    )
    [job] = jobs_of(read, line)
    assert (job.ending, job.exit_code, job.signal) == (ending, code, signal)


HELD = '4 "n1" "n1" "n2" "n2"'


@pytest.mark.parametrize(
    ("changes", "began"),
    [
        # A clock that is not real begins at 0, where jobs may start: what else is known says whether one did.
        ([], True),
        ([(HELD, "0"), (" 64 60", " 32 60"), ('"" 3600 ""', '"" 0 ""')], False),
        ([(HELD, "0"), (" 64 60", " 32 60")], True),
        ([(HELD, "0"), ('"" 3600 ""', '"" 0 ""')], True),
        ([(" 64 60", " 32 60"), ('"" 3600 ""', '"" 0 ""')], True),
    ],
)
def test_who_started_at_second_0_is_known_by_the_rest(changes: list[tuple[str, str]], began: bool) -> None:
    line = changed(("1365512507 0 0 1365512600", "0 0 0 0"), *changes)
    [job] = jobs_of(read, line)
    assert (job.start_s, job.attempt) == ((0.0, 1) if began else (None, 0))


def test_a_job_alone_by_its_start_has_begun() -> None:
    line = changed((HELD, "0"), (" 64 60", " 32 60"), ('"" 3600 ""', '"" 0 ""'))
    [job] = jobs_of(read, line)
    assert (job.start_s, job.end_s) == (1365512600.0, 1365516200.0)


def test_the_end_is_by_the_run_time_and_not_by_when_it_was_noted() -> None:
    [job] = jobs_of(read, changed(("1365516200", "1365516900")))
    assert job.end_s == 1365516200.0
    [job] = jobs_of(read, changed(("1365516200", "1365516900"), ('"" 3600 ""', '"" 0 ""')))
    assert job.end_s == 1365516900.0


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        (('"" "" 0 2048', '"" "" 1 2048'), "index", 1),
        (('"" "" 0 2048', '"" "" 0 2048'), "index", NO_INDEX),
        (('"" "" 0 2048', '"" "" 0 -1'), "used_kb", 0),
        ((" 4 1365512507", " 99999999999 1365512507"), "processors", 2**31 - 1),
        (("7140.000000 0.000000", "7140.5 2.5"), "cpu_s", 7143.0),
        (("7140.000000 0.000000", "-1 2.5"), "cpu_s", 2.5),
        (("7140.000000 0.000000", "7140 -1"), "cpu_s", 7140.0),
        (("0 3600 0", "0 -1 0"), "estimate_s", 0.0),
        # Bits of options3, and the memory of a job without a limit, as records of LSF 10 have them.
        (("0 3600 0 0 ", "0 -1 4194304 1024 "), "estimate_s", 0.0),
        (("0 3600 0 0 ", "0 43200 64 2048 "), "estimate_s", 43200.0),
        (("0 3600 0 0 ", "1 n1 2048 0 1 1 0 43200 64 2048 "), "estimate_s", 43200.0),
        (("512KB/task", "7KB/task"), "memory_kb", 7),
        (("512KB/task", "512MB"), "memory_kb", 0),
        # Two pairs of the submission.
        (('0 0 3600 0 0 "rusage', '2 1032 "b" 1033 "d" 0 3600 0 0 "rusage'), "estimate_s", 3600.0),
    ],
)
def test_a_field_is_kept_as_far_as_it_can_be(change: tuple[str, str], field: str, value: object) -> None:
    [job] = jobs_of(read, changed(change))
    assert getattr(job, field) == value


@pytest.mark.parametrize(
    ("info", "ending"), [(28, Ending.NOT_STARTED), (4, Ending.REFUSED), (0, Ending.CANCELLED)]
)
def test_why_a_job_never_started_is_told_by_its_reason(info: int, ending: Ending) -> None:
    line = changed(
        ("1365512507 0 0 1365512600", "1365512507 0 0 0"),
        (HELD, "0"),
        (" 64 60", " 32 60"),
        ('"" "" 0 "" 0 "" 0', f'"" "" 0 "" {info} "" 0'),
        ('"" 3600 ""', '"" 0 ""'),
    )
    [job] = jobs_of(read, line)
    assert (job.ending, job.start_s) == (ending, None)


@pytest.mark.parametrize("name", ["n{}", '"n{}"', '"0{}"'])
@pytest.mark.parametrize("count", [1, 3, 9])
@pytest.mark.parametrize("words", ["2048 0 1 1", "2048 0 1 1 0"], ids=["older", "since 9"])
def test_use_by_host_is_passed_over_whichever_version_wrote_it(words: str, count: int, name: str) -> None:
    hosts = " ".join(f"{name.format(number)} {words}" for number in range(count))
    [job] = jobs_of(read, changed(('0 0 3600 0 0 "rusage', f'0 {count} {hosts} 3600 64 2048 "rusage')))
    assert (job.estimate_s, job.memory_kb, job.end_s, job.odd) == (3600.0, 512, 1365516200.0, ())


@pytest.mark.parametrize(
    ("change", "field", "cause"),
    [
        (
            ('0 0 3600 0 0 "rusage', '0 1 n1 2048 0 3600 0 0 "rusage'),
            "numHostRusage",
            "numHostRusage: no 1 hosts with 5 and 6 fields follow",
        ),
        (('0 0 3600 0 0 "rus', '0 0 x 0 0 "rus'), "runLimit", "runLimit: 'x' is not a whole number"),
        (
            ('"rusage[mem=512KB/task]"', "1295"),
            "effectiveResReq",
            "effectiveResReq: field 87 is '1295', not a string",
        ),
    ],
)
def test_a_job_goes_without_the_end_that_is_not_understood(
    change: tuple[str, str], field: str, cause: str
) -> None:
    [job] = jobs_of(read, changed(change, ("1365516200", "1365516900")))
    assert job.odd == (Odd(field, cause),)
    assert (job.number, job.processors, job.estimate_s, job.end_s) == (68350, 4, 0.0, 1365516900.0)
