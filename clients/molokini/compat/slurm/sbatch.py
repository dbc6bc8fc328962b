"""``sbatch``."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Values
from molokini.compat.options import Reader, option, refused, without_effect
from molokini.compat.scripts import NoScript, directives, read_input, read_script
from molokini.compat.slurm.common_options import COMMON
from molokini.compat.slurm.general import given_to
from molokini.compat.tool import Failed

OPTIONS = (
    option("-h --help", text="show this help"),
    option("-V --version", text="show the version"),
    option("--usage", text="show this help"),
    *COMMON,
    option(
        "-a --array",
        "INDEXES",
        "submit an array: FIRST-LAST[:STEP] or evenly spaced indices; %N: run at most N at once",
    ),
    option("--export", "NAMES", "ALL, NONE, names, NAME=VALUE: which variables the job gets"),
    refused("--batch", "LIST", "the script runs on the first node of the job"),
    option("--requeue", text="requeue the job if its node fails (default)"),
    option("--no-requeue", text="do not requeue the job"),
    option("--parsable", text="print only the job id; with --clusters followed by ;NAME"),
    option("--test-only", text="only print the expected start; do not submit the job"),
    option("-W --wait", text="wait for the job to end, and return its exit code"),
    option("--wrap", "COMMAND", "run COMMAND by /bin/sh"),
    without_effect("--get-user-env", "[TIME]", "a job gets the variables that --export says"),
    without_effect("--ignore-pbs", why="#PBS lines are never read"),
    without_effect("--wait-all-nodes", "N", "nodes are ready before a job starts"),
    without_effect("--mcs-label", "NAME", "there are no such labels"),
    refused("--export-file", "FILE", "name the variables with --export"),
)

_NOT_A_SCRIPT = (
    "This does not look like a batch script.  The first",
    "line must start with #! followed by the path to an interpreter.",
    "For instance: #!/bin/sh",
)
_STDIN = "/dev/stdin"


def run(run: Invocation) -> int:
    """Submit one job and print its number; with ``--wait``, its exit code."""
    given = given_to(run, OPTIONS, "[script [arguments]]", stops=True)
    script, arguments, name, command = _script(run, given)
    given = _with_defaults(run, given, script)
    from molokini.compat.slurm.specs import Making

    making = Making(run, given, name)
    made = making.spec()
    made["script"] = script
    if arguments:
        made["argv"] = arguments
    making.files(made, "slurm-%A_%a.out" if "array" in made else "slurm-%j.out")
    making.finish(made, command)
    if given.flag("test_only"):
        from molokini.compat.slurm.testing import say_when

        return say_when(run, made)
    number = _submitted(run, made)
    _tell(run, given, number, making.cluster)
    return _ended(run, number) if given.flag("wait") else 0


def _script(run: Invocation, given: Values) -> tuple[str, list[str], str, str]:
    """The script, its arguments, the name of the job, and what was submitted."""
    if given.words and given.words[0] == ":":
        raise Failed(_HETEROGENEOUS.format("':' on the command line"))
    if given.flag("wrap"):
        if given.words:
            raise Failed("sbatch: error: Script arguments not permitted with --wrap option")
        text = f"#!/bin/sh\n# This script was created by sbatch --wrap.\n\n{given.one('wrap')}\n"
        return text, [], "wrap", ""
    path = given.words[0] if given.words else ""
    try:
        text = read_script(path) if path and path != _STDIN else read_input(run.input)
    except NoScript as error:
        raise _no_script(error) from None
    if not text.startswith("#!"):
        raise Failed("\n".join(f"sbatch: error: {line}" for line in _NOT_A_SCRIPT))
    if "\r\n" in text:
        lines = (
            "Batch script contains DOS line breaks (\\r\\n)",
            "instead of expected UNIX line breaks (\\n).",
        )
        raise Failed("\n".join(f"sbatch: error: {line}" for line in lines))
    import os

    name = os.path.basename(path) if path and path != _STDIN else "sbatch" if not path else "stdin"
    return text, given.words[1:], name, os.path.abspath(path) if path and path != _STDIN else ""


_HETEROGENEOUS = (
    "sbatch: error: heterogeneous jobs are not supported ({}); submit each component as a job of its own"
)


def _no_script(error: NoScript) -> Failed:
    if error.kind == "missing":
        return Failed(f"sbatch: error: Unable to open file {error.name}")
    if error.kind == "empty":
        return Failed("sbatch: error: Batch script is empty!")
    if error.kind == "binary" and "NUL" in error.why:
        lines = (
            "The Slurm controller does not allow scripts that",
            "contain a NULL character '\\0'.",
        )
        return Failed("\n".join(f"sbatch: error: {line}" for line in lines))
    return Failed(f"sbatch: error: {error.name}: {error.why}")


def _with_defaults(run: Invocation, given: Values, script: str) -> Values:
    """The options of the command line, then of the environment, then of the script."""
    if any(name.startswith("SBATCH_") for name in run.variables):
        from molokini.compat.slurm.variables import sbatch_values

        given = given.behind(sbatch_values(run.variables))
    if given.flag("wrap"):
        return given
    try:
        found = directives(script, "#SBATCH")
        for line, words in found:
            if words and words[0] in ("hetjob", "packjob"):
                raise Failed(_HETEROGENEOUS.format(f"'#SBATCH {words[0]}', line {line} of the script"))
        return given.behind(Reader(OPTIONS).read_script(found))
    except ValueError as error:
        raise Failed(f"sbatch: error: {error}") from None


def _submitted(run: Invocation, made: dict[str, Any]) -> int:
    from molokini.compat.failures import Refused
    from molokini.compat.submitting import submit

    try:
        return submit(run, made)
    except Refused as error:
        from molokini.compat.slurm.failing import not_submitted

        raise not_submitted(run, error, made) from None


def _tell(run: Invocation, given: Values, number: int, cluster: str) -> None:
    many = given.flag("clusters")
    if given.flag("parsable"):
        run.say(f"{number};{cluster}" if many else str(number))
    elif not given.flag("quiet"):
        run.say(f"Submitted batch job {number}" + (f" on cluster {cluster}" if many else ""))


def _ended(run: Invocation, number: int) -> int:
    """The exit code of the job: of an array the largest, 1 for one that a signal has ended."""
    import sys

    from molokini.compat.slurm.waiting import exit_code

    sys.stdout.flush()
    return exit_code(run, number)
