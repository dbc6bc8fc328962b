"""``qsub``: what becomes of its options, and what it says where it cannot submit."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.batch_commands import Cluster, system_variables
from tests.kit.waiting import eventually


async def job(cluster: Cluster, number: int) -> dict[str, Any]:
    """The job as our own command knows it."""
    found = json.loads((await cluster.molokini("job", number, "--json")).out)
    assert isinstance(found, dict)
    return found


async def attributes(cluster: Cluster, name: str) -> dict[str, Any]:
    """All attributes of a job."""
    shown = await cluster.ran("qstat", "-x", "-f", "-F", "json", name)
    assert shown.code == 0, shown.err
    found = json.loads(shown.out)["Jobs"][name]
    assert isinstance(found, dict)
    return found


@pytest.fixture
async def emulated(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with system_variables(tmp_path, "pbs", up=("--nodes", 4, "--procs-per-node", 8)) as cluster:
        yield cluster


async def test_the_id_is_all_that_is_printed_and_every_listing_has_it(emulated: Cluster) -> None:
    (emulated.folder / "a.sh").write_text(
        "#!/bin/sh\n# a remark\n\n#PBS -N first\n#PBS -l nodes=2:ppn=2\ntrue\n#PBS -N no\n"
    )
    done = await emulated.ran("qsub", "a.sh")
    assert done == ("1.molokini\n", "", 0)
    (emulated.folder / "a.sh").unlink()
    found = await attributes(emulated, "1.molokini")
    assert found["Job_Name"] == "first"
    assert found["Resource_List"] == {
        "ncpus": 4,
        "nodect": 2,
        "nodes": "2:ppn=2",
        "place": "scatter",
        "select": "2:ncpus=2",
        "walltime": "01:00:00",
    }


async def test_options_become_fields_and_attributes(emulated: Cluster) -> None:
    words = "-N big -A acct -P proj -q default -p -5 -r n -h -m abe -M ann@x,bob -c n -S /bin/bash -j oe"
    words += " -W group_list=lab -l walltime=1:3:7 -v A=1,B='x,y'"
    script = (
        "#PBS -N small\n#PBS -l select=1:ncpus=2:mpiprocs=2:mem=200mb -l walltime=0:5:0\n#PBS -A no\ntrue\n"
    )
    done = await emulated.ran("qsub", *words.split(), given=script)
    assert done == ("1.molokini\n", "", 0)
    found = await attributes(emulated, "1.molokini")
    wanted = {
        "Job_Name": "big",
        "job_state": "H",
        "queue": "default",
        "Account_Name": "acct",
        "project": "proj",
        "Checkpoint": "n",
        "Hold_Types": "u",
        "Join_Path": "oe",
        "Mail_Points": "abe",
        "Mail_Users": "ann@x,bob",
        "Priority": -5,
        "Rerunable": "False",
        "Shell_Path_List": "/bin/bash",
        "group_list": "lab",
    }
    assert {name: found[name] for name in wanted} == wanted
    assert found["Resource_List"]["walltime"] == "01:03:07"
    assert found["Resource_List"]["select"] == "1:ncpus=2:mpiprocs=2:mem=200mb"
    assert found["Resource_List"]["mem"] == "204800kb"
    assert found["Variable_List"]["A"] == "1"
    assert found["Variable_List"]["B"] == "x,y"
    assert found["Variable_List"]["PBS_O_WORKDIR"] == str(emulated.folder)
    assert found["Output_Path"].endswith(f":{emulated.folder}/big.o1")
    assert found["Error_Path"] == found["Output_Path"]


async def test_paths_arrays_and_commands(emulated: Cluster) -> None:
    here = str(emulated.folder)
    (emulated.folder / "logs").mkdir()
    for words, out, error in (
        (("-J", "1-4:2%1"), f"{here}/STDIN.o1.^array_index^", f"{here}/STDIN.e1.^array_index^"),
        (("-o", "logs/", "-e", "host:/x/err"), f"{here}/logs/2.molokini.OU", "/x/err"),
        (("-o", "logs", "-j", "oe"), f"{here}/logs/3.molokini.OU", f"{here}/logs/3.molokini.OU"),
        (("-o", "100%", "-e", "/dev/null"), f"{here}/100%", "/dev/null"),
        (
            (
                "-N",
                "a/b",
            ),
            f"{here}/a_b.o5",
            f"{here}/a_b.e5",
        ),
        (("-t", "3,5,7", "-o", "/x/^array_index^"), "/x/^array_index^", f"{here}/STDIN.e6.^array_index^"),
    ):
        done = await emulated.ran("qsub", "-h", *words, given="true\n")
        assert done.code == 0, done.err
        found = await attributes(emulated, done.out.strip())
        assert found["Output_Path"].partition(":")[2] == out
        assert found["Error_Path"].partition(":")[2] == error
    assert (await emulated.ran("qsub", "-z", "--", "/bin/echo", "-l", "x")) == ("", "", 0)
    assert (await attributes(emulated, "7.molokini"))["Submit_arguments"] == "-z -- /bin/echo -l x"
    first = await attributes(emulated, "1[].molokini")
    names = ("array", "array_indices_submitted", "array_indices_remaining", "max_run_subjobs")
    assert [first[name] for name in names] == ["True", "1-4:2", "1-4:2", 1]


async def test_torque_names_files_and_elements_its_own_way(emulated: Cluster) -> None:
    words = ("-h", "-t", "1-2", "-o", "/x/$PBS_JOBNAME.${PBS_JOBID}")
    done = await emulated.ran("qsub", *words, given="true\n", MOLOKINI_PBS_DIALECT="torque")
    found = await attributes(emulated, done.out.strip())
    assert found["Output_Path"].partition(":")[2] == "/x/STDIN.1[^array_index^].molokini"
    assert found["Error_Path"].endswith("STDIN.e1-^array_index^")
    assert (await emulated.ran("qsub", "--version", MOLOKINI_PBS_DIALECT="torque")).out.startswith(
        "Version: "
    )


async def test_dependencies_hold_a_job_and_a_job_may_be_held_for_a_time(emulated: Cluster) -> None:
    assert (await emulated.ran("qsub", given="true\n")).out == "1.molokini\n"
    done = await emulated.ran("qsub", "-W", "depend=afterok:1.molokini", given="true\n")
    found = await attributes(emulated, done.out.strip())
    assert (found["job_state"], found["substate"]) == ("H", 22)
    assert found["depend"] == "afterok:1.molokini"
    done = await emulated.ran("qsub", "-a", "203701010000", given="true\n", TZ="UTC")
    found = await attributes(emulated, done.out.strip())
    assert (found["job_state"], found["substate"]) == ("W", 30)
    assert found["Execution_Time"].endswith(" 2037")
    for odd in ("9999", "9999999", "13010000", "202702300000.00"):
        done = await emulated.ran("qsub", "-a", odd, given="true\n")
        wanted = f"qsub: illegal -a value '{odd}': expected [[[[CC]YY]MM]DD]hhmm[.SS]\n"
        assert (done.code, done.err) == (2, wanted)


@pytest.mark.deep
async def test_whole_nodes_are_all_processors_of_each(emulated: Cluster) -> None:
    for words in (("-l", "select=2:ncpus=3:mpiprocs=3,place=scatter:excl"), ("-n", "-l", "nodes=2:ppn=3")):
        done = await emulated.ran("qsub", *words, given="true\n")
        assert done.code == 0, done.err
        shown = await job(emulated, int(done.out.split(".")[0]))
        assert (shown["nodes"], shown["processors_per_node"]) == (2, 8)


REFUSED = (
    (("-q", "nope"), "qsub: Unknown queue\n", 170),
    (("-q", "default@elsewhere"), "qsub: cannot connect to server elsewhere: this one is molokini\n", 2),
    (("-I",), "qsub: -I is not supported: there are no interactive jobs\n", 2),
    (("-R", "oe"), "qsub: -R is not supported: files of output are not removed\n", 2),
    (("-Z",), "qsub: invalid option -- 'Z' (see qsub --help)\n", 2),
    (("-N",), "qsub: option requires an argument -- 'N' (see qsub --help)\n", 2),
    (("a", "b"), "qsub: expected one script, not 'a b'\n", 2),
    (("missing.sh",), "qsub: script file:: No such file or directory\n", 1),
    (("-N", "a b"), "qsub: illegal -N value 'a b': ", 2),
    (("-p", "2000"), "qsub: illegal -p value '2000': ", 2),
    (("-J", "5-1"), "qsub: illegal -J value '5-1': ", 2),
    (("-W", "depend=before:1"), "qsub: Invalid Job Dependency\n", 206),
    (("-W", "depend=synccount:1"), "qsub: illegal -W value: synccount is not supported; ", 2),
    (("-W", "depend=afterok:99"), "qsub: Invalid Job Dependency: ", 206),
    (("-l", "nodes=0"), "qsub: Illegal attribute or resource value Resource_List.nodes: nodes '0': ", 166),
    (("-l", "walltime=-5"), "qsub: Illegal attribute or resource value Resource_List.walltime: ", 166),
    (
        ("-l", "select=1:ncpus=2,ncpus=2"),
        "qsub: Cannot be used with select or place Resource_List.ncpus: ",
        6,
    ),
    (("-l", "odd=1"), "qsub: Unknown resource Resource_List.odd: ", 187),
    (("-l", "select=1:ncpus=9"), "qsub: Job violates queue and/or server resource limits: ", 188),
    (("-l", "select=1:fpga=1"), "qsub: Unknown resource: no generic resource named 'fpga'", 187),
    (("-v", "NOT_THERE"), "qsub: cannot send environment with the job: NOT_THERE is not set\n", 2),
    (("-u", "somebody"), "qsub: illegal -u value 'somebody': ", 2),
)


async def test_what_cannot_be_submitted_is_told_on_the_stream_of_errors(emulated: Cluster) -> None:
    for words, text, code in REFUSED:
        done = await emulated.ran("qsub", *words, given="true\n")
        assert (done.out, done.code) == ("", code), (words, done)
        assert done.err.startswith(text), (words, done.err)
        assert done.err.count("\n") == 1, done.err
    assert (await emulated.ran("qstat", "-x")).out == ""


async def test_scripts(emulated: Cluster) -> None:
    (emulated.folder / "nul").write_bytes(b"#!/bin/sh\n\0\n")
    done = await emulated.ran("qsub", "nul")
    assert (done.code, done.err) == (
        1,
        "qsub: file must be an ascii script: nul: holds a NUL byte: it is no text\n",
    )
    done = await emulated.ran("qsub", given="#!/bin/sh\n\n#PBS -N 'open\ntrue\n")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("qsub: directive error: line 3 of the script: a quotation that does not end")
    for text, why in (("#PBS -Z\n", "invalid option -- 'Z'"), ("#PBS word\n", "'word' is no option")):
        done = await emulated.ran("qsub", given=text)
        assert (done.code, done.err) == (2, f"qsub: directive error: line 1 of the script: {why}\n")
    assert (await emulated.ran("qsub", given="")).out == "1.molokini\n"
    assert (await emulated.ran("qsub", "-C", "#XX", given="#PBS -Z\n#XX -N named\n")).out == "2.molokini\n"
    assert (await attributes(emulated, "2.molokini"))["Job_Name"] == "named"
    assert (await emulated.ran("qsub", given="#BSUB -J x\n#SBATCH -J y\n#PBS -N z\n")).out == "3.molokini\n"
    assert (await attributes(emulated, "3.molokini"))["Job_Name"] == "z"


async def test_odd_names_are_data(emulated: Cluster) -> None:
    for number, name in enumerate(("$(touch${IFS}x)", "`touch`", ";rm", "..", "=x", "é🙂"), 1):
        done = await emulated.ran("qsub", f"-N{name}", given="true\n")
        assert done == (f"{number}.molokini\n", "", 0)
        assert (await attributes(emulated, f"{number}.molokini"))["Job_Name"] == name
    for name in ("a\nb", "\x1b[31m", "", "x" * 10_000):
        assert (await emulated.ran("qsub", "-N", name, given="true\n")).code == 2
    done = await emulated.ran("qsub", "-N", "a\u202eb", given="true\n")
    assert done.code in (2, 166)
    assert not (emulated.folder / "x").exists()


async def test_without_a_server_it_says_so(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "pbs", up=("--nodes", 1)) as cluster:
        assert (await cluster.ran("qstat")) == ("", "", 0)
    done = await cluster.ran("qsub", given="true\n")
    assert (done.out, done.code) == ("", 111)
    assert done.err.startswith("qsub: cannot connect to server (errno=111): ")


async def test_a_real_job_runs_at_home_and_knows_where_it_is(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "pbs", up=("--mode", "process", "--processors", 4)) as cluster:
        home = str(tmp_path / "home")
        Path(home).mkdir()
        script = "cd $PBS_O_WORKDIR; env | grep ^PBS_ | sort > vars; cat $PBS_NODEFILE > nodes\n"
        script += "echo $OMP_NUM_THREADS; exit 3\n"
        words = ("-W", "block=true", "-N", "env", "-v", "HOME", "-l", "select=1:ncpus=4:mpiprocs=2")
        done = await cluster.ran("qsub", *words, given=script, HOME=home)
        assert (done.out, done.code) == ("1.molokini\n", 3)
        found = dict(line.split("=", 1) for line in (tmp_path / "vars").read_text().splitlines())
        wanted = {
            "PBS_ENVIRONMENT": "PBS_BATCH",
            "PBS_JOBID": "1.molokini",
            "PBS_JOBNAME": "env",
            "PBS_QUEUE": "default",
            "PBS_O_WORKDIR": str(tmp_path),
            "PBS_O_HOME": home,
            "PBS_NUM_PPN": "4",
        }
        assert {name: found[name] for name in wanted} == wanted
        assert len((tmp_path / "nodes").read_text().splitlines()) == 2
        assert (tmp_path / "env.o1").read_text() == "4\n"
        assert (tmp_path / "env.e1").read_text() == ""
        done = await cluster.ran(
            "qsub", "-W", "block=true", "-N", "echo", "--", "/bin/echo", "$HOME", "two  words"
        )
        assert (done.out, done.code) == ("2.molokini\n", 0)
        assert (tmp_path / "echo.o2").read_text() == "$HOME two  words\n"
        done = await cluster.ran(
            "qsub", "-J", "5-6", "-N", "many", given="echo $PBS_ARRAY_INDEX $PBS_ARRAYID $PBS_JOBID\n"
        )
        assert done.out == "3[].molokini\n"

        out = [tmp_path / f"many.o3.{k}" for k in (5, 6)]
        await eventually(lambda: all(path.exists() and path.read_text() for path in out))
        assert [path.read_text() for path in out] == ["5 5 3[5].molokini\n", "6 6 3[6].molokini\n"]
