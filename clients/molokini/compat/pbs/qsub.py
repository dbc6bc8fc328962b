"""``qsub``: submits a script, what comes on standard input, or a command behind ``--``."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.failures import Refused, UsageError
from molokini.compat.options import Reader, Values, option, refused, without_effect
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.dialect import torque
from molokini.compat.pbs.failing import BAD_DEPENDENCY, failure, refusal
from molokini.compat.pbs.failing import usage as wrong
from molokini.compat.pbs.ids import written
from molokini.compat.pbs.resources import SUPPORTED, BadResource
from molokini.compat.pbs.server import server_name
from molokini.compat.scripts import NoScript, directives, read_input, read_script
from molokini.compat.submitting import submit
from molokini.compat.tool import Failed

PREFIX = "#PBS"

OPTIONS = (
    *USUAL,
    option("-a", "TIME", "start not before [[[[CC]YY]MM]DD]hhmm[.SS]"),
    option("-A", "ACCOUNT", "account"),
    without_effect("-b", "SECONDS", why="MOLOKINI_TIMEOUT_S says how long to wait for the server"),
    option("-c", "WHEN", "checkpoint setting: stored and shown, but no checkpoints are made"),
    option("-C", "PREFIX", "prefix of directives, instead of #PBS"),
    option("-d", "DIR", "the directory in which the job starts (Torque)"),
    refused("-D", "DIR", why="jobs do not change their root directory"),
    option("-e", "PATH", "standard error"),
    without_effect("-E", why="these variables are always set"),
    without_effect("-f", why="it applies to interactive jobs, which are not supported"),
    refused("-F", "ARGUMENTS", why="a script has no arguments; give 'qsub -- PROGRAM ARGUMENTS', or -v"),
    refused("-G", "SESSION", why="there are no interactive jobs"),
    option("-h", text="hold the job"),
    refused("-I", why="there are no interactive jobs"),
    option("-j", "HOW", "join standard output and error: oe, eo or n"),
    option("-J", "X-Y[:Z][%MAX]", "an array"),
    option("-k", "WHAT", "keep output in the home directory: o, e, both, or n; d has no effect"),
    refused("-K", "FILE", why="checkpoints are not kept"),
    option("-l", "RESOURCES", f"resources: {SUPPORTED}", many=True),
    refused("-L", "REQUEST", why="ask by -l nodes= or -l select="),
    option("-m", "EVENTS", "mail events: stored and shown, but no mail is sent"),
    option("-M", "USERS", "mail recipients: stored and shown, but no mail is sent"),
    option("-n", text="allocate whole nodes exclusively to this job (Torque)"),
    option("-N", "NAME", "name of the job"),
    option("-o", "PATH", "standard output"),
    option("-p", "PRIORITY", "from -1024 to 1023; stored and shown"),
    option("-P", "PROJECT", "project; stored and shown"),
    option("-q", "DESTINATION", "queue, @server or queue@server"),
    option("-r", "YN", "whether the job may be rerun: y or n"),
    refused("-R", "FILES", why="files of output are not removed"),
    option("-S", "SHELL", "shell for scripts without #!"),
    option("-t", "LIST[%MAX]", "submit an array (Torque)"),
    refused("-T", "SCRIPT", why="there are no prologues of jobs"),
    option("-u", "USER", "the caller's own name"),
    option("-v", "VARIABLES", "variables to send: NAME or NAME=value, separated by commas", many=True),
    option("-V", text="send all variables"),
    option("-w", "DIR", "the directory for PBS_O_WORKDIR and for output (Torque)"),
    option("-W", "ATTRIBUTES", "depend=, group_list=, block=, umask=022, sandbox=HOME, x=", many=True),
    refused("-x", why="there are no interactive jobs"),
    refused("-X", why="there are no interactive jobs"),
    option("-z", text="print no job id"),
)


def run(run: Invocation) -> int:
    """Submit one job and print its id."""
    own, command = _behind_dashes(run.line)
    given = given_to(run, OPTIONS, "[script | -- program [arguments]]", own)
    if len(given.words) > 1 or (given.words and command):
        raise wrong(run, f"expected one script, not {' '.join(given.words[:3])!r}")
    script = "" if command else _script(run, given)
    prefix = given.one("C", run.variables.get("PBS_DPREFIX", PREFIX))
    if script and prefix:
        given = _with_directives(run, given, script, prefix)
    server = server_name(run)
    spec, block = _spec(run, given, script, command, server)
    number = _submitted(run, spec)
    if not given.flag("z"):
        run.say(written(number, server, array="array" in spec))
    if not block:
        return 0
    from molokini.compat.listing import ended
    from molokini.compat.pbs.states import exit_status

    return exit_status(ended(run, number), torque(run.variables)) & 255


def _behind_dashes(line: Any) -> tuple[list[str], list[str]]:
    """The options, and the command behind ``--``."""
    words = list(line)
    if "--" not in words:
        return words, []
    place = words.index("--")
    return words[:place], words[place + 1 :]


def _script(run: Invocation, given: Values) -> str:
    """The text of the job; an empty one is a job that does nothing, as in PBS."""
    name = given.words[0] if given.words and given.words[0] != "-" else ""
    try:
        return read_script(name) if name else read_input(run.input)
    except NoScript as error:
        if error.kind == "empty":
            return "\n"
        if error.kind in ("missing", "unreadable"):
            raise Failed(f"qsub: script file:: {error.why}", 1) from None
        raise Failed(f"qsub: file must be an ascii script: {error.name}: {error.why}", 1) from None


def _with_directives(run: Invocation, given: Values, script: str, prefix: str) -> Values:
    """*given*, with what the lines of *script* say beside it."""
    try:
        found = Reader(OPTIONS).read_script(directives(script, prefix))
    except (UsageError, ValueError) as error:
        raise wrong(run, f"directive error: {error}") from None
    made = given.behind(found)
    # Of resources the first counts, of variables and attributes the last.
    for field, first, second in (("l", given, found), ("v", found, given), ("W", found, given)):
        if both := [*first.all(field), *second.all(field)]:
            made.given[field] = both
    return made


def _spec(
    run: Invocation, given: Values, script: str, command: list[str], server: str
) -> tuple[dict[str, Any], bool]:
    """The job's specification, and whether to wait for its end."""
    from molokini.compat.pbs.specs import BadOption, Submission, destination

    try:
        queue = destination(given.one("q"), server)
        made = Submission(run, given, server, torque(run.variables), queue)
        return made.spec(script, command, " ".join(run.line)), made.attributes.block
    except BadOption as error:
        raise wrong(run, str(error)) from None
    except BadResource as error:
        raise failure(run, error.number, error.about, str(error)) from None


def _submitted(run: Invocation, spec: dict[str, Any]) -> int:
    from molokini.compat.pbs.depends import BadDependency, before_of, check_others, tell_others

    spec["dependencies"], others = before_of(spec.get("dependencies", ()))
    try:
        check_others(run, others)
        number = submit(run, spec)
        tell_others(run, others, number)
    except Refused as error:
        raise refusal(run, error) from None
    except BadDependency:
        raise failure(run, BAD_DEPENDENCY, "", "") from None
    return number
