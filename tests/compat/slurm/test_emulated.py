"""Slurm's commands against an emulated cluster: layouts column by column, options, failures."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, Ran, system_variables
from tests.kit.waiting import DEADLINE_S

DATE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"


@asynccontextmanager
async def slurm(folder: Path, *up: object) -> AsyncIterator[Cluster]:
    """Four nodes of 16 processors, unless *up* says else."""
    async with system_variables(folder, "slurm", up=up or ("--nodes", 4, "--procs-per-node", 16)) as cluster:
        yield cluster


def refused(ran: Ran, *lines: str, code: int = 1) -> None:
    """Nothing on standard output, and exactly *lines* on the stream of errors."""
    assert (ran.out, ran.err.splitlines(), ran.code) == ("", list(lines), code)


async def test_a_queue_as_users_and_tools_see_it(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        run = cluster.ran
        assert await run("sbatch", "--wrap", "sleep 5", "-N4", "--exclusive") == (
            "Submitted batch job 1\n",
            "",
            0,
        )
        assert (await run("sbatch", "--parsable", "-J", "a long name", "-n", 64, "--wrap=true")).out == "2\n"
        assert (await run("sbatch", "-H", "-t", "1-02:03:04", "-A", "physics", "--wrap=true")).code == 0
        assert (await run("sbatch", "--array=2-6%2", "-n16", "--wrap=true")).out == "Submitted batch job 4\n"
        assert (await run("sbatch", "-d", "afterok:1", "--comment=a b", "--wrap=true")).code == 0
        assert (await run("sbatch", "-b", "now+1hour", "--wrap=true")).code == 0
        listed = await run("squeue")
        assert listed.lines[0] == (
            "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)"
        )
        lines = sorted(re.sub(r"\d:\d\d", "TIME", line) for line in listed.lines[1:])
        assert lines == sorted(
            [
                "                 2   default a long n     root PD       TIME      4 (Resources)",
                "                 3   default     wrap     root PD       TIME      1 (JobHeldUser)",
                "         4_[2-6%2]   default     wrap     root PD       TIME      1 (Priority)",
                "                 5   default     wrap     root PD       TIME      1 (Dependency)",
                "                 6   default     wrap     root PD       TIME      1 (BeginTime)",
                "                 1   default     wrap     root  R       TIME      4 node[001-004]",
            ]
        )
        assert (await run("squeue", "-h", "-r", "-o", "%i", "-j", "4")).lines == [
            f"4_{k}" for k in range(2, 7)
        ]
        assert (await run("squeue", "-h", "-j", "4_3,4_5", "-r", "-o", "%i %K %F")).lines == [
            "4_3 3 4",
            "4_5 5 4",
        ]
        polled = await run("squeue", "-O", "JobArrayID,StateCompact,Reason", "-t", "all", "--me")
        assert polled.lines[0] == "JOBID               ST                  REASON              "
        assert f"{'1':<20}{'R':<20}{'None':<20}" in polled.lines
        assert all(len(line.split()) == 3 for line in polled.lines)
        both = await run(
            "squeue", "-h", "-u", "root", "-t", "PD,R", "-o", "%i|%T|%l|%C|%D|%a|%k|%E|%Z", "-S", "i"
        )
        here = str(tmp_path)
        assert both.lines[:3] == [
            f"1|RUNNING|1:00:00|64|4|(null)|(null)|(null)|{here}",
            f"2|PENDING|1:00:00|64|4|(null)|(null)|(null)|{here}",
            f"3|PENDING|1-02:04:00|1|1|physics|(null)|(null)|{here}",
        ]
        assert both.lines[4] == f"5|PENDING|1:00:00|1|1|(null)|a b|afterok:1(unfulfilled)|{here}"
        assert (await run("squeue", "-h", "--format", "%.5j|%3t|", "-j2")).lines == ["a lon|PD |"]
        assert (await run("squeue", "-h", "--name=a long name", "-o%A")).lines == ["2"]
        assert (await run("squeue", "-h", "-A", "physics", "-o%A")).lines == ["3"]
        assert (await run("squeue", "-h", "-p", "other")).out == ""
        assert (await run("squeue", "-h", "-w", "node[003-004]", "-o%i")).lines == ["1"]
        assert (await run("squeue", "-h", "-t", "CD")).out == ""
        refused(await run("squeue", "-j", "99"), "slurm_load_jobs error: Invalid job id specified")
        assert (await run("squeue", "-h", "--jobs=99,99")) == ("", "", 0)
        assert (await run("squeue", "-t", "nix")).err.startswith(
            "squeue: error: Invalid job state specified: nix\n"
        )
        assert re.fullmatch(DATE, (await run("squeue", "-h", "-j1", "-o%S")).lines[0])
        assert (await run("squeue", "-h", "-j1", "-o%S", SLURM_TIME_FORMAT="%Y")).lines[0].isdigit()
        assert (await run("squeue", "-h", "-j1", SQUEUE_FORMAT="%j")).lines == ["wrap"]
        waiting = await run("squeue", "--start", "-j", "2")
        assert re.match(rf" +2   default a long n     root PD {DATE}", waiting.lines[1])
        told = json.loads((await run("squeue", "--json", "-j", "1,4")).out)
        assert {one["job_state"] for one in told["jobs"]} == {"RUNNING", "PENDING"}
        assert told["jobs"][1]["array_task_string"] == "2-6%2"
        assert told["jobs"][0]["nodes"] == "node[001-004]"


@pytest.mark.deep
async def test_what_is_cancelled_held_and_changed(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        run = cluster.ran
        for _ in range(2):
            await run("sbatch", "-N4", "--exclusive", "--wrap=true")
        await run("sbatch", "--array=0-3", "-N4", "--exclusive", "-J", "many", "--wrap=true")

        async def state(*jobs: str) -> list[str]:
            found = await run("sacct", "-nPX", "-o", "JobID,State", "-j", ",".join(jobs))
            return found.lines

        assert await run("scancel", "99") == ("", "", 0)
        told = await run("scancel", "-v", "99")
        assert told.err.splitlines() == [
            "scancel: Terminating job 99",
            "scancel: error: Kill job error on job id 99: Invalid job id specified",
        ]
        refused(await run("scancel"), "scancel: error: No job identification provided")
        refused(
            await run("scancel", "x"),
            "scancel: error: Invalid job id x",
        )
        assert await run("scontrol", "hold", "2") == ("", "", 0)
        assert (await run("squeue", "-h", "-j2", "-o%t %r")).lines == ["PD JobHeldAdmin"]
        assert (await run("scontrol", "release", "2")).code == 0
        assert (await run("scontrol", "uhold", "2")).code == 0
        assert (await run("squeue", "-h", "-j2", "-o%t %r")).lines == ["PD JobHeldUser"]
        assert (await run("scontrol", "release", "2")).code == 0
        changed = await run("scontrol", "update", "JobId=2", "TimeLimit=30", "Name=other", "Comment=it's")
        assert changed == ("", "", 0)
        assert (await run("squeue", "-h", "-j2", "-o%l|%j|%k")).lines == ["30:00|other|it's"]
        refused(
            await run("scontrol", "update", "JobId=2", "Shoes=red"),
            "Update of this parameter is not supported: Shoes=red",
            "Request aborted",
        )
        assert (await run("scancel", "3_2")) == ("", "", 0)
        assert (await run("squeue", "-h", "-j3", "-o%i")).lines == ["3_[0-1,3]"]
        assert await run("scancel", "-n", "many", "-t", "PENDING") == ("", "", 0)
        assert (await run("squeue", "-h", "-j3", "-o%i")).lines == []
        assert await run("scancel", "1", "2") == ("", "", 0)
        assert sorted(await state("1", "2")) == ["1|CANCELLED by 0", "2|CANCELLED by 0"]
        assert await run("scancel", "-Q", "1") == ("", "", 0)
        error = "scancel: error: Kill job error on job id"
        assert (await run("scancel", "-s", "USR1", "1", "99")).err.splitlines() == [
            f"{error} 1: Job/step already completing or completed",
            f"{error} 99: Invalid job id specified",
        ]
        assert (await run("squeue", "-h")).out == ""
        assert (await run("squeue", "-h", "-t", "all", "-j1", "-o", "%i %t")).lines == ["1 CA"]


async def test_accounting(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        run = cluster.ran
        await run("sbatch", "-J", "a rather long name", "-A", "physics", "-n2", "--wrap=true", "--wckey", "k")
        await run("sbatch", "-H", "--array=1-3%2", "--wrap=true")
        table = await run("sacct")
        assert table.lines == [
            "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode ",
            "------------ ---------- ---------- ---------- ---------- ---------- -------- ",
            "1            a rather +    default    physics          2    RUNNING      0:0 ",
            "1.batch           batch               physics          2    RUNNING      0:0 ",
            "2_[1-3%2]          wrap    default                     0    PENDING      0:0 ",
        ]
        assert (await run("sacct", "-X", "-n", "-o", "jobid,state%20", "-j", "1")).lines == [
            "1                         RUNNING "
        ]
        assert (await run("sacct", "-P", "-X", "-o", "JobID,State,NodeList", "-j", "1", "-j", "2")).lines == [
            "JobID|State|NodeList",
            "1|RUNNING|node001",
            "2_[1-3%2]|PENDING|None assigned",
        ]
        assert (await run("sacct", "-p", "-n", "-X", "-o", "user,wckey,reqmem", "-j1")).lines == ["root|k|0|"]
        left = await run("sacct", "-n", "-X", "-o", "nodelist%-20", "-j1")
        assert left.lines == ["node001" + " " * 14]
        assert (await run("sacct", "-nX", "-s", "PD", "-o", "jobid%-12")).lines[0].strip() == "2_[1-3%2]"
        assert (await run("sacct", "-nXP", "-o", "jobid", "--name", "wrap")).lines == ["2_[1-3%2]"]
        assert (await run("sacct", "-nX", "-A", "biology")).out == ""
        window = ("-S", "now-1hour", "-E", "now")
        assert (await run("sacct", "-nXP", "-o", "jobid", *window, "-j", "1")).lines == ["1"]
        assert (await run("sacct", "-nXP", "-S", "2001-01-01", "-E", "2001-01-02")).out == ""
        refused(await run("sacct", "-o", "shoes"), 'sacct: error: Invalid field requested: "shoes"')
        refused(
            await run("sacct", "-nu", "root", "-o", "Account%256", "|", "tail", "-1"),
            "sacct: invalid option -- '1'",
        )
        words = (await run("sacct", "--helpformat")).out.split()
        everything = await run("sacct", "--parsable", "--format", ",".join(words), "--jobs=1")
        assert [line.count("|") for line in everything.lines[:2]] == [len(words)] * 2
        told = json.loads((await run("sacct", "--json", "-j1")).out)
        assert told["jobs"][0]["state"] == {"current": "RUNNING", "reason": "None"}
        assert [step["step"]["id"] for step in told["jobs"][0]["steps"]] == ["batch"]


@pytest.mark.deep
async def test_nodes_and_partitions(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        run = cluster.ran
        await run("sbatch", "-n", 4, "--wrap=true")
        assert (
            await run("scontrol", "update", "NodeName=node003", "State=DRAIN", "Reason=new disk")
        ).code == 0
        assert (await run("sinfo")).lines == [
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST",
            "default*     up   infinite      1  drain node003",
            "default*     up   infinite      1    mix node001",
            "default*     up   infinite      2   idle node[002,004]",
        ]
        assert (await run("sinfo", "-o", "%P")).lines == ["PARTITION", "default*"]
        assert (await run("sinfo", "-h", "-o", "%R %a %D %C %F")).lines == ["default up 4 4/44/16/64 1/2/1/4"]
        assert (await run("sinfo", "-N", "-h")).lines[0] == "node001        1  default* mix   "
        assert (await run("sinfo", "-h", "-t", "idle", "-o%N")).lines == ["node[002,004]"]
        assert (await run("sinfo", "-h", "-R", "-o", "%E|%N")).lines == ["new disk|node003"]
        assert (await run("sinfo", "-h", "-p", "nix")).out == ""
        nodes = json.loads((await run("sinfo", "--json")).out)["nodes"]
        assert [(one["name"], one["state"], one["state_flags"]) for one in nodes[1:3]] == [
            ("node002", "idle", []),
            ("node003", "idle", ["DRAIN"]),
        ]
        shown = await run("scontrol", "-o", "show", "node", "node003")
        assert "CPUAlloc=0 CPUEfctv=16 CPUTot=16" in shown.out
        assert "State=IDLE+DRAIN" in shown.out
        assert "Reason=new disk" in shown.out
        assert (await run("scontrol", "show", "partition")).lines[0] == "PartitionName=default"
        assert await run("scontrol", "show", "partition", "nix") == ("Partition nix not found\n", "", 1)
        assert await run("scontrol", "show", "node", "nix") == ("Node nix not found\n", "", 1)
        config = await run("scontrol", "show", "config")
        assert "MinJobAge               = 300 sec" in config.lines
        assert any(re.fullmatch(r"MaxArraySize +  *= \d+", line) for line in config.lines)
        assert (await run("scontrol", "show", "hostnames", "n[1-2],x")).lines == ["n1", "n2", "x"]
        listed = await run("scontrol", "show", "hostnames", SLURM_JOB_NODELIST="a[08-10]")
        assert listed.lines == ["a08", "a09", "a10"]
        assert (await run("scontrol", "show", "hostlist", "n3,n1,n2")).lines == ["n[1-3]"]
        assert re.fullmatch(r"Slurmctld\(primary\) at \S+ is UP\n", (await run("scontrol", "ping")).out)
        refused(
            await run("scontrol", "reconfigure"),
            "slurm_reconfigure error: this server has no configuration to read again",
        )
        assert (await run("scontrol", "--version")).out == "slurm-wlm 22.05.8\n"
        job = await run("scontrol", "show", "job", "-o", "1")
        words = dict(word.split("=", 1) for word in job.out.split() if "=" in word)
        assert words["JobId"] == "1"
        assert words["UserId"] == "root(0)"
        assert (words["NumNodes"], words["NumCPUs"], words["NumTasks"], words["CPUs/Task"]) == (
            "1",
            "4",
            "4",
            "1",
        )
        assert (words["JobState"], words["ExitCode"], words["Partition"]) == ("RUNNING", "0:0", "default")
        assert len(job.lines) == 1
        refused(await run("scontrol", "show", "job", "9"), "slurm_load_jobs error: Invalid job id specified")
        refused(await run("scontrol", "shoes"), "invalid keyword: shoes")
        assert (await run("sprio")).lines[0].split()[:3] == ["JOBID", "PARTITION", "PRIORITY"]
        assert (await run("sdiag")).out.count("sdiag output at") == 1
        assert (await run("sacctmgr", "-n", "list", "cluster", "format=cluster%20")).lines[
            0
        ].strip() == "molokini"
        assert (await run("sacctmgr", "add", "user", "x")).code == 1
        refused(
            await run("salloc", "-n2"),
            "salloc: error: interactive allocations are not supported: submit a job with sbatch or srun",
        )


async def test_accounts_are_those_that_jobs_name(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        run = cluster.ran
        await run("sbatch", "-A", "physics", "--wrap=true")
        listed = await run("sacctmgr", "-n", "-s", "list", "user", "root", "format=account%256")
        assert [line.strip() for line in listed.lines] == ["physics"]
        shares = await run("sshare", "-U", "--format", "Account%256", "--noheader")
        assert [line.strip() for line in shares.lines] == ["physics"]


async def test_scripts_and_their_options(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        run = cluster.ran

        async def wrong(text: str, *lines: str, code: int = 1) -> None:
            (tmp_path / "wrong.sh").write_text(text)
            refused(await run("sbatch", "wrong.sh"), *lines, code=code)

        (tmp_path / "good.sh").write_text(
            "#!/bin/sh\n# a remark\n#SBATCH --job-name='it is' -n 3\n#SBATCH --time 7 # seven\n"
            "#SBATCH --exclusive=user\n\n#SBATCH -p default\ntrue\n#SBATCH --nix\n"
        )
        assert (await run("sbatch", "good.sh")).code == 0
        assert (
            await run("sbatch", "-n2", "good.sh", SBATCH_JOB_NAME="by variable", SBATCH_TIMELIMIT="9")
        ).code == 0
        assert (await run("sbatch", "-J", "by line", "good.sh", SBATCH_JOB_NAME="by variable")).code == 0
        wanted, found = ["it is|7:00|16", "by variable|9:00|16", "by line|7:00|16"], list[str]()
        async with asyncio.timeout(DEADLINE_S):
            # One that waits shows the processors that it asks for; each runs on a node of its own.
            while any(line.endswith("|1") for line in found) or not found:
                found = (await run("squeue", "-h", "-o", "%j|%l|%C", "-S", "i")).lines
        assert found == wanted
        assert (await run("sbatch", given="#!/bin/sh\ntrue\n")).out == "Submitted batch job 4\n"
        assert (await run("sbatch", "/dev/stdin", given="#!/bin/sh\ntrue\n")).out == "Submitted batch job 5\n"
        await wrong(
            "echo\n",
            "sbatch: error: This does not look like a batch script.  The first",
            "sbatch: error: line must start with #! followed by the path to an interpreter.",
            "sbatch: error: For instance: #!/bin/sh",
        )
        await wrong("", "sbatch: error: Batch script is empty!")
        await wrong(
            "#!/bin/sh\r\n",
            "sbatch: error: Batch script contains DOS line breaks (\\r\\n)",
            "sbatch: error: instead of expected UNIX line breaks (\\n).",
        )
        await wrong(
            "#!/bin/sh\n#SBATCH -J 'x\n",
            "sbatch: error: line 2 of the script: a quotation that does not end: -J 'x",
        )
        await wrong(
            "#!/bin/sh\n#SBATCH --nix\n",
            "sbatch: line 2 of the script: unrecognized option '--nix'",
            'Try "sbatch --help" for more information',
            code=255,
        )
        refused(await run("sbatch", "none.sh"), "sbatch: error: Unable to open file none.sh")
        refused(
            await run("sbatch", "--wrap=true", "arg"),
            "sbatch: error: Script arguments not permitted with --wrap option",
        )
        several = "submit each component as a job of its own"
        refused(
            await run("sbatch", "-n1", ":", "-n2", "--wrap=true"),
            f"sbatch: error: heterogeneous jobs are not supported (':' on the command line); {several}",
        )
        (tmp_path / "het.sh").write_text("#!/bin/sh\n#SBATCH -n1\n#SBATCH hetjob\n#SBATCH -n2\n")
        het = "'#SBATCH hetjob', line 3 of the script"
        refused(
            await run("sbatch", "het.sh"),
            f"sbatch: error: heterogeneous jobs are not supported ({het}); {several}",
        )
        script = await run("scontrol", "write", "batch_script", "4", "-")
        assert script.out == "#!/bin/sh\ntrue\n"


async def test_what_cannot_be_submitted(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:

        async def no(*words: object, said: str = "", why: str = "", code: int = 1) -> None:
            ran = await cluster.ran("sbatch", *words, "--wrap=true")
            assert (ran.out, ran.code) == ("", code)
            lines = ran.err.splitlines()
            assert said in lines[0]
            assert lines[-1] == (f"sbatch: error: {why}" if why else lines[0])

        failed = "Batch job submission failed: "
        await no(
            "-p",
            "nix",
            said="invalid partition specified: nix",
            why=f"{failed}Invalid partition name specified",
        )
        shape = f"{failed}Requested node configuration is not available"
        await no("-n", 1000, said="1000", why=shape)
        await no("-N", 9, said="", why=shape)
        await no("-C", "nix", said="no feature named 'nix'", why=f"{failed}Invalid feature specification")
        gres = "Invalid generic resource (gres) specification"
        await no("--gres=gpu:1", said="no generic resource named 'gpu'", why=gres)
        await no("-d", "afterok:77", said="77", why=f"{failed}Job dependency problem")
        await no("-d", "expand:1", said="expand", why=f"{failed}Job dependency problem")
        await no("--array=5-1", said="5-1", why=f"{failed}Invalid job array specification")
        await no("--array=0-999999999", why=f"{failed}Invalid job array specification")
        await no("--reservation=nix", said="nix", why=f"{failed}Requested reservation is invalid")
        for number in ("0", "-1", "2147483648", "1e400", "x", ""):
            await no(
                f"-n{number}" if number else "--ntasks=",
                said=f'Invalid numeric value "{number}" for --ntasks.',
            )
        await no("-N0", said='"0" is not a valid node count', code=255)
        await no("-N3-2", said="Maximum node count 2 is less than minimum node count 3", code=255)
        await no("-t", "1:2:3:4", said="Invalid --time specification", code=255)
        await no("--mem=10 G B", said="Invalid --mem specification", code=255)
        only = "sbatch: fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive."
        await no("--mem=1G", "--mem-per-cpu=1G", said=only)
        await no("--begin=yesterday", said="yesterday", why="Invalid --begin specification", code=255)
        await no("--open-mode=x", said="Invalid --open-mode specification", code=255)
        await no("--mail-type=bogus", said="Invalid --mail-type specification", code=255)
        await no("--deadline=now-1hour", said=f"{failed}Requested time limit is invalid")
        await no("--nice=99999", said="--nice 99999: must be from -1023 to 1024")
        await no("--signal=NIX@5", said="Invalid --signal specification", code=255)
        await no("-w", "node001", said="-w is not supported: nodes cannot be named")
        await no("--licenses=a", said="no licence named 'a'", why=f"{failed}Invalid license specification")
        await no("--licenses=a:0", said=f"{failed}Invalid license specification")
        gone = "'elsewhere' can't be reached now, or it is an invalid entry for --cluster.  "
        gone += "Use 'sacctmgr list clusters' to see available clusters."
        await no("-M", "elsewhere", said="No cluster 'elsewhere' known by database.", why=gone)
        await no("-C", "a|b", said="no feature named 'a'", why=f"{failed}Invalid feature specification")
        assert (await cluster.ran("squeue", "-h")).out == ""
        ran = await cluster.ran("sbatch", "--parsable", "-M", "molokini", "--wrap=true")
        assert ran.out == "1;molokini\n"
        when = await cluster.ran("sbatch", "--test-only", "-n4", "--wrap=true")
        where = r"using 4 processors on nodes node\[001-004\] in partition default"
        assert re.fullmatch(
            rf"sbatch: Job 0 to start at {DATE} {where}\n",
            when.err,
        )
        assert (when.out, when.code) == ("", 0)
        assert (await cluster.molokini("queues", "small", "--set", "max_jobs=1")).code == 0
        assert (await cluster.ran("sbatch", "-p", "small", "-H", "--wrap=true")).code == 0
        full = "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
        await no(
            "-p",
            "small",
            said="at most 1 unfinished job in queue small; submit it again when one has ended",
            why=f"{failed}{full}",
        )
        nobody = await cluster.ran("squeue", MOLOKINI_GATEWAY="unix:/none", MOLOKINI_TIMEOUT_S="0.2")
        assert nobody.err.startswith("squeue: error: Unable to contact slurm controller (connect failure)")
        assert nobody.code == 1


async def test_a_job_id_is_in_every_listing_once_it_is_printed(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        for number in range(1, 6):
            assert (await cluster.ran("sbatch", "--parsable", "-H", "--wrap=true")).out == f"{number}\n"
            for command in (
                ("squeue", "-h", "-o%i", f"-j{number}"),
                ("sacct", "-nXPo", "JobID", f"-j{number}"),
            ):
                assert (await cluster.ran(*command)).out == f"{number}\n"
