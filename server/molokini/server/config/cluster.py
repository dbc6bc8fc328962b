"""The nodes and queues of the configuration; a queue has the fields of the message Queue on the wire."""

from molokini.server.config.fields import (
    LONGEST_S,
    Flag,
    Name,
    Number,
    Pattern,
    Section,
    Text,
    Whole,
    entry,
    flag,
    number,
    whole,
)
from molokini.server.config.names import NAME, PATTERN

_MOST_KB = 2**50
_MOST_PROCESSORS = 2**31 - 1
_NAMES = "a list of names"


class Nodes(Section):
    """Nodes that the server itself emulates, under `serve` as under `up`; the table may be repeated."""

    names: Pattern = entry(
        ..., "Their names: one name, or a pattern like `node[001-064]`.", PATTERN, reload=True
    )
    processors: Whole = whole(1, "Processors of each node.", 1, _MOST_PROCESSORS, reload=True)
    memory_kb: Whole = whole(
        0, "Memory of each node in kilobytes; 0: memory is not counted.", 0, _MOST_KB, reload=True
    )
    generic: dict[Name, Whole] = entry(
        dict,
        "Generic resources of each node by name, such as `{gpu = 4}`.",
        "a table of whole numbers",
        reload=True,
    )
    features: tuple[Name, ...] = entry((), "Features that jobs may ask for.", _NAMES, reload=True)
    cluster: Text = entry(
        "",
        "The cluster to which they belong, for jobs over several clusters. They count from 0 in the order in "
        "which they stand here. Empty: the one without a name.",
        "a name, or nothing",
        reload=True,
        pattern=r"^[A-Za-z0-9._-]{0,64}$",
    )


class Queue(Section):
    """A queue; the table may be repeated. The first is where jobs go that name none."""

    name: Name = entry(..., "Its name.", NAME, reload=True)
    enabled: Flag = flag(True, "Whether jobs may be submitted to it.", reload=True)
    started: Flag = flag(True, "Whether its jobs may start.", reload=True)
    priority: Whole = whole(
        0,
        "For policies of your own (`credentials.queue_priority`); `maui` has `CLASSCFG` in its own file.",
        -(2**20),
        2**20,
        reload=True,
    )
    nodes: tuple[Pattern, ...] = entry(
        (),
        "Names or patterns of its nodes; empty: all. Queues may share nodes.",
        f"a list, each {PATTERN}",
        reload=True,
    )
    max_processors: Whole = whole(0, "Most processors of one job; 0: no limit.", 0, reload=True)
    max_estimate_s: Number = number(
        0.0, "Longest wall time that a job may ask for, in seconds; 0: no limit.", 0.0, LONGEST_S, reload=True
    )
    max_jobs: Whole = whole(0, "Most jobs in the queue that have not ended; 0: no limit.", 0, reload=True)
    max_jobs_per_user: Whole = whole(0, "The same for each user; 0: no limit.", 0, reload=True)
    max_running_per_user: Whole = whole(
        0, "Most jobs of one user that run at once; 0: no limit.", 0, reload=True
    )
    default_estimate_s: Number = number(
        0.0,
        "Wall time of jobs that do not say, in seconds; 0 means 3,600.",
        0.0,
        LONGEST_S,
        reload=True,
    )
    default_processors: Whole = whole(
        1, "Processors of jobs that do not say; 0: they must say.", 0, reload=True
    )
    default_memory_kb: Whole = whole(
        0, "Memory a processor of jobs that do not say, in kilobytes.", 0, _MOST_KB, reload=True
    )
    users: tuple[Name, ...] = entry((), "Who may submit to it; empty: every user.", _NAMES, reload=True)
