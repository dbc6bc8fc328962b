"""``diagnose``: jobs, nodes, priorities, fairshare, limits and reservations, with what is odd about them."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.failing import no
from molokini.compat.maui.reading import HELP, at_most, read
from molokini.compat.options import option, refused, without_effect

OPTIONS = (
    HELP,
    option("-a", text="accounts: priorities, targets, limits and use; a name: only that one"),
    option("-c", text="classes (queues), as -a"),
    option("-f", text="fairshare; user, group, account, class or qos: only this kind"),
    option("-g", text="groups, as -a"),
    option("-j", text="queued and running jobs, with any problems; a job: only that one"),
    option("-n", text="nodes, with any problems; a node: only that one"),
    option("-p", text="priorities, component by component"),
    option("-q", text="blocked jobs, and why they are blocked"),
    option("-Q", text="qualities of service, as -a"),
    option("-r", text="reservations; a name: that one"),
    option("-R", text="resource managers: the agents of the nodes"),
    option("-s", text="standing reservations"),
    option("-S", text="the scheduler"),
    option("-t", "[PARTITION]", "partitions; with -n and -p: only this one"),
    option("-u", text="users, as -a"),
    without_effect("-v", why="the output is always complete"),
    refused("-l", "LEVEL", "the output has the first rule that blocks each job, at any level"),
    refused("-m", why="there are no frames"),
)
_WHAT = {
    "a": "limits",
    "c": "limits",
    "g": "limits",
    "Q": "limits",
    "u": "limits",
    "f": "fairshare",
    "j": "jobs",
    "n": "nodes",
    "p": "priorities",
    "q": "blocked",
    "r": "reservations",
    "R": "scheduler",
    "s": "reservations",
    "S": "scheduler",
    "t": "partitions",
}


def run(run: Invocation) -> int:
    """Print what one option names."""
    given = read(run, OPTIONS, "[NAME]")
    chosen = [letter for letter in _WHAT if given.flag(letter)]
    if len(chosen) > 1 and "t" in chosen and chosen[0] in "np":
        chosen.remove("t")
    if len(chosen) != 1:
        raise no(f"diagnose takes one of {', '.join(f'-{letter}' for letter in _WHAT)}")
    at_most(run, given, 1)
    letter, name = chosen[0], given.words[0] if given.words else ""
    module = __import__(f"molokini.compat.maui.diagnosing.{_WHAT[letter]}", fromlist=["show"])
    module.show(run, letter, name, given.one("t"))
    return 0
