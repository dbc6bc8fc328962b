"""``bsub`` as a shell runs it: what it makes of a script, a file and a command; what it refuses, and how."""

import json
from pathlib import Path
from typing import Any

from tests.kit.batch_commands import Cluster, Ran, system_variables

UP = ("--nodes", 4, "--procs-per-node", 4, "--clock", "stepped")
REAL = ("--mode", "process", "--processors", 4)
SUBMITTED = "Job <{}> is submitted to default queue <default>.\n"


async def spec(cluster: Cluster, number: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((await cluster.molokini("job", number, "--json")).out)
    return found


def refused(text: str) -> Ran:
    return Ran("", f"{text}. Job not submitted.\n", 255)


async def test_three_ways_to_submit(tmp_path: Path) -> None:
    script = "#!/bin/bash\n\n#BSUB -J of_script\n#BSUB -n 2\n\necho\n#BSUB -P late\n"
    (tmp_path / "job.sh").write_text(script)
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        assert await cluster.ran("bsub", given=script) == Ran(SUBMITTED.format(1), "", 0)
        # A file need not be executable, and is kept as it is now.
        assert await cluster.ran("bsub", "-J", "of_line", "job.sh") == Ran(SUBMITTED.format(2), "", 0)
        (tmp_path / "job.sh").unlink()
        named = await cluster.ran("bsub", "-q", "default", "-P", "p", "sleep", "5")
        assert named == Ran("Job <3> is submitted to queue <default>.\n", "", 0)
        await cluster.ran("bsub", "echo a > b; exit 3")
        first, second, third, fourth = [await spec(cluster, number) for number in (1, 2, 3, 4)]
        assert (first["name"], first["processors"], first["account"]) == ("of_script", 2, "late")
        assert (second["name"], second["script"]) == ("of_line", script)
        assert (third["name"], third["account"]) == ("sleep 5", "p")
        assert third["script"].endswith("\nsleep 5\n")
        assert (fourth["name"], fourth["requeue"]) == ("echo a > b; exit 3", False)
        assert first["working_directory"] == str(tmp_path)
        assert first["stdout_path"] == "lsf-%j.out"
        quiet = await cluster.ran("bsub", "true", BSUB_QUIET="1")
        assert quiet == Ran("", "", 0)


UNSET = {"indices": [], "own_numbers": False}


async def test_what_options_become(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        words = ("-J", "x[1-9:2]%2", "-n", "4", "-R", "span[ptile=2]", "-R", "rusage[mem=10]", "-W", "1:30")
        more = ("-oo", "o.%J.%I", "-eo", "e/", "-cwd", "new", "-env", "none, A=1", "-H", "-r", "-sp", "40")
        kept = ("-u", "a@b", "-N", "-B", "-G", "g", "-Jd", "why", "-b", "1:00:00", "-M", "1GB")
        (tmp_path / "new").mkdir()
        (tmp_path / "new" / "e").mkdir()
        done = await cluster.ran("bsub", *words, *more, *kept, "true", TZ="UTC")
        assert done == Ran(SUBMITTED.format(1), "", 0)
        made = await spec(cluster, 1)
        assert made["array"] == {"first": 1, "last": 9, "step": 2, "running_limit": 2} | UNSET
        assert (made["processors"], made["nodes"], made["processors_per_node"]) == (4, 2, 2)
        assert (made["memory_kb"], made["estimate_s"], made["requeue"]) == (262144, 5400.0, True)
        assert (made["stdout_path"], made["stderr_path"]) == ("o.%j.%a", "e/%j.%a.err")
        assert made["working_directory"] == str(tmp_path / "new")
        assert made["holds"] == ["user"]
        assert (made["priority"], made["group"], made["comment"]) == (-10, "g", "why")
        assert (made["mail_to"], made["mail_events"]) == (["a@b"], ["begin", "end"])
        assert made["environment"]["A"] == "1"
        assert "HOME" not in made["environment"]
        assert made["environment"]["MOLOKINI_FLAVOUR"] == "lsf"


async def test_conditions_on_other_jobs(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        for _ in range(2):
            await cluster.ran("bsub", "-J", "a b", "true")
        await cluster.ran("bsub", "-w", 'done(1) && ended("a b")', "true")
        wanted = [{"kind": "afterok", "id": 1}, {"kind": "afterany", "id": 2}]
        assert [{**one} for one in (await spec(cluster, 3))["dependencies"]] == wanted
        assert await cluster.ran("bsub", "-w", 'done("nobody")', "true") == refused(
            "nobody: No matching job found"
        )


async def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nul").write_bytes(b"#!/bin/sh\n\0")
    async with system_variables(tmp_path, "lsf", up=UP) as cluster:
        for words, text in (
            (("-q", "nowhere", "true"), "nowhere: No such queue"),
            (("-I", "true"), "-I is not supported: jobs here have no terminal; use -K to wait for the end"),
            (("-J", "x[0-5]", "true"), None),
            (("-W", "soon", "true"), None),
            (("-n", "2000", "true"), None),
            (("-J", "a\nb", "true"), None),
            (("-q",), "bsub: option requires an argument -- q"),
        ):
            done = await cluster.ran("bsub", *words)
            assert (done.out, done.code) == ("", 255), words
            assert done.err.endswith(". Job not submitted.\n"), words
            assert text is None or done == refused(text)
        unknown = await cluster.ran("bsub", "-zeal", "true")
        assert unknown == refused("bsub: illegal option -- zeal\nTry 'bsub -h'")
        assert await cluster.ran("bsub", given="\n") == refused("Empty job")
        assert (await cluster.ran("bsub", given="#!/bin/sh\0")).code == 255
        odd = await cluster.ran("bsub", given="#!/bin/sh\n#BSUB -J 'a\n")
        assert odd.err.startswith("line 2 of the script: a quotation that does not end")
        assert (await cluster.ran("bjobs", "-a")).out == "", "nothing of it was submitted"


async def test_a_job_finds_the_variables_of_lsf(tmp_path: Path) -> None:
    tell = 'echo "$LSB_JOBID|$LSB_JOBINDEX|$LSB_JOBNAME|$LSB_QUEUE|$LS_SUBCWD|$LSB_DJOB_NUMPROC|$GIVEN"'
    async with system_variables(tmp_path, "lsf", up=REAL) as cluster:
        waited = await cluster.ran("bsub", "-K", "-n", "2", "-J", "x", "-o", "out.%J", tell, GIVEN="yes")
        assert (waited.out, waited.code) == (SUBMITTED.format(1), 0)
        assert waited.err.splitlines()[0] == "<<Waiting for dispatch ...>>"
        assert waited.err.splitlines()[-1] == "<<Job is finished>>"
        assert (tmp_path / "out.1").read_text().splitlines()[0] == f"1|0|x|default|{tmp_path}|2|yes"
        await cluster.ran("bsub", "-K", "-J", "y[3-4]", "-o", "out.%J.%I", tell)
        assert (tmp_path / "out.2.4").read_text().splitlines()[0] == f"2|4|y[4]|default|{tmp_path}|1|"
        failed = await cluster.ran("bsub", "-K", "exit 7")
        assert failed.code == 7
        # A name is data: it passes through no shell.
        await cluster.ran("bsub", "-K", "-J", "$(touch made)`touch made`", "true")
        assert not (tmp_path / "made").exists()


async def test_a_report_stands_behind_the_output(tmp_path: Path) -> None:
    """Once a listing says that a job has ended, it is there."""
    async with system_variables(tmp_path, "lsf", up=REAL) as cluster:
        for number, words in enumerate((("-o", "out.%J"), (), ("-o", "out.%J", "-N")), 1):
            await cluster.ran("bsub", "-K", *words, "echo within; exit 4")
            found = (tmp_path / f"{'out.' if words else 'lsf-'}{number}{'' if words else '.out'}").read_text()
            if "-N" in words:
                assert found == "within\n"
                continue
            assert found.startswith("within\n\n-----")
            subject = f"\nSubject: Job {number}: <echo within; exit 4> in cluster <molokini> Exited\n"
            assert subject in found
            assert "\n# LSBATCH: User input\necho within; exit 4\n-----" in found
            assert "\nExited with exit code 4.\n" in found


async def test_one_file_is_added_to_and_one_is_written_anew(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "lsf", up=REAL) as cluster:
        for words, kept in (
            (("-o", "out", "-eo", "err"), ["out"]),
            (("-oo", "out", "-e", "err"), ["err"]),
            (("-oo", "out", "-eo", "err"), []),
            (("-o", "out", "-e", "err"), ["out", "err"]),
        ):
            for name in ("out", "err"):
                (tmp_path / name).write_text("before\n")
            # What a job inherits from one that has submitted it says nothing of its own files.
            await cluster.ran("bsub", "-K", *words, "echo within >&2", MOLOKINI_OPEN_MODE="append")
            assert [one for one in ("out", "err") if "before" in (tmp_path / one).read_text()] == kept
            assert (tmp_path / "err").read_text().endswith("within\n")
