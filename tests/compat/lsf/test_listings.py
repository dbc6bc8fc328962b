"""Golden transcripts of listings, column by column, on a clock that stands until it is turned."""

import json
import os
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, Ran, system_variables

UP = ("--nodes", 4, "--procs-per-node", 4, "--clock", "stepped")
HERE = os.uname().nodename[:11]


async def jobs_of_all_kinds(cluster: Cluster) -> None:
    """One that runs on two nodes, an array of which two run, one that waits for another, one that is held."""
    for words in (
        ("-n", "8", "-R", "span[ptile=4]", "-J", "a_long_name", "-W", "2:00", "sleep 7200"),
        ("-J", "arr[1-4]%2", "-W", "60", "sleep"),
        ("-w", "done(1)", "-P", "proj", "sleep", "4"),
        ("-H", "-J", "held", "true"),
        ("-J", "short", "-W", "1", "true"),
    ):
        assert (await cluster.ran("bsub", *words, TZ="UTC")).code == 0
    done = await cluster.molokini("clock", "advance", 1800)
    assert done.code == 0


async def lines(cluster: Cluster, command: str, *words: object, **variables: str) -> list[str]:
    """What the command prints, with the user and the submitting host as in these transcripts."""
    done = await cluster.ran(command, *words, folder=cluster.folder, **{"TZ": "UTC", **variables})
    assert (done.err, done.code) == ("", 0), done
    name = (await cluster.ran("id", "-un")).out.strip()
    text = done.out.replace(f"{name[:7]:<7} ", "ann     ").replace(f"{HERE:<11} ", "here        ")
    text = text.replace(f"<{name}>", "<ann>").replace(f"<{os.uname().nodename}>", "<here>")
    return text.replace(str(cluster.folder), "/w").splitlines()


async def test_the_tables_of_bjobs(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        await jobs_of_all_kinds(cluster)
        assert await lines(cluster, "bjobs") == [
            "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME",
            "1       ann     RUN   default    here        4*node001   *long_name Jan  1 00:00",
            "                                             4*node002",
            "2       ann     RUN   default    here        node003     arr[1]     Jan  1 00:00",
            "2       ann     RUN   default    here        node003     arr[2]     Jan  1 00:00",
            "2       ann     PEND  default    here        -           arr[3]     Jan  1 00:00",
            "2       ann     PEND  default    here        -           arr[4]     Jan  1 00:00",
            "3       ann     PEND  default    here        -           sleep 4    Jan  1 00:00",
            "4       ann     PSUSP default    here        -           held       Jan  1 00:00",
        ]
        assert await lines(cluster, "bjobs", "-w", "1", "2[1]", "2[4]", "5") == [
            "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME",
            "1       ann     RUN   default    here        4*node001:4*node002 a_long_name Jan  1 00:00",
            "2[1]    ann     RUN   default    here        node003     arr[1]     Jan  1 00:00",
            "2[4]    ann     PEND  default    here        -           arr[4]     Jan  1 00:00",
            "5       ann     DONE  default    here        node003     short      Jan  1 00:00",
        ]
        assert (await lines(cluster, "bjobs", "-d", "-noheader"))[0].startswith("5       ann     DONE ")
        assert [line[:22] for line in await lines(cluster, "bjobs", "-p", "3")] == [
            "JOBID   USER    STAT  ",
            "3       ann     PEND  ",
            " Job dependency condit",
        ]
        assert await lines(cluster, "bjobs", "-s", "-noheader") == [
            "4       ann     PSUSP default    here        -           held       Jan  1 00:00",
            " The job was suspended by the user while pending;",
        ]
        assert await lines(cluster, "bjobs", "-A") == [
            "JOBID   ARRAY_SPEC     OWNER    NJOBS PEND DONE  RUN EXIT SSUSP USUSP PSUSP",
            "2       arr[1-4]       ann          4    2    0    2    0     0     0     0",
        ]
        assert await lines(cluster, "bjobs", "-sum") == [
            "RUN        SSUSP      USUSP      UNKNOWN    PEND       FWD_PEND",
            "10         0          0          0          4          0",
        ]
        wide = await lines(cluster, "bjobs", "-W", "5")
        assert wide[1].split()[7:] == [
            *("01/01-00:00:00", "default", "000:00:00.00", "0", "-", "-", "01/01-00:00:00", "01/01-00:01:00")
        ]
        for option, last in (("-WF", "Jan 1 02:00 L"), ("-WL", "1:30 L"), ("-WP", "25.00% L")):
            [line] = await lines(cluster, "bjobs", option, "-noheader", "1")
            assert " ".join(line.split()).endswith(last)


async def owner(cluster: Cluster) -> str:
    return (await cluster.ran("id", "-un")).out.strip()


async def test_formats_of_bjobs(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        await jobs_of_all_kinds(cluster)
        aiida = "id stat exit_reason exec_host user slots max_req_proc exec_host queue finish_time start_time"
        more = '%complete submit_time name delimiter="|"'
        [line] = await lines(cluster, "bjobs", "-noheader", "-o", f"{aiida} {more}", "1")
        name = await owner(cluster)
        assert line.split("|") == [
            *("1", "RUN", "-", "4*node001:4*node002", name, "8", "8", "4*node001:4*node002", "default"),
            *("Jan  1 02:00 L", "Jan  1 00:00", "25.00% L", "Jan  1 00:00", "a_long_name"),
        ]
        assert await lines(cluster, "bjobs", "-o", "jobid:5 stat:-6 job_name:6", "1", "4") == [
            "JOBID   STAT JOB_NA",
            "1        RUN *_name",
            "4      PSUSP held  ",
        ]
        assert await lines(cluster, "bjobs", "-noheader", "-o", "jobid jobindex stat", "2") == [
            *("2 1 RUN", "2 2 RUN", "2 3 PEND", "2 4 PEND"),
        ]
        fields = "command run_time runtimelimit proj_name dependency nreq_slot sub_cwd exit_code delimiter=^"
        [line] = await lines(cluster, "bjobs", "-noheader", "-o", fields, "3")
        assert line == "sleep 4^-^60.0^proj^done(1)^1^/w^-"
        [line] = await lines(cluster, "bjobs", "-noheader", "5", LSB_BJOBS_FORMAT="jobid output_file")
        assert line == "5 lsf-5.out"
        every = await cluster.ran("bjobs", "-o", "all delimiter=';'", "1")
        header, row = (part.split(";") for part in every.lines)
        assert len(header) == len(row) > 80
        wrong = await cluster.ran("bjobs", "-o", "nothing")
        assert wrong == Ran("", "Unknown field name: nothing\n", 255)


@pytest.mark.deep
async def test_json_of_bjobs(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        await jobs_of_all_kinds(cluster)
        fields = "JOBID STAT EXIT_REASON KILL_REASON SUSPEND_REASON"
        done = await cluster.ran("bjobs", "-o", fields, "-json", "-a", "1", "5", "99")
        assert (done.code, done.err) == (0, "")
        empty = {"EXIT_REASON": "", "KILL_REASON": "", "SUSPEND_REASON": ""}
        assert json.loads(done.out) == {
            "COMMAND": "bjobs",
            "JOBS": 3,
            "RECORDS": [
                {"JOBID": "1", "STAT": "RUN", **empty},
                {"JOBID": "5", "STAT": "DONE", **empty},
                {"JOBID": "99", "ERROR": "Job <99> is not found"},
            ],
        }
        plain = json.loads((await cluster.ran("bjobs", "-json", "-u", "all")).out)
        assert [one["JOBID"] for one in plain["RECORDS"]] == ["1", "2", "2", "2", "2", "3", "4"]
        assert plain["RECORDS"][-1]["JOB_NAME"] == "held"


@pytest.mark.deep
async def test_which_jobs_are_listed(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        nothing = await cluster.ran("bjobs")
        assert nothing == Ran("", "No unfinished job found\n", 0)
        await jobs_of_all_kinds(cluster)

        async def numbers(*words: object) -> str:
            done = await cluster.ran("bjobs", "-noheader", "-o", "jobid", *words)
            return " ".join(dict.fromkeys(done.out.split()))

        for words, found in (
            ((), "1 2 3 4"),
            (("-a",), "1 2 3 4 5"),
            (("-d",), "5"),
            (("-r",), "1 2"),
            (("-p",), "2 3"),
            (("-s",), "4"),
            (("-rd",), "1 2 5"),
            (("-u", "nobody"), ""),
            (("-u", "all"), "1 2 3 4"),
            (("-q", "default"), "1 2 3 4"),
            (("-m", "node002"), "1"),
            (("-P", "proj"), "3"),
            (("-J", "arr"), "2"),
            (("-J", "arr[2]"), "2"),
            (("-aJ", "*or*"), "5"),
            (("-J", "a*"), "1 2"),
            (("0",), "1 2 3 4"),
            (("3", "5"), "3 5"),
        ):
            assert await numbers(*words) == found, words
        await cluster.molokini("clock", "advance", 3600)
        assert "5" not in await numbers("-d"), "what ended an hour ago is listed by its number alone"
        assert await numbers("5") == "5"
        absent = await cluster.ran("bjobs", "99", "x")
        assert absent == Ran("", "x: Illegal job ID\n", 255)
        absent = await cluster.ran("bjobs", "-noheader", "-o", "jobid", "99", "5")
        assert absent == Ran("5\n", "Job <99> is not found\n", 255)


@pytest.mark.deep
async def test_a_long_listing(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        await jobs_of_all_kinds(cluster)
        assert await lines(cluster, "bjobs", "-l", "-UF", "1") == [
            "",
            "Job <1>, Job Name <a_long_name>, User <ann>, Project <default>, Status <RUN>, Queue <default>, "
            "Job Priority <50>, Command <sleep 7200>",
            "Thu Jan  1 00:00:00: Submitted from host <here>, CWD </w>, Output File <lsf-1.out>, 8 Task(s), "
            "Requested Resources <span[ptile=4]>;",
            "Thu Jan  1 00:00:00: Started 8 Task(s) on Host(s) <4*node001> <4*node002>, Execution CWD </w>;",
            "",
            " RUNLIMIT",
            " 120.0 min",
            "",
            "",
            " SCHEDULING PARAMETERS:",
            "           r15s   r1m  r15m   ut      pg    io   ls    it    tmp    swp    mem",
            " loadSched   -     -     -     -       -     -    -     -     -      -      -",
            " loadStop    -     -     -     -       -     -    -     -     -      -      -",
            "",
            " RESOURCE REQUIREMENT DETAILS:",
            " Combined: span[ptile=4]",
            " Effective: span[ptile=4]",
            "",
        ]
        broken = (await cluster.ran("bjobs", "-l", "1")).lines
        assert max(map(len, broken)) == 80
        assert broken[2].startswith(" " * 21)
        pending = await lines(cluster, "bjobs", "-l", "-UF", "3")
        assert " PENDING REASONS:" in pending
        assert "Dependency Condition <done(1)>" in pending[2]
        ended = await lines(cluster, "bhist", "-l", "-UF", "5")
        assert ended[1] == "Job <5>, Job Name <short>, User <ann>, Project <default>, Command <true>"
        assert ended[4:] == [
            "Thu Jan  1 00:01:00: Done successfully. The CPU time used is 0.0 seconds.",
            "",
            "Summary of time in seconds spent in various states by  Thu Jan  1 00:01:00",
            "  PEND    PSUSP   RUN     USUSP   SSUSP   UNKWN   TOTAL",
            "  0       0       60      0       0       0       60",
        ]
        assert await lines(cluster, "bhist", "4", "1") == [
            "Summary of time in seconds spent in various states:",
            "JOBID   USER    JOB_NAME  PEND    PSUSP   RUN     USUSP   SSUSP   UNKWN   TOTAL",
            "1       ann     *ong_name 0       0       1800    0       0       0       1800",
            "4       ann     held      0       1800    0       0       0       0       1800",
        ]
        assert (await cluster.ran("bhist", "99")) == Ran("", "No matching job found\n", 255)


@pytest.mark.deep
async def test_sums_about_jobs_that_have_ended(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        await jobs_of_all_kinds(cluster)
        await cluster.ran("bkill", "4")
        told = await lines(cluster, "bacct")
        assert told[told.index("SUMMARY:      ( time unit: second ) ") :] == [
            "SUMMARY:      ( time unit: second ) ",
            " Total number of done jobs:        1      Total number of exited jobs:      1",
            " Total CPU time consumed:        0.0      Average CPU time consumed:      0.0",
            " Maximum CPU time of a job:      0.0      Minimum CPU time of a job:      0.0",
            " Total wait time in queues:   1800.0",
            " Average wait time in queue:   900.0",
            " Maximum wait time in queue:  1800.0      Minimum wait time in queue:     0.0",
            " Average turnaround time:        930 (seconds/job)",
            " Maximum turnaround time:       1800      Minimum turnaround time:         60",
            " Average hog factor of a job:  0.00 ( cpu time / turnaround time )",
            " Maximum hog factor of a job:   0.00      Minimum hog factor of a job:   0.00",
            " Total Run time consumed:         60      (slots times run time)",
            " Total throughput:              4.00 (jobs/hour)  during    0.50 hours",
            " Beginning time:        Jan  1 00:00      Ending time:           Jan  1 00:30",
        ]
        for words, done in (
            (("-d",), "1"),
            (("-e",), "0"),
            (("-C", "1970/01/01/00:01"), "1"),
            (("-P", "p"), "0"),
        ):
            found = await lines(cluster, "bacct", *words)
            assert next(line for line in found if "done jobs" in line).split()[5] == done, words
        assert any(
            "Accounting information about this job" in line for line in await lines(cluster, "bacct", "-l")
        )


async def test_queues_and_hosts(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        await jobs_of_all_kinds(cluster)
        table = [
            "QUEUE_NAME      PRIO STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN  SUSP ",
            "default           0  Open:Active       -    -    -    -    14     4    10     0",
        ]
        assert await lines(cluster, "bqueues") == table
        assert await lines(cluster, "bqueues", "-noheader", "-o", "queue_name status:-12 pend") == [
            "default  Open:Active 4"
        ]
        long = await lines(cluster, "bqueues", "-l")
        assert long[1:3] == ["QUEUE: default", "  -- This is the default queue."]
        assert await cluster.ran("bqueues", "none") == Ran("", "none: No such queue\n", 255)
        assert await lines(cluster, "bhosts") == [
            "HOST_NAME          STATUS         JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV",
            "node001            closed            -      4      4      4      0      0      0",
            "node002            closed            -      4      4      4      0      0      0",
            "node003            ok                -      4      2      2      0      0      0",
            "node004            ok                -      4      0      0      0      0      0",
        ]
        assert await lines(cluster, "badmin", "hclose", "-C", "why", "node004") == [
            "Host <node004> is closed"
        ]
        assert await lines(cluster, "bhosts", "-o", "host_name:8 status:-8 njobs", "node004") == [
            "HOST_NAM   STATUS NJOBS",
            "node004    closed 0",
        ]
        assert (await lines(cluster, "bhosts", "-w", "-noheader", "node004"))[0].split()[1] == "closed_Adm"
        assert (await lines(cluster, "bhosts", "-l", "node004"))[-2] == " ADMIN ACTION COMMENT: why"
        assert await lines(cluster, "badmin", "hopen", "node004") == ["Host <node004> is opened"]
        assert await lines(cluster, "badmin", "qclose", "default") == ["Queue <default> is closed"]
        closed = await cluster.ran("bsub", "true")
        assert closed == Ran("", "default: Queue is closed. Job not submitted.\n", 255)
        assert await lines(cluster, "badmin", "qinact", "default") == ["Queue <default> is inactivated"]
        assert (await lines(cluster, "bqueues"))[1].split()[2] == "Closed:Inact"
        assert await lines(cluster, "lshosts", "node001") == [
            "HOST_NAME      type    model  cpuf ncpus maxmem maxswp server RESOURCES",
            "node001           -        -   1.0     4      -      -    Yes ()",
        ]
        assert (await cluster.ran("bhosts", "none")).err == "none: No such host/group/cluster\n"


async def test_what_tools_ask_of_the_cluster(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        assert "My cluster name is molokini" in await lines(cluster, "lsid")
        assert (await lines(cluster, "lsclusters", "-w"))[1].split()[0] == "molokini"
        cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        title, *settings = await lines(cluster, "badmin", "showconf", "mbd", **cache)
        assert title == "MBD configuration at Thu Jan  1 00:00:00 1970"
        found = dict(line.strip().split(" = ") for line in settings)
        folder = Path(found["LSF_CONFDIR"].replace("/w", str(tmp_path)))
        params = folder / "lsbatch" / "molokini" / "configdir" / "lsb.params"
        assert "DEFAULT_QUEUE = default\n" in params.read_text()
        own = tmp_path / "own"
        own.mkdir()
        (own / "lsf.conf").write_text("LSF_UNIT_FOR_LIMITS=GB\n")
        told = await lines(cluster, "badmin", "showconf", "mbd", LSF_ENVDIR=str(own))
        assert "        LSF_UNIT_FOR_LIMITS = GB" in told
        assert (own / "lsf.conf").read_text() == "LSF_UNIT_FOR_LIMITS=GB\n", "it is the site's own"
        wrong = await cluster.ran("badmin", "reconfig")
        assert (wrong.code, wrong.out) == (255, "")
        version = await cluster.ran("bjobs", "-V")
        assert version.err.startswith("IBM Spectrum LSF 10.1")
