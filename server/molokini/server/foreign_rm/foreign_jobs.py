"""Jobs of the resource manager: which of ours each is, and what it takes that ours be as it is there."""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from molokini.model.facts import Ending
from molokini.model.job_specs import JobSpec
from molokini.server.foreign_rm.commands import EndTold, RequeueTold, RunTold, SuspendTold
from molokini.server.foreign_rm.foreign_records import (
    AGENT,
    ForeignRecord,
    Stage,
    can_be_named,
    told_of,
    whole,
)
from molokini.server.server import Server
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.turn.changing import Alter, Hold, Release
from molokini.server.turn.command import Command
from molokini.server.turn.submitting import Submit
from molokini.server.wiki.answers import Fields

log = logging.getLogger("molokini.server.foreign_rm")

LOOKS_IDLE = 2
"""So many looks in a row have shown a job waiting after it was started: then it does wait."""


class ForeignJob:
    """A job there, and the number that it has here."""

    def __init__(self, record: ForeignRecord) -> None:
        self.record = record
        self.fields: Fields = {}
        self.number = 0
        """0: it has none, because it was over, or was refused."""
        self.refusal = ""
        """Why it was not taken up, as was logged."""
        self.idle_looks = 0
        self.retry_s: float | None = None
        """When on the monotonic clock it is tried again that could not be started."""

    def believe(self, stage: Stage | None) -> None:
        """An order has brought it to *stage*; None: it has not changed where it stands."""
        if stage is not None:
            self.record = replace(self.record, stage=stage)


class Jobs:
    """All of them by name; *retry_s* seconds after a refusal a start is tried again."""

    def __init__(self, server: Server, retry_s: float, monotonic: Callable[[], float]) -> None:
        self._server, self._retry_s, self._monotonic = server, retry_s, monotonic
        self.since_s = 0
        """The last change that is known: later ones are asked for."""
        self.by_name: dict[str, ForeignJob] = {}
        self.by_number: dict[int, ForeignJob] = {}
        self._later: list[Command] = []
        self._submitted: dict[int, ForeignJob] = {}
        """By the identity of the command."""
        self._strange: set[str] = set()

    def commands(self, records: Mapping[str, Fields], everything: bool) -> Iterator[Command]:
        """What *records* change; jobs that are missing where they are *everything* are over."""
        new: list[ForeignJob] = []
        for name, said in records.items():
            if not can_be_named(name):
                self._wonder(name, "a name that no start command can carry")
                continue
            self.since_s = max(self.since_s, whole(said, "UPDATETIME"))
            known = self._known(name, said)
            if known.record.stage is Stage.UNKNOWN:
                self._wonder(name, f"a state that is not known, {said.get('STATE', '')[:40]!r}")
            if known.number:
                yield from self._changes(known)
            elif not known.record.stage.over:
                new.append(known)
        if everything:
            yield from self._vanished(records)
        for known in sorted(new, key=lambda one: one.record.order):
            yield self._submission(known)
        yield from self._tried_again()

    def later(self) -> list[Command]:
        """What had to wait for the numbers of new jobs."""
        found, self._later = self._later, []
        return found

    def answered(self, command: Command, answer: object) -> None:
        """*command* was answered: a new job has its number, or has none."""
        if isinstance(command, RunTold) and answer:
            log.warning("job %d runs at the resource manager, and not here: %s", command.number, answer)
            self._later.append(Hold(command.number, AGENT, "system", str(answer)[:500]))
            self.refused(command.number)
        known = self._submitted.pop(id(command), None)
        if known is None or not isinstance(answer, list):
            return
        if isinstance(answer[0], Exception):
            # It is tried again at each report of it: there may be other nodes by then.
            if str(answer[0]) != known.refusal:
                log.warning("job %s cannot be scheduled here: %s", known.record.name[:60], answer[0])
            known.refusal = str(answer[0])
            return
        known.number = int(answer[0])
        self.by_number[known.number] = known
        self._later += self._changes(known)

    def refused(self, number: int) -> None:
        """A start of the job *number* was refused: it is tried again after a while."""
        if number in self.by_number:
            self.by_number[number].retry_s = self._monotonic() + self._retry_s

    def _known(self, name: str, said: Fields) -> ForeignJob:
        known = self.by_name.get(name)
        before = known.fields if known is not None else {}
        # What has not changed may be told by its state alone.
        fields = {**before, **said} if set(said) <= {"STATE", "UPDATETIME"} else said
        record = told_of(name, fields)
        if known is None or known.record.key != record.key:
            known = self.by_name[name] = ForeignJob(record)
        known.record, known.fields = record, fields
        return known

    def _wonder(self, name: str, has: str) -> None:
        """Say once of each kind what is strange about a job."""
        if has not in self._strange and len(self._strange) < 100:
            self._strange.add(has)
            log.warning("job %.60r of the resource manager has %s: it stays unchanged here", name, has)

    def _submission(self, known: ForeignJob) -> Command:
        record = known.record
        spec: JobSpec = {**record.spec, "submission_key": f"{AGENT}:{record.key}"}
        now_s = self._server.state.present_s()
        if record.stage is Stage.RUNNING and record.started_s:
            # What it has done is done; here it has the rest.
            spec["estimate_s"] = max(1.0, spec["estimate_s"] - max(0.0, now_s - record.started_s))
        if record.stage is Stage.HELD or record.stage is Stage.UNKNOWN:
            spec["held"] = True
        if record.stage is not Stage.IDLE or spec.get("begin_at_s", 0.0) <= now_s:
            spec.pop("begin_at_s", None)
        if spec.get("queue") not in self._server.state.queues:
            spec.pop("queue", None)
        command = Submit(record.user, [spec], self._server.settings.limits, operator=True)
        self._submitted[id(command)] = known
        return command

    def _vanished(self, records: Mapping[str, Fields]) -> Iterator[Command]:
        for name in [name for name in self.by_name if name not in records]:
            known = self.by_name.pop(name)
            if known.number and not known.record.stage.over:
                known.record = replace(known.record, stage=Stage.REMOVED)
                yield EndTold(
                    known.number, Ending.CANCELLED, 0.0, 0, "the resource manager no longer lists it"
                )
            self.by_number.pop(known.number, None)

    def _tried_again(self) -> Iterator[Command]:
        now_s = self._monotonic()
        for known in list(self.by_number.values()):
            if known.retry_s is not None and known.retry_s <= now_s and known.record.stage is Stage.IDLE:
                known.retry_s = None
                if known.number in self._server.state.open_jobs:
                    yield Release(known.number, AGENT, ["system"])

    def _changes(self, known: ForeignJob) -> Iterator[Command]:
        """What it takes that ours be as *known* is there."""
        job = self._server.state.jobs.get(known.number)
        if job is None or job.element is None or job.over:
            return
        record, element = known.record, job.element
        if record.stage not in (Stage.IDLE, Stage.HELD):
            known.idle_looks = 0
        if record.stage.over:
            yield _end(known, element)
        elif record.stage is Stage.IDLE:
            yield from self._waits(known, job, element)
        elif record.stage is Stage.HELD:
            if element.status.active:
                yield from self._waits(known, job, element)
            if "user" not in job.holds:
                yield Hold(job.id, AGENT, "user")
        elif record.stage is Stage.RUNNING and element.status is not JobStatus.RUNNING:
            runs = RunTold(job.id, record.places, record.each)
            if job.holds and not element.status.active:
                yield Release(job.id, AGENT, sorted(job.holds))
                self._later.append(runs)
            else:
                yield runs
        elif record.stage is Stage.SUSPENDED and element.status is JobStatus.RUNNING:
            yield SuspendTold(job.id)
        elif record.stage is Stage.SUSPENDED and not element.status.active:
            # It holds nothing, so no start of it is for us to take back.
            yield Hold(job.id, AGENT, "user")

    def _waits(self, known: ForeignJob, job: Job, element: Element) -> Iterator[Command]:
        if element.status.active:
            known.idle_looks += 1
            if element.stopping or known.idle_looks >= LOOKS_IDLE:
                reason = element.reason or "it waits again at the resource manager"
                known.idle_looks = 0
                yield RequeueTold(job.id, element.attempt, reason)
            return
        known.idle_looks = 0
        if "user" in job.holds:
            yield Release(job.id, AGENT, ["user"])
        if known.record.spec["estimate_s"] != job.estimate_s:
            changes: JobSpec = {"estimate_s": known.record.spec["estimate_s"]}
            yield Alter(job.id, AGENT, changes, self._server.settings.limits, True)


def _end(known: ForeignJob, element: Element) -> Command:
    record, at_s = known.record, float(known.record.ended_s)
    if element.status.active and record.stage is Stage.ENDED:
        ending = Ending.FAILED if record.exit_code else Ending.COMPLETED
        return EndTold(known.number, ending, at_s, record.exit_code)
    reason = element.reason or f"{known.fields.get('STATE', '')[:40]} at the resource manager"
    return EndTold(known.number, Ending.CANCELLED, at_s, record.exit_code, reason)
