"""The picture of a simulation that was stopped at an instant."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from molokini.cycle.dry_run import dry_run
from molokini.model.credentials import CredentialType
from molokini.model.numbering import Numbering
from molokini.model.reservations import Reservation, entry_of, renamed
from molokini.model.site import PLAIN, Site
from molokini.model.states import JobState
from molokini.reports.snapshot import Blocked, ClusterSnapshot, Finished, NodeText, Scheduler
from molokini.reports.wording import held_in_words
from molokini.sim.replay import Replay
from molokini.workloads.arrivals import second_zero_s
from molokini.workloads.workload import Workload

Numbers = Mapping[CredentialType, Mapping[str, int]]
"""Number of each credential, by its name."""
_COLUMNS = {CredentialType.USER: "user", CredentialType.GROUP: "group", CredentialType.QUEUE: "queue"}
NOBODY = -2
_Name = Callable[[CredentialType, int], str]


def picture_of(
    replay: Replay,
    now: float,
    numbers: Numbers,
    node_names: Sequence[str] = (),
    site: Site = PLAIN,
) -> ClusterSnapshot:
    """The picture of *replay*, which has been run up to *now*; nothing in it changes.

    *site* is what the policy is made of: its configuration may name partitions.
    """
    tables = dry_run(replay.tables, replay.policy.begin, replay.policy.schedule, now)
    names = {kind: {number: name for name, number in known.items()} for kind, known in numbers.items()}

    def name(kind: CredentialType, number: int) -> str:
        known = names.get(kind, {})
        return "" if number < 0 else known.get(number, str(number))

    nodes = list(node_names) or [f"node{number + 1}" for number in range(tables.nodes.count)]
    return ClusterSnapshot(
        tables=tables,
        now=now,
        policy=replay.policy.name,
        insight=replay.policy.insight,
        job=lambda row: str(int(tables.jobs.number[row])),
        name=name,
        number=lambda kind, text: numbers.get(kind, {}).get(text, NOBODY),
        nodes=node_texts([NodeText(text) for text in nodes[: tables.nodes.count]], site),
        partitions=site.partitions if tables.nodes.count else (),
        blocked=_held(replay, name),
        reservations=tuple(_by_names(one, name) for one in replay.reserved),
        finished=_finished(replay, name),
        scheduler=Scheduler(iterations=replay.place.passes, next_s=float(replay.tables.cycle.wake_s)),
        second_zero_s=second_zero_s(replay.workload) or None,
    )


def node_texts(nodes: Sequence[NodeText], site: Site) -> tuple[NodeText, ...]:
    """*nodes*, each with the features and the partition that the configuration of *site* gives it."""
    made = []
    for one in nodes:
        features, partition = site.node(one.name)
        both = tuple(dict.fromkeys((*one.features, *features)))
        made.append(replace(one, features=both, partition=partition))
    return tuple(made)


def _by_names(one: Reservation, name: _Name) -> Reservation:
    """*one*, in which a replay has credentials by number, with their names."""
    kinds = {kind.name.lower(): kind for kind in CredentialType}
    access = {
        kind: tuple(
            renamed(text, name(kinds[kind], int(entry_of(text)[0]))) if kind in kinds else text
            for text in texts
        )
        for kind, texts in one.access.items()
    }
    return replace(one, access=access)


def numbers_of(workload: Workload) -> dict[CredentialType, Numbering]:
    """Number of each user, group and queue that a job of *workload* has, by its name, else by the number.

    Accounts have one where a site's accounting says which they are; QoSes have those of their configuration.
    """
    found = {kind: Numbering() for kind in CredentialType}
    for kind, column in _COLUMNS.items():
        values, first = np.unique(getattr(workload, column), return_index=True)
        known = [
            (workload.name_of(column, int(row)), int(number))
            for number, row in zip(values, first, strict=True)
            if number >= 0
        ]
        found[kind] = Numbering(known, least=len(workload.names.get(column, ())))
    if workload.recorded is not None:
        names = workload.names.get("account", ())
        numbers = np.unique(workload.recorded.account).tolist()
        known = [(names[number], number) for number in numbers if number > 0]
        found[CredentialType.ACCOUNT] = Numbering(known, least=len(names))
    return found


def _held(replay: Replay, name: _Name) -> tuple[Blocked, ...]:
    """The jobs that a command, or the policy after many deferrals, has taken out of the queue."""
    t = replay.tables
    found = []
    for row in np.flatnonzero(t.jobs.state == JobState.HELD).tolist():
        credential = int(t.jobs.credential[row])
        deferred = int(t.jobs.deferrals[row]) > 0
        found.append(
            Blocked(
                job=str(int(t.jobs.number[row])),
                state="held",
                reason=held_in_words(int(t.jobs.deferral[row])) if deferred else "held",
                user=name(CredentialType.USER, int(t.credentials.user[credential])),
                group=name(CredentialType.GROUP, int(t.credentials.group[credential])),
                account=name(CredentialType.ACCOUNT, int(t.credentials.account[credential])),
                queue=name(CredentialType.QUEUE, int(t.credentials.queue[credential])),
                qos=name(CredentialType.QOS, int(t.credentials.qos[credential])),
                processors=int(t.jobs.width[row]),
                estimate_s=float(t.jobs.estimate_s[row]),
                submit_s=float(t.jobs.submit_s[row]),
                credential=credential,
            )
        )
    return tuple(found)


def _finished(replay: Replay, name: _Name) -> Finished:
    schedule = replay.schedule()
    over = ~np.isnan(schedule.end_s) & ~schedule.refused_rows
    work = schedule.workload
    rows = np.flatnonzero(over)
    killed = schedule.run_s[rows] < work.run_s[rows]
    return Finished(
        submit_s=work.submit_s[rows],
        start_s=schedule.start_s[rows],
        end_s=schedule.end_s[rows],
        processors=work.processors[rows],
        estimate_s=work.estimate_s[rows],
        well=(~killed).astype(np.int64),
        whose=tuple(
            (
                name(CredentialType.USER, int(work.user[row])),
                name(CredentialType.GROUP, int(work.group[row])),
                "",
                name(CredentialType.QUEUE, int(work.queue[row])),
                "",
            )
            for row in rows
        ),
    )
