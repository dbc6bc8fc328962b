"""``profiler``: what Maui's traces tell of users, groups, accounts and classes."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.failing import no
from molokini.compat.maui.reading import HELP, at_most, number, read
from molokini.compat.options import option, refused

_LISTS = "the profile has a line for each; select lines of the output"
OPTIONS = (
    HELP,
    option("-t", "FILE", "the trace: a .trace or statistics file of Maui, a log, or a schedule"),
    option("-n", "N", "at most this many lines per table"),
    refused("-A", "ACCOUNTS", _LISTS),
    refused("-a", "BINS", "accuracies are means; 'showstats -f WCACCURACY' has a matrix"),
    refused("-b", "BEGIN", "'molokini workload convert' cuts a trace"),
    refused("-d", "FILE", "no file of distributions is written"),
    refused("-e", "END", "'molokini workload convert' cuts a trace"),
    refused("-g", "GROUPS", _LISTS),
    refused("-m", "MATRIX", "'showstats -f' has matrices of the live cluster"),
    refused("-N", "PROCS", "'showstats -f' has matrices"),
    refused("-P", "TYPE", "there is one profile"),
    refused("-p", "FILE", "no plot file is written; 'molokini plot' draws"),
    refused("-q", "QOS", _LISTS),
    refused("-R", why="removed jobs are always counted"),
    refused("-r", why="run times are always shown"),
    refused("-s", "COLUMNS", "'showstats -f' has matrices"),
    refused("-T", "TIME", "'showstats -f' has matrices"),
    refused("-u", "USERS", _LISTS),
    refused("-x", "BOOLEAN", "expansion factors are those of run times"),
)


def run(run: Invocation) -> int:
    """Have our own command read the trace, which is of this machine and not of the server."""
    given = read(run, OPTIONS)
    at_most(run, given, 0)
    if not given.flag("t"):
        raise no("profiler wants a trace: -t FILE")
    import os
    import sys

    rows = ["--rows", str(number("-n", given.one("n"), 1))] if given.flag("n") else []
    ours = os.path.join(os.path.dirname(sys.executable), "molokini")
    if not os.path.exists(ours):
        raise no(f"profiler: {ours} is not there, which reads traces")
    sys.stdout.flush()
    # A file is no option, whatever it is called.
    return os.spawnv(os.P_WAIT, ours, [ours, "workload", "profile", *rows, "--", given.one("t")])
