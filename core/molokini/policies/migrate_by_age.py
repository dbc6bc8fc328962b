"""Migration by age: jobs share the processors of their host, and old jobs move to hosts with fewer jobs.

Harchol-Balter and Downey (1996, 1997), as Crovella (JSSPP 2001, section 4.2) tells it: where lifetimes have a
heavy tail, a job that has run for long will run for long, so that to move few old jobs balances the load. A
job goes to a host by a hash of its number, which knows nothing of the load; hosts share their processors
among their jobs. At each pass the oldest job of the host with most jobs moves to the one with fewest, if its
work so far is at least ``cost`` over the difference less one (their rule; a move itself costs nothing here).
Jobs wider than a host are refused. Promises that no move makes the longer of two hosts the shorter.
"""

from molokini.policy import (
    Choice,
    Parameters,
    Policy,
    RecordInts,
    Refusal,
    SomeFloats,
    SomeInts,
    View,
    Workspace,
    kernel,
    parameter,
    refuse,
    set_share,
    several,
    start_shared,
)

_MOST = 30
_MASK = 0xFFFFFFFF
_BY_AGE, _NONE = 0, 2
"""Places of words in ``move``."""


class AgeParameters(Parameters):
    """What the user chooses."""

    hosts: int = parameter(2, "equal hosts that the processors are cut into", unit="hosts", low=1, high=_MOST)
    cost: float = parameter(
        1.0,
        "a job moves if its work so far is at least this, over the difference of jobs less one",
        unit="s",
        low=0.0,
        high=1e12,
        source="Harchol-Balter and Downey 1997: the rule",
    )
    move: Choice = parameter(
        "age",
        "which job of the longest host moves: the oldest, the newest, or none",
        choices=("age", "newest", "none"),
        source="newest and none: contrasts of ours",
    )


class Where(Workspace):
    """Which host each job is on, and how many are on each."""

    host: RecordInts
    jobs: SomeInts = several(_MOST)
    widths: SomeFloats = several(_MOST)
    migrations: int
    """Moves since the beginning, or since a restart."""


parameters, mine = AgeParameters.of, Where.of

POLICY = Policy(
    name="migrate-by-age",
    family="sharing and preemption",
    summary="hosts shared by their jobs; old jobs move from the longest host to the shortest",
    promise="a move never makes the longer of two hosts the shorter",
    source="Harchol-Balter and Downey, 1997; Crovella, JSSPP 2001",
    parameters=AgeParameters.declared(),
    counted_only=True,
    reservable=False,
)


def begin(view: View, now: float) -> None:
    """Nothing is planned; hosts that are lost are chosen again."""


def schedule(view: View, now: float) -> None:
    """Choose hosts for newcomers, move what is old, and give every host's jobs their share."""
    hosts = parameters(view).hosts
    size = view.machine.processors // hosts
    _count(view, hosts)
    if parameters(view).move != _NONE:
        _move(view, now, hosts)
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        rate = _share(view, mine(view).host[row] - 1, size)
        if view.jobs.rate[row] != rate:
            set_share(view, row, rate)
    widest = view.machine.processors_in_all // hosts
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.jobs.width[row] > widest:
            refuse(view, row, Refusal.WIDER_THAN_PARTITION)
        elif size > 0:
            start_shared(view, row, _share(view, mine(view).host[row] - 1, size))


@kernel
def _share(view: View, host: int, size: int) -> float:
    widths = mine(view).widths[host]
    return size / widths if widths > size else 1.0


@kernel
def _count(view: View, hosts: int) -> None:
    widest = view.machine.processors_in_all // hosts
    for host in range(hosts):
        mine(view).jobs[host] = 0
        mine(view).widths[host] = 0.0
    for k in range(view.queue.running_count):
        _count_in(view, view.queue.running[k], hosts)
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.jobs.width[row] <= widest:
            _count_in(view, row, hosts)


@kernel
def _count_in(view: View, row: int, hosts: int) -> None:
    if mine(view).host[row] == 0 or mine(view).host[row] > hosts:
        x = int(view.jobs.number[row]) & _MASK
        x = ((x ^ (x >> 16)) * 2246822507) & _MASK
        x = ((x ^ (x >> 13)) * 3266489909) & _MASK
        mine(view).host[row] = (x ^ (x >> 16)) % hosts + 1
    mine(view).jobs[mine(view).host[row] - 1] += 1
    mine(view).widths[mine(view).host[row] - 1] += view.jobs.width[row]


@kernel
def _move(view: View, now: float, hosts: int) -> None:
    """Move jobs from the longest host to the shortest while that is worth it."""
    for _ in range(hosts):
        longest, shortest = 0, 0
        for host in range(1, hosts):
            if mine(view).jobs[host] > mine(view).jobs[longest]:
                longest = host
            if mine(view).jobs[host] < mine(view).jobs[shortest]:
                shortest = host
        apart = mine(view).jobs[longest] - mine(view).jobs[shortest]
        if apart < 2:
            return
        row = _candidate(view, now, longest)
        if row < 0 or _age(view, row, now) * (apart - 1) < parameters(view).cost:
            return
        mine(view).host[row] = shortest + 1
        mine(view).jobs[longest] -= 1
        mine(view).jobs[shortest] += 1
        mine(view).widths[longest] -= view.jobs.width[row]
        mine(view).widths[shortest] += view.jobs.width[row]
        mine(view).migrations += 1


@kernel
def _candidate(view: View, now: float, host: int) -> int:
    """The running job of *host* that has worked longest (or least, where the newest moves); -1: none."""
    best, sign = -1, 1.0 if parameters(view).move == _BY_AGE else -1.0
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if mine(view).host[row] == host + 1 and (
            best < 0 or sign * _age(view, row, now) > sign * _age(view, best, now)
        ):
            best = row
    return best


@kernel
def _age(view: View, row: int, now: float) -> float:
    """The work that a running job has done."""
    since_s = now - view.jobs.updated_s[row]
    return float(view.jobs.work_s[row] + since_s * view.jobs.rate[row])
