"""Values that cannot be meant, in all batch systems: the line of the real command and its exit code.

What stands in the table comes from the man pages and from a real Slurm 22.05 (docs/beside-slurm.md); the rest
of a longer line is ours, and says what may stand there.
"""

import os
from collections.abc import Iterator

import pytest

from molokini.testing import Cluster, cluster
from tests.compat.test_bad_input import said

BEYOND = "99999999999999999999"
"""A job id beyond 32 bits, and beyond 64."""
DEEP = "(" * 50 + "done(1)"
COLUMNS = ",".join(["nosuch"] * 10_000)
LETTERS = "%i " * 10_000
_NO_JOB = "slurm_load_jobs error: Invalid job id specified"
_NO_DEPENDENCY = "sbatch: error: Batch job submission failed: Job dependency problem"
_NO_FEATURE = "sbatch: error: Batch job submission failed: Invalid feature specification"
_NO_ARRAY = "sbatch: error: Batch job submission failed: Invalid job array specification"

ROWS: list[tuple[str, list[str], str, int]] = [
    # Ids beyond what a job can have, and what is none.
    ("slurm", ["squeue", "-j", "4294967296"], "squeue: error: Invalid job id: 4294967296", 1),
    ("slurm", ["squeue", "-j", "99999999999"], _NO_JOB, 1),
    ("slurm", ["squeue", "-j", BEYOND], _NO_JOB, 1),
    ("slurm", ["squeue", "-j", "abc"], "squeue: error: Invalid job id: abc", 1),
    ("slurm", ["squeue", "-j", "0"], "squeue: error: Invalid job id: 0", 1),
    ("slurm", ["squeue", "-j", "999999"], _NO_JOB, 1),
    ("slurm", ["scontrol", "show", "job", BEYOND], _NO_JOB, 1),
    ("slurm", ["scontrol", "show", "job", "abc"], "scontrol_print_job error: Invalid job id specified", 1),
    ("slurm", ["scontrol", "hold", BEYOND], "Invalid job id specified for job", 1),
    ("slurm", ["scontrol", "requeue", BEYOND], "Invalid job id specified for job", 1),
    ("slurm", ["scontrol", "update", f"JobId={BEYOND}", "Name=x"], "Invalid job id specified for job", 1),
    ("slurm", ["scancel", "abc"], "scancel: error: Invalid job id abc", 1),
    ("slurm", ["sacct", "-j", "abc"], "sacct: fatal: Bad job/step specified: abc", 1),
    ("slurm", ["sbatch", "-d", "afterok:4294967296", "--wrap", "true"], _NO_DEPENDENCY, 1),
    ("slurm", ["sbatch", "-d", f"afterok:{BEYOND}", "--wrap", "true"], _NO_DEPENDENCY, 1),
    ("pbs", ["qstat", BEYOND], f"qstat: illegally formed job identifier: {BEYOND}", 1),
    ("pbs", ["qstat", "-f", BEYOND], f"qstat: illegally formed job identifier: {BEYOND}", 1),
    ("pbs", ["qstat", "4294967296"], "qstat: Unknown Job Id 4294967296", 153),
    ("pbs", ["qstat", "999999"], "qstat: Unknown Job Id 999999", 153),
    ("pbs", ["qstat", "abc"], "qstat: Unknown queue abc", 170),
    ("pbs", ["qdel", BEYOND], f"qdel: illegally formed job identifier: {BEYOND}", 1),
    ("pbs", ["qdel", "abc"], "qdel: illegally formed job identifier: abc", 1),
    ("pbs", ["qdel", "999999"], "qdel: Unknown Job Id 999999", 153),
    ("pbs", ["qhold", BEYOND], f"qhold: illegally formed job identifier: {BEYOND}", 1),
    ("pbs", ["qalter", "-N", "x", BEYOND], f"qalter: illegally formed job identifier: {BEYOND}", 1),
    ("pbs", ["qsub", "-W", f"depend=afterok:{BEYOND}", "--", "true"], "qsub: illegal -W value: ", 2),
    ("pbs", ["qsub", "-W", "depend=afterok:999999", "--", "true"], "qsub: Invalid Job Dependency", 206),
    ("lsf", ["bjobs", BEYOND], f"{BEYOND}: Illegal job ID", 255),
    ("lsf", ["bjobs", "abc"], "abc: Illegal job ID", 255),
    ("lsf", ["bjobs", "4294967296"], "Job <4294967296> is not found", 255),
    ("lsf", ["bkill", BEYOND], f"{BEYOND}: Illegal job ID", 255),
    ("lsf", ["bkill", "999999"], "Job <999999>: No matching job found", 255),
    ("lsf", ["bstop", BEYOND], f"{BEYOND}: Illegal job ID", 255),
    ("lsf", ["bmod", "-J", "x", BEYOND], f"{BEYOND}: Illegal job ID. Job not modified.", 255),
    ("lsf", ["bhist", BEYOND], f"{BEYOND}: Illegal job ID", 255),
    ("lsf", ["bpeek", BEYOND], f"{BEYOND}: Illegal job ID", 255),
    ("lsf", ["bsub", "-w", f"done({BEYOND})", "true"], f"{BEYOND}: No matching job found. Job not sub", 255),
    ("lsf", ["bsub", "-w", "done(99999)", "true"], "99999: No matching job found. Job not submitted.", 255),
    # Brackets that do not close, and other halves of expressions.
    ("slurm", ["sbatch", "-d", "afterok:(1", "--wrap", "true"], _NO_DEPENDENCY, 1),
    ("slurm", ["sbatch", "-d", "afterok:1?afterok:1,singleton", "--wrap", "true"], _NO_DEPENDENCY, 1),
    *(
        ("slurm", ["sbatch", "-N2", "-C", one, "--wrap", "true"], _NO_FEATURE, 1)
        for one in ("(a", "[a|b", "a*", "&a", "((a))", "[a|b]|c", "a)", "none")
    ),
    ("slurm", ["sbatch", "--array=1,,3", "--wrap", "true"], _NO_ARRAY, 1),
    ("slurm", ["sbatch", "--array=4294967296", "--wrap", "true"], _NO_ARRAY, 1),
    ("pbs", ["qsub", "-W", "depend=afterok:(1", "--", "true"], "qsub: illegal -W value: ", 2),
    (
        "pbs",
        ["qsub", "-l", "select=(1:ncpus=1", "--", "true"],
        "qsub: Illegal attribute or resource value",
        166,
    ),
    ("pbs", ["qsub", "-J", "1,,", "--", "true"], "qsub: illegal -J value", 2),
    ("lsf", ["bsub", "-w", "done(1", "true"], "done(1: Bad dependency condition: a bracket is not cl", 255),
    ("lsf", ["bsub", "-w", DEEP, "true"], f"{DEEP}: Bad dependency condition: a bracket is not closed", 255),
    ("lsf", ["bsub", "-w", "done(1))", "true"], "done(1)): Bad dependency condition: ", 255),
    ("lsf", ["bsub", "-w", "done(1) ||", "true"], "done(1) ||: Bad dependency condition: ", 255),
    ("lsf", ["bsub", "-w", "numdone(1)", "true"], "numdone(1): Bad dependency condition: ", 255),
    (
        "lsf",
        ["bsub", "-R", "rusage[mem=1", "true"],
        "rusage[mem=1: Bad resource requirement syntax. Job",
        255,
    ),
    ("lsf", ["bsub", "-J", "a[1,,3]", "true"], "[]: Bad array index list: ", 255),
    # Formats of ten thousand columns: one line of complaint at most.
    ("slurm", ["squeue", "-O", COLUMNS], "squeue: error: Invalid job format specification: nosuch", 0),
    ("slurm", ["sinfo", "-O", COLUMNS], "sinfo: error: Invalid job format specification: nosuch", 0),
    ("slurm", ["sinfo", "-o", LETTERS], "Invalid node format specification: i", 0),
    ("slurm", ["squeue", "-h", "-t", "R", "-o", LETTERS], "", 0),
    ("slurm", ["sacct", "-o", COLUMNS], 'sacct: error: Invalid field requested: "nosuch"', 1),
    ("lsf", ["bjobs", "-o", COLUMNS.replace(",", " ")], "Unknown field name: nosuch", 255),
    # Users that there are not.
    ("slurm", ["squeue", "-h", "-u", "nosuchuser"], "squeue: error: Invalid user: nosuchuser", 0),
    ("slurm", ["sacct", "-n", "-u", "nosuchuser"], "sacct: error: Invalid user id: nosuchuser", 1),
    ("slurm", ["scancel", "-u", "nosuchuser"], "scancel: error: Invalid user name: nosuchuser", 1),
    ("pbs", ["qstat", "-u", "nosuchuser"], "", 0),
    ("pbs", ["qselect", "-u", "nosuchuser"], "", 0),
    ("pbs", ["qsub", "-u", "nosuchuser", "--", "true"], "qsub: illegal -u value", 2),
    ("lsf", ["bjobs", "-u", "nosuchuser"], "No unfinished job found", 0),
    ("lsf", ["bhist", "-u", "nosuchuser"], "No matching job found", 255),
    # Dates that are none.
    ("slurm", ["sacct", "-S", "2026-13-45"], "Invalid time specification (pos=5): 2026-13-45", 1),
    ("slurm", ["sacct", "-S", "nonsense"], "Invalid time specification (pos=0): nonsense", 1),
    (
        "slurm",
        ["sbatch", "--begin=2026-13-45", "--wrap", "true"],
        "sbatch: error: Invalid --begin specif",
        255,
    ),
    ("slurm", ["sbatch", "--begin=nonsense", "--wrap", "true"], "sbatch: error: Invalid --begin specif", 255),
    ("slurm", ["sbatch", "--deadline=x", "--wrap", "true"], "sbatch: error: Invalid --deadline specif", 255),
    ("slurm", ["scontrol", "update", "JobId=1", "StartTime=x"], "Invalid time specification: x", 1),
    ("pbs", ["qsub", "-a", "209913450000", "--", "true"], "qsub: illegal -a value", 2),
    ("pbs", ["qsub", "-a", "nonsense", "--", "true"], "qsub: illegal -a value", 2),
    ("lsf", ["bsub", "-b", "13:45:99:99", "true"], "13:45:99:99: Bad begin time: ", 255),
    ("lsf", ["bsub", "-b", "nonsense", "true"], "nonsense: Bad begin time: ", 255),
    ("lsf", ["bacct", "-C", "nonsense"], "nonsense: Bad time: ", 255),
]


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with one job, which waits."""
    with cluster(nodes=1, processors=1, policy="fcfs") as made, pytest.MonkeyPatch.context() as patch:
        for name, value in made.variables(os.environ["PATH"]).items():
            patch.setenv(name, value)
        patch.chdir(tmp_path_factory.mktemp("here"))
        made.call("JobService", "Submit", spec={"argv": ["true"], "held": True})
        yield made


@pytest.mark.parametrize(
    ("system", "words", "why", "code"), ROWS, ids=[" ".join(words)[:40] for _, words, _, _ in ROWS]
)
def test_the_line_and_the_exit_code(
    held: Cluster, capsys: pytest.CaptureFixture[str], system: str, words: list[str], why: str, code: int
) -> None:
    before = len(held.jobs())
    _, err, found = said(capsys, system, words[0], words[1:])
    lines = err.splitlines()
    assert found == code
    assert any(line.startswith(why) for line in lines) if why else not lines
    assert len(lines) <= 2
    assert all(len(line) < 500 for line in lines)
    assert len(held.jobs()) == before
