"""``scontrol``."""

from __future__ import annotations

from molokini.compat._types import Callable, Invocation, Values
from molokini.compat.failures import Refused
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm.general import GENERAL, SHORT_HELP, given_to
from molokini.compat.tool import Failed

OPTIONS = (
    *GENERAL,
    SHORT_HELP,
    option("-a --all", text="all partitions (none are hidden)"),
    option("-d --details", text="with the processors on each node"),
    option("-M --clusters", "NAMES", "this cluster, or all"),
    option("-o --oneliner", text="one line for each record"),
    option("-Q --quiet", text="print no errors"),
    without_effect("-v --verbose", why="there are no further details"),
    without_effect("--hide", why="no partition is hidden"),
    without_effect("--local", why="there is one cluster"),
    without_effect("--federation", why="there is one cluster"),
    without_effect("-F --future", why="there are no future nodes"),
    refused("-u --uid", "USER", "changes are always made as the calling user"),
    refused("--sibling", why="there is one cluster"),
    refused("--json", why="use squeue --json or sinfo --json"),
    refused("--yaml", why="use squeue --json or sinfo --json"),
)
_BEHIND = (
    "COMMAND: show job|node|partition|config|hostnames|hostlist|reservation, update NAME=VALUE ..., hold, "
    "uhold, release, requeue, requeuehold, suspend, resume, top, create|update|delete reservation, wait_job, "
    "write batch_script, listpids, pidinfo, ping, reconfigure, setdebug"
)


def run(run: Invocation) -> int:
    """Show or change."""
    given = given_to(run, OPTIONS, _BEHIND)  # options may stand anywhere
    words = given.words
    if not words:
        raise Failed("scontrol: error: no command was given, and there is no prompt: scontrol COMMAND ...")
    if given.flag("clusters"):
        from molokini.compat.slurm.cluster import check_clusters

        check_clusters(run, given.one("clusters"))
    try:
        return _command(words[0])(run, given, words[1:])
    except Refused as error:
        from molokini.compat.slurm.failing import words as said

        if given.flag("quiet"):
            return 1
        text = said(error)
        if known := _presently(words, error):
            raise Failed(known) from None
        if words[1:] and (error.code == "NOT_FOUND" or error.field == "queue"):
            name = words[1].partition("=")[2] or words[1]
            text = f"{text} for job {name}"
            if words[1].lower().startswith("part"):
                text = f"slurm_update error: {said(error)}"
            if words[0].lower() in ("hold", "uhold", "release"):
                text += "\nslurm_suspend error: Invalid job id specified"
        elif text != str(error):
            text = f"{text}: {error}"
        raise Failed(text) from None


def _presently(words: list[str], error: Refused) -> str:
    """Slurm's words for what the state of a job does not allow; empty where they are the usual ones."""
    if len(words) < 2 or error.code != "FAILED_PRECONDITION":
        return ""
    command, job = words[0].lower(), words[1].partition("=")[2] or words[1]
    if command == "update" and "only while it waits" in str(error):
        return f"Job is no longer pending execution for job {job}"
    if command.startswith("requeue") and error.reason == "does_not_run":
        return f"Job is pending execution for job {job}"
    return ""


def _command(word: str) -> Callable[[Invocation, Values, list[str]], int]:
    """The function of a command, whose name may be cut short."""
    known = _commands()
    name = word.lower()
    if name in known:
        return known[name]
    found = [one for one in known if one.startswith(name)]
    if len({known[one] for one in found}) == 1 and len(name) > 2:
        return known[found[0]]
    raise Failed(f"invalid keyword: {word}")


def _commands() -> dict[str, Callable[[Invocation, Values, list[str]], int]]:
    from molokini.compat.slurm import scontrol_change as change
    from molokini.compat.slurm import scontrol_others as others
    from molokini.compat.slurm import scontrol_reserve as reserve
    from molokini.compat.slurm import scontrol_show as show
    from molokini.compat.slurm.scontrol_update import update

    return {
        "show": show.show,
        "update": update,
        "hold": change.hold,
        "uhold": change.user_hold,
        "release": change.release,
        "requeue": change.requeue,
        "requeuehold": change.requeue_hold,
        "suspend": change.suspend,
        "resume": change.resume,
        "cancel_job": change.cancel,
        "wait_job": change.wait_job,
        "write": show.write,
        "ping": show.ping,
        "reconfigure": change.reconfigure,
        "version": show.version,
        "listpids": others.list_pids,
        "pidinfo": others.pid_info,
        "token": show.not_here,
        "top": others.top,
        "notify": change.not_here,
        "create": reserve.create,
        "delete": reserve.delete,
        "shutdown": change.not_here,
        "takeover": change.not_here,
        "reboot": change.not_here,
        "power": change.not_here,
        "checkpoint": change.not_here,
        "setdebug": others.set_debug,
        "setdebugflags": others.set_debug_flags,
        "schedloglevel": others.log_level,
        "fsdampeningfactor": change.not_here,
        "getaddrs": change.not_here,
        "crontab": change.not_here,
    }
