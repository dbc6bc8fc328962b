"""``schedctl``: stops the scheduler, lets it make some iterations, and resumes it."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.failing import no
from molokini.compat.maui.reading import HELP, at_most, number, read
from molokini.compat.maui.words import count
from molokini.compat.options import option, refused

OPTIONS = (
    HELP,
    option("-s", "[ITERATION]", "stop scheduling now, or after ITERATION; running jobs continue"),
    option("-S", "[COUNT]", "run COUNT iterations now (default: 1), then stop scheduling"),
    option("-r", text="resume"),
    refused("-k", why="end the server's process where it runs (SIGTERM, or Ctrl-C for 'molokini up')"),
    refused("-R", why="the server reads its configuration again at SIGHUP"),
    refused("-l", why="'showconfig -v' lists parameters"),
    refused("-m", "VALUE", "'changeparam' changes parameters"),
    refused("-n", why="use 'diagnose -n' or 'molokini nodes --json' for nodes"),
)
_WHAT = "sSr"


def run(run: Invocation) -> int:
    """Pause, step or resume."""
    given = read(run, OPTIONS)
    chosen = [letter for letter in _WHAT if given.flag(letter)]
    if len(chosen) != 1:
        raise no("schedctl takes one of -s, -S and -r")
    [letter] = chosen
    if letter == "r" and given.words:
        raise no(
            f"schedctl -r {given.words[0][:20]}: it is resumed at once; a later instant is not supported"
        )
    at_most(run, given, 0)
    value = given.one(letter)
    if letter == "r":
        _change(run, {"resume": True})
        run.say("\nscheduling will resume immediately")
    elif letter == "S":
        wanted = _number("-S", value) if value else 1
        _change(run, {"pause_after": wanted, "at_once": True})
        run.say(f"\nscheduling will stop in {count(wanted, 'iteration')}")
    else:
        _stop(run, value)
    return 0


def _stop(run: Invocation, value: str) -> None:
    if not value:
        _change(run, {"pause_after": 0})
        run.say("\nscheduling will stop immediately")
        return
    at, made = _number("-s", value), report(run, "scheduler")["iterations"]
    if at < made:
        raise no(f"schedctl -s {at}: iteration {made} has already run")
    _change(run, {"pause_after": at - made})
    run.say(f"\nscheduling will stop at iteration {at}")


def _number(option: str, text: str) -> int:
    if text.endswith("I"):
        raise no(f"schedctl {option} {text[:20]}: requests of clients are never ignored; leave the I out")
    return number(option, text, 1)


def _change(run: Invocation, asked: dict[str, Any]) -> None:
    run.transport.call("ClusterService", "ChangeScheduling", asked)
