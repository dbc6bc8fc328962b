"""What a run has come to: the ledgers of the clients, the server's answers, and the journal, compared."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from molokini.client.client import Client
from molokini.client.specs import ENDED
from molokini.model.codec import decode
from molokini.model.facts import Ending, JobEnded, JobRequeued, JobsSubmitted, JobStarted, NodeLost
from molokini.proto.v1.jobs_pb2 import Job, JobState
from molokini.server.journal.opening import open_journal
from tests.torture.ledger import Asked

COUNTS = ("lost", "run_twice", "ghosts", "stuck", "wrong_ends", "repeated_ids")


@dataclass
class Verdict:
    """Counts that must be 0, with what they are made of."""

    found: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in COUNTS})
    jobs: int = 0
    starts: int = 0
    facts: int = 0
    requeued: int = 0
    nodes_lost: int = 0
    epochs: int = 0

    @property
    def good(self) -> bool:
        return not any(self.found.values())

    def counts(self) -> dict[str, int]:
        return {name: len(found) for name, found in self.found.items()}

    def add(self, count: str, text: str) -> None:
        self.found[count].append(text)

    def merge(self, other: "Verdict") -> None:
        for name in COUNTS:
            self.found[name] += other.found[name]
        for name in ("jobs", "starts", "facts", "requeued", "nodes_lost", "epochs"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Attempts:
    """What the journal tells of one job."""

    key: str = ""
    open_attempt: int = 0
    """The attempt that runs; 0: none."""
    seen: set[int] = field(default_factory=set)
    ending: Ending | None = None


async def compare(client: Client, jobs: Mapping[str, Asked]) -> Verdict:
    """The ledgers against what the server answers now."""
    verdict = Verdict(jobs=len(jobs))
    known = {job.id: job async for job in client.jobs(include_ended=True, page_size=5000)}
    for asked in jobs.values():
        if not asked.ids:
            verdict.add("lost", f"{asked.key} never got an answer, after {asked.errors} failures")
            continue
        if len(set(asked.ids)) > 1:
            verdict.add("repeated_ids", f"{asked.key} was answered {sorted(set(asked.ids))}")
        job = known.get(asked.ids[0])
        if job is None:
            verdict.add("lost", f"job {asked.ids[0]} ({asked.key}) is unknown to the server")
        elif job.state not in ENDED:
            verdict.add("stuck", f"job {job.id} is {JobState.Name(job.state)}: {job.reason}")
        elif (fault := _fault(asked, job)) is not None:
            verdict.add("wrong_ends", fault)
    return verdict


def _fault(asked: Asked, job: Job) -> str | None:
    """What is wrong with how *job* ended, if anything is."""
    outcome, state = asked.outcome, job.state
    if state == JobState.CANCELLED and asked.cancelled:
        return None
    if state == JobState.NODE_LOST and not outcome["requeue"]:
        return None
    if state == JobState.CANCELLED and asked.requeued and not outcome["requeue"]:
        return f"job {job.id}: a refused requeue has ended it"
    wanted = _state_of(outcome)
    ended = (state, job.exit_code, job.signal)
    if ended != wanted:
        return f"job {job.id} ended as {ended} ({job.reason!r}, attempt {job.attempt}), not as {wanted}"

    return None


def _state_of(outcome: Mapping[str, Any]) -> tuple[int, int, int]:
    if outcome["run_s"] > outcome["estimate_s"]:
        return JobState.TIMED_OUT, 0, 15
    code, signal = outcome.get("exit_code", 0), outcome.get("signal", 0)
    return (JobState.FAILED if code or signal else JobState.COMPLETED), code, signal


async def judge(journal: str, jobs: Mapping[str, Asked]) -> Verdict:
    """The ledgers against the journal at *journal*, which nobody else has open."""
    verdict = Verdict()
    history: dict[int, Attempts] = {}
    store = await open_journal(journal, new=False)
    try:
        verdict.epochs = store.epoch
        async for entry in store.read(0):
            verdict.facts += 1
            _follow(decode(entry), history, verdict)
    finally:
        await store.close()
    by_key: dict[str, int] = {}
    for number, attempts in history.items():
        if attempts.key in by_key:
            verdict.add("repeated_ids", f"{attempts.key} made the jobs {by_key[attempts.key]} and {number}")
        by_key[attempts.key] = number
        asked = jobs.get(attempts.key)
        if asked is None or number not in asked.ids:
            verdict.add("ghosts", f"job {number} ({attempts.key}) was given to nobody")
    for asked in jobs.values():
        for job in set(asked.ids) - history.keys():
            verdict.add("lost", f"job {job} ({asked.key}) is not in the journal")
    return verdict


def _follow(fact: object, history: dict[int, Attempts], verdict: Verdict) -> None:
    if isinstance(fact, JobsSubmitted):
        for place, spec in enumerate(fact.specs):
            if fact.first_id + place in history:
                verdict.add("repeated_ids", f"job {fact.first_id + place} was submitted twice")
            history[fact.first_id + place] = Attempts(spec.submission_key)
    elif isinstance(fact, JobStarted):
        _start(fact, history[fact.job], verdict)
    elif isinstance(fact, JobRequeued):
        verdict.requeued += 1
        history[fact.job].open_attempt = 0
    elif isinstance(fact, JobEnded):
        job = history[fact.job]
        if job.ending is not None:
            verdict.add("run_twice", f"job {fact.job} ended twice: {job.ending}, then {fact.ending}")
        job.open_attempt, job.ending = 0, fact.ending
    elif isinstance(fact, NodeLost):
        verdict.nodes_lost += 1


def _start(fact: JobStarted, job: Attempts, verdict: Verdict) -> None:
    verdict.starts += 1
    if job.open_attempt:
        verdict.add("run_twice", f"job {fact.job}: attempt {fact.attempt} overlaps {job.open_attempt}")
    if job.ending is not None:
        verdict.add("run_twice", f"job {fact.job}: attempt {fact.attempt} after its end ({job.ending})")
    if fact.attempt in job.seen:
        verdict.add("run_twice", f"job {fact.job}: attempt {fact.attempt} started twice")
    job.seen.add(fact.attempt)
    job.open_attempt = fact.attempt
