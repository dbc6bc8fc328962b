"""LSF's JOB_FINISH: each field at its place, and records of LSF and openlava read."""

import pytest

from molokini.accounting import lsf
from molokini.accounting.lsf_reading import read
from molokini.model.facts import Ending
from tests.kit.accounting import jobs_of, reasons_of, record

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
        # rsvId jobDescription; submitEXT, numHostRusage; options3 runLimit avgMem effectiveResReq
        '"" "" 0 0 0 3600 0 "rusage[mem=512KB/task]"',
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
OPENLAVA = (
    '"JOB_FINISH" "3.3" 1000002000 7 501 33816627 2 1000000000 0 0 1000000100 "ann" "normal" "" "" "" '
    '"login" "/h" "" "o" "" "1000000000.7" 0 1 "2*n1" 32 60.0 "a ""b""" "sleep 9" '
    "1.5 0.5 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 "
    '"" "default" 768 2 "/bin/sh" 3 4096 0 "" ""'
)


def test_every_field_stands_where_the_reference_has_it() -> None:
    assert lsf.line_of(record(), "srv") == GOLDEN


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
    ],
)
def test_what_is_no_job_has_a_reason(change: tuple[str, str], reason: str | None) -> None:
    assert reasons_of(read, OPENLAVA.replace(*change)) == ([(1, reason)] if reason else [])


def test_a_job_that_never_started_has_no_start() -> None:
    line = lsf.line_of(record(ending=Ending.CANCELLED, start_s=None, nodes=(), allocated=0), "srv")
    assert jobs_of(read, line)[0].start_s is None
