"""What cannot be meant, by every batch system: the verdict of the real command, one line of why, no
traceback.

And what a command does whose reader goes away, or whose user has had enough.
"""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from molokini.compat.tool import ended
from molokini.compat.transport import TIMEOUT
from molokini.testing import Cluster, cluster
from tests.kit.waiting import DEADLINE_S, waited

JOBS = 10_000
SUBMIT = {
    "sbatch": ("slurm", ["--wrap", "true"], (1, 255)),
    "qsub": ("pbs", ["--", "true"], ()),
    "bsub": ("lsf", ["true"], (255,)),
}
"""By command, its batch system, what it runs, and its codes where it refuses.

sbatch has one for options and one for the server's refusals, PBS one for each reason.
"""
ODD_NUMBERS = ["-1", "1e400", "NaN", "1.5.2", "10 G B", "18446744073709551616", "9" * 400]
ODD_ARRAYS = ["0-999999999", "5-1", "1-10:0", "1-2-3", "", "-1", "x"]
ODD_REFERENCES = [
    "x",
    "1[",
    "-1",
    "1_",
    "",
    "99999999999999999999",
    "\x1b[31m1",
    "$(touch here)",
    "1\n2",
    "\udcff",
]


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(nodes=1, processors=1, policy="fcfs") as made, pytest.MonkeyPatch.context() as patch:
        for name, value in made.variables(os.environ["PATH"]).items():
            patch.setenv(name, value)
        patch.chdir(tmp_path_factory.mktemp("here"))
        yield made


def said(
    capsys: pytest.CaptureFixture[str], system: str, command: str, words: Sequence[str]
) -> tuple[str, str, int]:
    """What a command says in this process, and its exit code."""
    code = ended(system, command, words)
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert "internal error" not in err
    assert all(letter.isprintable() or letter in "\n\t" for letter in err)
    return out, err, code


def refused(capsys: pytest.CaptureFixture[str], command: str, words: Sequence[str]) -> str:
    """Why *command* does not submit such a job."""
    system, program, wanted = SUBMIT[command]
    out, err, code = said(capsys, system, command, [*words, *program])
    assert out == ""
    assert err
    assert code in wanted if wanted else code not in (0, 130, 141)
    return err


@pytest.mark.parametrize("number", ODD_NUMBERS)
@pytest.mark.parametrize(
    ("command", "option"),
    [
        *(("sbatch", option) for option in ("-n", "-N", "-c", "--mem", "-G")),
        *(("qsub", option) for option in ("-lselect=", "-lnodes=1:ppn=", "-lmem=", "-lwalltime=", "-p")),
        *(("bsub", option) for option in ("-n", "-W", "-M", "-Rrusage[mem=")),
    ],
)
def test_numbers(
    one: Cluster, capsys: pytest.CaptureFixture[str], command: str, option: str, number: str
) -> None:
    before = len(one.jobs())
    if option == "-p" and number == "-1":
        pytest.skip("a priority may be below 0")
    joined = option.endswith("=")
    word = f"{option}{number}{']' if '[' in option else ''}"
    if joined and command == "bsub":
        refused(capsys, command, [word[:2], word[2:]])
    else:
        refused(capsys, command, [word] if joined else [option, number])
    assert len(one.jobs()) == before


@pytest.mark.parametrize("text", ODD_ARRAYS)
@pytest.mark.parametrize(
    ("command", "words"),
    [("sbatch", ["-a", "{}"]), ("qsub", ["-J", "{}"]), ("qsub", ["-t", "{}"]), ("bsub", ["-J", "name[{}]"])],
    ids=["sbatch", "qsub -J", "qsub -t", "bsub"],
)
def test_arrays(
    one: Cluster, capsys: pytest.CaptureFixture[str], command: str, words: list[str], text: str
) -> None:
    refused(capsys, command, [word.format(text) for word in words])


@pytest.mark.parametrize(
    ("command", "words"),
    [("sbatch", ["-a", "1,3,7-9%2"]), ("qsub", ["-J", "1,3,7-9%2"]), ("bsub", ["-J", "name[1,3,7-9]%2"])],
)
def test_arrays_may_be_lists(
    one: Cluster, capsys: pytest.CaptureFixture[str], command: str, words: list[str]
) -> None:
    system, program, _ = SUBMIT[command]
    assert said(capsys, system, command, [*words, *program])[1:] == ("", 0)
    array = one.jobs()[-1]["spec"]["array"]
    assert (array["indices"], array["running_limit"]) == ([1, 3, 7, 8, 9], 2)


def test_an_order_that_a_plain_policy_does_not_read(one: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is changed, and the policy is named."""
    held = {"argv": ["true"], "held": True}
    numbers = [str(one.call("JobService", "Submit", spec=held)["job_id"]) for _ in range(2)]
    for command in ("btop", "bbot"):
        out, err, code = said(capsys, "lsf", command, [numbers[1]])
        assert (out, code) == ("", 255)
        assert "not supported by the policy fcfs" in err
    out, err, code = said(capsys, "pbs", "qorder", numbers)
    assert (out, code) == ("", 181)
    assert "no rank in a queue" in err


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("sbatch", ["-d", "afterok:999999"]),
        ("sbatch", ["-d", "afterok:" + ":".join(["1"] * 10_000)]),
        ("sbatch", ["-d", "after whatever"]),
        ("qsub", ["-W", "depend=afterok:999999"]),
        ("qsub", ["-W", "depend=" + "x" * 10_000]),
        ("bsub", ["-w", "done(999999)"]),
        ("bsub", ["-w", " && ".join(["done(1)"] * 5000)]),
        ("bsub", ["-w", "(" * 5000]),
    ],
    ids=range(8),
)
def test_dependencies(
    one: Cluster, capsys: pytest.CaptureFixture[str], command: str, words: list[str]
) -> None:
    assert len(refused(capsys, command, words)) < 1000


@pytest.mark.parametrize("reference", ODD_REFERENCES, ids=range(len(ODD_REFERENCES)))
@pytest.mark.parametrize(
    ("system", "words"),
    [
        *(
            ("slurm", line)
            for line in ("squeue -j", "scancel", "scontrol show job", "scontrol hold", "sacct -j")
        ),
        *(("pbs", line) for line in ("qstat", "qdel", "qhold", "qalter -p 1", "tracejob", "qmove default")),
        *(
            ("lsf", line)
            for line in ("bjobs", "bkill", "bhist", "bpeek", "bstop", "bmod -n 1", "bswitch default")
        ),
        *(("maui", line) for line in ("checkjob", "canceljob", "sethold", "showstart", "setspri 1")),
    ],
)
def test_jobs_that_there_are_not(
    one: Cluster, capsys: pytest.CaptureFixture[str], system: str, words: str, reference: str
) -> None:
    command, *more = words.split()
    _, err, code = said(capsys, system, command, [*more, reference])
    # Some list nothing, or all, where the real one does; none may fail in silence.
    assert code == 0 or err


@pytest.mark.parametrize(
    "name", ["$(touch here)", "`touch here`", "; touch here", "../x", "/", "😀", "-lead"]
)
def test_names_are_data(one: Cluster, capsys: pytest.CaptureFixture[str], name: str) -> None:
    out, err, code = said(capsys, "slurm", "sbatch", ["--parsable", "-J", name, "--wrap", "true"])
    assert (err, code) == ("", 0)
    assert one.job(out.strip())["spec"]["name"] == name
    assert os.listdir(".") == []


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "\u202eabc", "x" * 10_000])
@pytest.mark.parametrize(("command", "option"), [("sbatch", "-J"), ("qsub", "-N"), ("bsub", "-J")])
def test_names_that_cannot_be(
    one: Cluster, capsys: pytest.CaptureFixture[str], command: str, option: str, name: str
) -> None:
    assert len(refused(capsys, command, [option, name])) < 1000


SCRIPTS = {
    "nothing": (b"", {"sbatch": "Batch script is empty!", "bsub": "Empty job. Job not submitted."}),
    "no interpreter": (b"echo\n", {"sbatch": "line must start with #!"}),
    "a NUL": (
        b"#!/bin/sh\n\0\n",
        {"sbatch": "contain a NULL character '\\0'.", "qsub": "ascii", "bsub": "NUL"},
    ),
    "lines of DOS": (b"#!/bin/sh\r\necho\r\n", {"sbatch": "DOS line breaks (\\r\\n)"}),
    "no text": (
        bytes(range(128, 256)),
        {"sbatch": "UTF-8", "qsub": "must be an ascii script", "bsub": "UTF-8"},
    ),
    "a quotation": (
        b'#!/bin/sh\n#SBATCH -J "x\n#PBS -N "x\n#BSUB -J "x\n',
        {"sbatch": "line 2", "qsub": "line 3", "bsub": "line 4"},
    ),
    "too long": (
        b"#!/bin/sh\n" + b"x" * (10 << 20),
        {
            "sbatch": "parameter too long",
            "qsub": "Illegal attribute or resource value",
            "bsub": "limits.message_bytes",
        },
    ),
}
"""Of each the bytes, and by command what it says; one that is not named takes it."""


@pytest.mark.quick(one_in=4)
@pytest.mark.parametrize("command", SUBMIT)
@pytest.mark.parametrize("kind", SCRIPTS)
def test_scripts(
    one: Cluster, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, kind: str
) -> None:
    body, says = SCRIPTS[kind]
    system, _, wanted = SUBMIT[command]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body)))
    out, err, code = said(capsys, system, command, [])
    if command not in says:
        assert (code, bool(out), err) == (0, True, "")
    else:
        assert says[command] in err
        assert code in wanted if wanted else code > 0
        assert out == ""


DIRECTIVES = {
    "unknown": ("--zebra", "-zeal", "-Z"),
    "without a value": ("-J", "-J", "-N"),
    "refused": ("--nodelist=x", "-I", "-I"),
    "no option": ("-n 1 word", "-n 1 word", "-z word"),
}
"""What stands in the third line of a script: for sbatch, bsub and qsub."""


@pytest.mark.parametrize(("command", "place"), [("sbatch", 0), ("bsub", 1), ("qsub", 2)])
@pytest.mark.parametrize("kind", DIRECTIVES)
def test_an_option_line_is_named_by_its_number(
    one: Cluster,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    place: int,
    kind: str,
) -> None:
    system, _, wanted = SUBMIT[command]
    prefix = {"sbatch": "#SBATCH", "bsub": "#BSUB", "qsub": "#PBS"}[command]
    script = f"#!/bin/sh\n# a remark\n{prefix} {DIRECTIVES[kind][place]}\n{prefix} -n 1\ntrue\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(script.encode())))
    out, err, code = said(capsys, system, command, [])
    assert "line 3 of the script: " in err
    assert out == ""
    assert code in wanted if wanted else code > 0


@pytest.mark.parametrize("text", ["1:2:3:4:5", "5", "99999:1:1:1:1", "1:60", "::", "1:2:3:4:5:6"])
def test_begin_times_of_lsf(one: Cluster, capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert "Bad begin time" in refused(capsys, "bsub", ["-b", text])


@pytest.mark.parametrize("text", ["", " ", ","])
def test_no_job_is_named(one: Cluster, capsys: pytest.CaptureFixture[str], text: str) -> None:
    error = f"scancel: error: Invalid job id {text}\n"
    assert said(capsys, "slurm", "scancel", [text]) == ("", error, 1)


# Readers that go, and users that have had enough.

LISTINGS = [["squeue"], ["sacct", "-aX"], ["qstat"], ["bjobs", "-u", "all"], ["showq"]]


@pytest.fixture(scope="module")
def many(one: Cluster) -> Cluster:
    """With so many jobs that no pipe takes them all."""
    spec = {"argv": ["true"], "estimate_s": 1e6}
    for first in range(0, JOBS, 1000):
        one.call("JobService", "SubmitMany", specs=[spec] * min(1000, JOBS - first))
    return one


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("words", LISTINGS, ids=lambda words: words[0])
def test_a_reader_that_goes_away(many: Cluster, words: list[str]) -> None:
    line = f"set -o pipefail; {' '.join(words)} | head -1"
    done = subprocess.run(["bash", "-c", line], env=many.environment, capture_output=True, text=True)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")
    assert done.returncode in (0, 141)


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("words", LISTINGS, ids=lambda words: words[0])
def test_output_that_cannot_be_written(many: Cluster, words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, env=many.environment, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.stderr, done.returncode) == (f"{words[0]}: standard output: No space left on device\n", 1)


@pytest.mark.parametrize("words", LISTINGS, ids=lambda words: words[0])
def test_ctrl_c_while_it_waits(many: Cluster, words: list[str], tmp_path: Path) -> None:
    """Its answer is delayed, so that it stands in the middle of its call."""
    method = "GetReport" if words[0] == "showq" else "ListJobs"
    many.faults.delay(method, DEADLINE_S)
    # However late this process gets to send the signal.
    patient = {**many.environment, TIMEOUT: str(DEADLINE_S)}
    try:
        running = subprocess.Popen(
            words, env=patient, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        waited(lambda: many.faults.left(method) == 0)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    finally:
        many.faults.clear()
    assert (out, err, running.returncode) == ("", "", 130)
