"""Real jobs of one machine: each has a supervisor that is started, watched and ordered; its end is reported.

Nothing here waits. A supervisor that ends is noticed by its process; what it has noted says how its job
ended. Long because every order and every report changes one table of attempts.
"""

import asyncio
import errno
import json
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from molokini.agents.clocks import ScaledClock
from molokini.agents.lease import Lease
from molokini.agents.offset import ClockOffset
from molokini.agents.unheard import Unheard
from molokini.model.errors import BadInput
from molokini.model.slicing import Slicing
from molokini.processes.launch_records import Rules, lost, report_of, wish_of
from molokini.processes.leftovers import clear_groups, kill_left, kill_marked
from molokini.processes.local_scheduler import Decider, LocalScheduler
from molokini.processes.rates import Rates, Running
from molokini.processes.slicer_client import QUOTA, Slicer, Windows, refused, slicing_of
from molokini.processes.slots import Slots, processors_of
from molokini.processes.spawner import Spawner
from molokini.processes.spool import Spool
from molokini.proto.v1.agent_service_pb2 import AttemptRef, Launch, Order, Report, Welcome
from molokini.supervisor.cgroups import remove_bases
from molokini.supervisor.records import CONTROL, Record
from molokini.supervisor.waking import Waking

_log = logging.getLogger(__name__)
_Key = tuple[int, int, int]
_AGAIN_S, _TRIES = 0.02, 500
"""A supervisor listens a moment after it was asked for."""
INTERVAL_S = 1.0
"""Shares of coscheduled jobs are of each interval of this length, where they are slices."""
_SCARCE_S = 0.5
"""Until the next try where file descriptors are used up."""


@dataclass(slots=True)
class _Kept:
    """An attempt whose end is not reported."""

    label: str
    ref: AttemptRef
    watched: int = -1
    """A handle of its supervisor's process; -1: none yet."""
    supervisor: int = 0
    may_have_run: bool = False
    """Whether the machine was restarted since the intent, so that no record does not mean no start."""
    word: Launch | Order | None = None
    """By what it goes at its rate: what was said last."""
    unwanted: bool = False
    """Whether the server does not know it any more, so that its end is not reported."""
    unsaid: list[bytes] = field(default_factory=list)
    """Lines for its supervisor that has not begun to listen, in the order in which they were said."""


class ProcessExecutor:
    """The session's executor of a node that runs its jobs."""

    def __init__(
        self,
        report: Callable[[Report], None],
        spool: Spool,
        rules: Rules,
        clock: ScaledClock,
        monotonic: Callable[[], float],
        node: str = "",
        offset: ClockOffset | None = None,
    ) -> None:
        self._report, self._spool, self._rules = report, spool, rules
        self._node = node
        """The name of this machine among the nodes of a job."""
        self._clock, self._monotonic = clock, monotonic
        self._kept: dict[_Key, _Kept] = {}
        self._waiting: dict[tuple[int, int], Launch] = {}
        """Attempts, by job and index, that begin when an older one of their job has ended here."""
        self._reported: dict[_Key, str] = {}
        """Attempts whose end is reported and not yet acknowledged, and their labels."""
        self._spawner = Spawner(self._has_supervisor, spool.distrust, rules.starter)
        self.slicer = Slicer(spool, rules.groups, offset, node, rules.enforce)
        self.slicer.windows = self._has_windows
        self.rates = Rates(
            spool, self._of_job, lambda: (job for job, *_ in self._kept), clock.at, rules.groups
        )
        self.rates.begins = self._needs_cores
        self.waking = Waking()
        self.local: LocalScheduler | None = None
        """Where jobs are coscheduled by their messages: who decides that here."""
        self._working = False
        self._ended: asyncio.Queue[_Kept] = asyncio.Queue()
        self._by_folder: dict[str, _Kept] = {}
        """Attempts for which a supervisor was asked."""
        self._slots = Slots.of_machine() if rules.binds else Slots(())
        for wish in spool.found():
            self._slots.hold(wish.label, processors_of(wish.cpus))
            ref = AttemptRef(job_id=wish.job, array_index=wish.index, attempt=wish.attempt)
            self._kept[_key(ref)] = _Kept(wish.label, ref, may_have_run=spool.fresh)
        clear_groups(rules.groups, spool.labels())

    def attempts(self) -> Iterable[AttemptRef]:
        """The attempts that it has."""
        return [one.ref for one in self._kept.values()]

    @property
    def running(self) -> int:
        """How many they are."""
        return len(self._kept)

    def welcome(self, welcome: Welcome, unheard: Unheard) -> None:
        """Go on with what *welcome* names, report what has ended meanwhile, and end the rest."""
        self._clock.set(welcome.now_s, self._monotonic())
        fresh, self._spool.fresh = self._spool.fresh, False
        named = {_key(launch.attempt): launch for launch in welcome.attempts}
        for key, launch in named.items():
            if key in self._reported or unheard.closes(launch):
                continue
            if key in self._kept:
                self._take_up(self._kept[key])
                self._tell(self._kept[key], {"do": "suspend" if launch.suspended else "resume"})
                self._tell(self._kept[key], {"do": "limit", "limit_s": launch.limit_s})
                self._pace(self._kept[key], launch)
            elif fresh:
                # It may have run here, and its folder is gone: if it were started again it might run twice.
                self._report(lost(launch.attempt, welcome.now_s, "this node no longer has a record of it"))
            else:
                self._begin(launch)
                if launch.HasField("slicing") and key in self._kept:
                    self._pace(self._kept[key], launch)
        for key in [key for key in self._reported if key not in named]:
            self._spool.remove(self._reported.pop(key))
        self._waiting = {key: one for key, one in self._waiting.items() if _key(one.attempt) in named}
        for key in [key for key in self._kept if key not in named]:
            self._end_unwanted(key)

    def coschedule(self, decider: Decider, slice_s: float) -> None:
        """Serve the requests of jobs' processes, and bound jobs as *decider* says."""
        self.local = LocalScheduler(decider, slice_s, self._spool, self._of_job, self._cap)
        if self._working:
            self.local.attach()

    def _cap(self, label: str, percent: int, place: int) -> None:
        """Bound an attempt to so much of its processors; 100: no bound. *place*: of its slices."""
        one = next((one for one in self._kept.values() if one.label == label), None)
        if one is None:
            return
        if not {"cpu", "unified"}.isdisjoint(self._rules.groups):
            self._tell(one, {"do": "pace", "rate": percent / 100, "beat": ""})
        elif percent == 100 or not one.supervisor:
            self.slicer.drop(label)
        else:
            # The unscheduled ones compute first in an interval, one behind the other.
            share = percent / 100
            first = place * share if percent < 50 else 1.0 - share
            slicing = Slicing(
                period_s=INTERVAL_S,
                slice_s=share * INTERVAL_S,
                origin_s=first * INTERVAL_S,
                # A short window is lost on a busy machine, unless the job goes before all others in it.
                real_time=percent < 50,
            )
            self._tell(one, {"do": "pace", "rate": slicing.share, "beat": self.slicer.beat})
            self.slicer.take(label, one.ref, slicing, one.supervisor)

    def _of_job(self, job: int) -> Iterable[Running]:
        """The attempts of a job, or of the elements of an array, that run here."""
        for one in self._kept.values():
            if one.ref.job_id == job:
                yield Running(one.label, one.ref, one.supervisor)

    def _end_unwanted(self, key: _Key) -> None:
        """End an attempt that the server does not know, without a report."""
        one = self._kept[key]
        self.slicer.drop(one.label)
        if self._spool.void(one.label):
            self._forget(one)
            self._spool.remove(one.label)
            return
        one.unwanted = True
        self._take_up(one)
        self._tell(one, {"do": "kill-now"})

    def _forget(self, one: _Kept) -> None:
        """It is over: what it had is free, and a later attempt of its job begins."""
        del self._kept[_key(one.ref)]
        self._by_folder.pop(self._spool.place(one.label), None)
        self._unwatch(one)
        self._slots.give(one.label)
        self.rates.drop(one.label)
        self.waking.over(one.label)
        if self.local is not None:
            self.local.drop(one.label)
        if (later := self._waiting.pop(_job(one.ref), None)) is not None:
            self._begin(later)

    def launch(self, launch: Launch) -> None:
        """Run an attempt; one that is there already is not begun again."""
        self._clock.at_least(launch.start_s, self._monotonic())
        key = _key(launch.attempt)
        if key not in self._kept and key not in self._reported:
            self._begin(launch)
            if launch.HasField("slicing") and key in self._kept:
                self._pace(self._kept[key], launch)

    def order(self, order: Order) -> None:
        """Do something to an attempt; orders to others than the present one change nothing."""
        self._clock.at_least(order.at_s, self._monotonic())
        one = self._kept.get(_key(order.attempt))
        if order.kind == Order.KILL:
            self._kill(order, one)
        elif order.kind == Order.SLICE and one is None:
            self.slicer.tell(refused(order.attempt, "this agent does not run the attempt"))
        elif one is not None:
            match order.kind:
                case Order.SIGNAL:
                    self._tell(one, {"do": "signal", "signal": order.signal})
                case Order.SUSPEND:
                    self._tell(one, {"do": "suspend"})
                case Order.RESUME:
                    if order.rate:
                        self._pace(one, order)
                    self._tell(one, {"do": "resume"})
                case Order.SET_LIMIT:
                    self._tell(one, {"do": "limit", "limit_s": order.limit_s})
                case Order.SET_RATE | Order.SLICE:
                    self._pace(one, order)
                case _:
                    _log.warning("job %s: real processes cannot be given another place", one.label)

    def _pace(self, one: _Kept, word: Launch | Order, tries: int = _TRIES) -> None:
        """Let it go at the rate of *word*: by slices of time, or else with a share of its processors."""
        if tries < _TRIES and one.word is not word:
            # Something else was said while its supervisor began.
            return
        one.word = word
        if isinstance(word, Order) and word.kind == Order.RESUME:
            # It goes on as it did, unless its rate says otherwise.
            slicing = self.slicer.slicing(one.label)
        elif word.HasField("slicing"):
            try:
                slicing = slicing_of(word.slicing)
            except BadInput as fault:
                self.slicer.tell(refused(one.ref, str(fault)))
                return
        else:
            slicing = None
        if slicing and slicing.by_deadline:
            self._needs_cores(one.label)
        if slicing and slicing.by_deadline and self.slicer.enforce == QUOTA and one.supervisor:
            period_us = round(slicing.period_s * 1e6)
            self._tell(one, {"do": "pace", "rate": slicing.share, "beat": "", "period_us": period_us})
        elif not slicing:
            self.slicer.drop(one.label)
            if word.rate > 0:
                self._tell(one, {"do": "pace", "rate": min(1.0, word.rate), "beat": ""})
        elif one.supervisor:
            # A job of a matrix may lose a part of each row to the change of rows: its rate says so.
            rate = slicing.share if isinstance(word, Order) and word.kind == Order.RESUME else word.rate
            self._tell(one, {"do": "pace", "rate": rate or slicing.share, "beat": self.slicer.beat})
            self.slicer.take(one.label, one.ref, slicing, one.supervisor, self._processors_of(one))
        elif tries and self._kept.get(_key(one.ref)) is one:
            asyncio.get_running_loop().call_later(_AGAIN_S, self._pace, one, word, tries - 1)

    def _needs_cores(self, label: str) -> None:
        """It is held at a rate, or its full rate is measured: cores are to wake at once in both."""
        if not self._rules.may_sleep and (trouble := self.waking.need(label)):
            _log.warning("cores may sleep, and target rates come out too low on idle ones: %s", trouble)

    def _processors_of(self, one: _Kept) -> int:
        """How many processors of this node it has."""
        return max(1, next((wish.processors for wish in self._spool.found() if wish.label == one.label), 1))

    def _has_windows(self, label: str, windows: Windows) -> None:
        """The supervisor counts the work of a sliced attempt in its windows."""
        one = next((one for one in self._kept.values() if one.label == label), None)
        if one is not None:
            self._tell(one, {"do": "slice", **windows._asdict()})

    def grant(self, now_s: float) -> float | None:
        """A grant is a word about the time like any other; real jobs end when they end."""
        self._clock.at_least(now_s, self._monotonic())
        return None

    def lease_ran_out(self, at: float) -> None:
        """End all attempts; each supervisor does so by itself, too."""
        for one in self._kept.values():
            self._tell(one, {"do": "kill-now", "reason": "its lease ran out"})

    def acknowledged(self, reports: Iterable[Report]) -> None:
        """The server has these: forget the attempts that they have ended."""
        for report in reports:
            if report.HasField("attempt") and (label := self._reported.pop(_key(report.attempt), None)):
                self._spool.remove(label)

    async def work(self, lease: Lease) -> None:
        """Hear of supervisors as long as the connection lasts, and let them know the lease."""
        lease.watch(self._move_lease)
        self._spawner.attach()
        self.slicer.attach()
        self.rates.attach()
        self._working = True
        if self.local is not None:
            self.local.attach()
        for one in self._kept.values():
            if one.watched >= 0:
                self._watch(one)
        try:
            while True:
                self._close_or_later(await self._ended.get())
        finally:
            self._working = False
            self._spawner.detach()
            self.slicer.detach()
            self.rates.detach()
            if self.local is not None:
                self.local.detach()
            for one in self._kept.values():
                if one.watched >= 0:
                    asyncio.get_running_loop().remove_reader(one.watched)

    def stop(self) -> None:
        """The agent goes; its jobs stay."""
        if self.local is not None:
            self.local.close()
        self._spawner.stop()
        self.slicer.stop()
        self.rates.close()
        self.waking.close()
        self._spool.finish()
        if groups := self._rules.groups:
            # A group that was not quite empty when its supervisor went is one now.
            clear_groups(groups, [label for label in self._spool.labels() if not self._is_over(label)])
            remove_bases(groups)
        # Only now: a next agent makes these folders when it has the spool.
        self._spool.close()

    def _is_over(self, label: str) -> bool:
        return self._spool.record(label).ended is not None and self._spool.supervisor(label) is None

    def _move_lease(self, ends_s: float) -> None:
        self._spool.lease.ends_s = ends_s

    def _begin(self, launch: Launch) -> None:
        """Note the intent, then ask for a supervisor; once an older attempt of the same job has ended
        here."""
        if any(_job(one.ref) == _job(launch.attempt) for one in self._kept.values()):
            self._waiting[_job(launch.attempt)] = launch
            return None
        lease, local = str(self._spool.folder / "lease"), self.local.path if self.local is not None else ""
        wish = wish_of(launch, self._rules, lease, self._node, self.rates.path, local)
        one = _Kept(wish.label, launch.attempt)
        if not wish.argv and not wish.script:
            return self._refuse(one, launch, "it has no command and no script")
        wish.cpus = self._slots.take(wish.label, wish.processors)
        try:
            self._spool.add(wish, launch.spec.script)
        except OSError as error:
            self._slots.give(wish.label)
            return self._refuse(one, launch, f"{self._spool.folder}: {error.strerror or error}")
        self._kept[_key(launch.attempt)] = one
        self._ask(one)
        return None

    def _ask(self, one: _Kept) -> None:
        folder = self._spool.place(one.label)
        self._by_folder[folder] = one
        self._spawner.ask(folder)

    def _refuse(self, one: _Kept, launch: Launch, reason: str) -> None:
        self._report(Report(kind=Report.NOT_STARTED, attempt=one.ref, at_s=launch.start_s, reason=reason))

    def _has_supervisor(self, folder: str, pid: int) -> None:
        """The spawner says which process keeps the attempt in *folder*."""
        one = self._by_folder.get(folder)
        if one is None or self._kept.get(_key(one.ref)) is not one:
            self._by_folder.pop(folder, None)
        elif pid < 0:
            self._cannot_keep(one, os.strerror(-pid))
        elif not pid:
            # Its supervisor lives on, with another attempt perhaps.
            self._over(one)
        else:
            one.supervisor = pid
            self._watch(one)

    def _cannot_keep(self, one: _Kept, why: str) -> None:
        """The machine has no process for a supervisor: it is to get no more jobs, and this one runs
        elsewhere."""
        if not self._spool.void(one.label):
            # Another supervisor, asked for by an earlier start of this agent, has it.
            return self._take_up(one)
        reason = f"no process can be made: {why}"
        if not one.unwanted:
            at_s = self._clock.at(self._monotonic())
            report = Report(kind=Report.NOT_STARTED, attempt=one.ref, at_s=at_s, reason=reason)
            report.node, report.drain_reason = self._node, reason
            self._report(report)
        self._spool.remove(one.label)
        self._forget(one)
        return None

    def _take_up(self, one: _Kept) -> None:
        """An attempt of an earlier start of this agent: watch its supervisor, or see what has become of
        it."""
        if one.watched >= 0:
            return
        record, supervisor = self._spool.record(one.label), self._spool.supervisor(one.label)
        if supervisor is None:
            if record.started is None and record.ended is None and not one.unwanted and not one.may_have_run:
                # The agent died between the intent and the supervisor. Of two supervisors the lock lets one
                # begin.
                self._spool.distrust(one.label)
                self._ask(one)
            else:
                self._ended.put_nowait(one)
        elif supervisor:
            one.supervisor = supervisor
            self._watch(one)
        else:
            asyncio.get_running_loop().call_later(_AGAIN_S, self._take_up, one)

    def _watch(self, one: _Kept) -> None:
        """Hear of the end of its supervisor. The handle stays: a number may be another process's some day."""
        if self._kept.get(_key(one.ref)) is not one:
            return
        if one.watched < 0:
            try:
                one.watched = os.pidfd_open(one.supervisor)
            except ProcessLookupError:
                self._ended.put_nowait(one)
                return
            except OSError as error:
                # No file descriptor is left: the job goes on, and its end is looked for again.
                _log.warning("job %s: its supervisor cannot be watched yet: %s", one.label, error.strerror)
                asyncio.get_running_loop().call_later(_SCARCE_S, self._watch, one)
                return
        asyncio.get_running_loop().add_reader(one.watched, self._over, one)

    def _over(self, one: _Kept) -> None:
        self._unwatch(one)
        self._ended.put_nowait(one)

    def _unwatch(self, one: _Kept) -> None:
        if one.watched >= 0:
            asyncio.get_running_loop().remove_reader(one.watched)
            os.close(one.watched)
            one.watched = -1

    def _tell(self, one: _Kept, wish: dict[str, Any]) -> None:
        """Let its supervisor know, which may have to begin first; one that has gone has nothing left to
        do. The last order counts, so all are heard in the order in which they were said."""
        one.unsaid.append(json.dumps(wish).encode() + b"\n")
        if len(one.unsaid) == 1:
            self._say(one, _TRIES)

    def _say(self, one: _Kept, tries: int) -> None:
        try:
            control = os.open(self._spool.path(one.label) / CONTROL, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            if tries and self._kept.get(_key(one.ref)) is one:
                asyncio.get_running_loop().call_later(_AGAIN_S, self._say, one, tries - 1)
            else:
                one.unsaid.clear()
            return
        try:
            while one.unsaid:
                os.write(control, one.unsaid.pop(0))
        except OSError as error:
            _log.warning("job %s: its supervisor does not listen: %s", one.label, error.strerror)
            one.unsaid.clear()
        finally:
            os.close(control)

    def _kill(self, order: Order, one: _Kept | None) -> None:
        """Answered for an attempt that is not known, too: the server wants to hear that it is gone."""
        if one is not None and not self._spool.void(one.label):
            self._tell(one, {"do": "kill"})
            return
        if one is not None:
            # No supervisor has begun it, and now none will: one that comes late would not know of this.
            self.slicer.drop(one.label)
            self._spool.remove(one.label)
            self._forget(one)
        later = self._waiting.get(_job(order.attempt))
        if later is not None and later.attempt == order.attempt:
            del self._waiting[_job(order.attempt)]
        if _key(order.attempt) not in self._reported:
            self._report(Report(kind=Report.KILLED, attempt=order.attempt, at_s=order.at_s))

    def _close_or_later(self, one: _Kept) -> None:
        try:
            self._close(one)
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            # No file descriptor is left to read what was noted.
            asyncio.get_running_loop().call_later(_SCARCE_S, self._ended.put_nowait, one)

    def _close(self, one: _Kept) -> None:
        """Its supervisor has gone: report what it has noted."""
        if self._kept.get(_key(one.ref)) is not one:
            return None
        record = self._spool.record(one.label)
        if record.ended is None:
            if self._spool.supervisor(one.label) is not None:
                # Of two supervisors, asked for by two starts of this agent, the other one has it.
                return self._take_up(one)
            # It may have ended in between.
            record = self._spool.record(one.label)
        self.slicer.drop(one.label)
        self.rates.drop(one.label)
        report = self._said(one, record)
        self._note_closing(one, record, report)
        report.node = self._node
        if one.unwanted:
            self._spool.remove(one.label)
            if report.drain_reason:
                self._report(report)
        else:
            self._reported[_key(one.ref)] = one.label
            self._report(report)
        self._forget(one)
        return None

    def _note_closing(self, one: _Kept, record: Record, report: Report) -> None:
        """Add what became of the epilog to the *report* of an attempt."""
        closing = record.closing
        if closing is not None and not closing["over"]:
            kill_marked(self._spool.place(one.label))
            report.drain_reason = "epilog: the supervisor was killed before the epilog ended"
        elif closing is not None and closing["reason"] and not report.drain_reason:
            report.drain_reason = closing["reason"][:1000]

    def _said(self, one: _Kept, record: Record) -> Report:
        now = self._monotonic()
        ended, started = record.ended, record.started
        if one.may_have_run or (started is not None and started["boot"] != self._spool.boot):
            if ended is None:
                return lost(one.ref, self._clock.at(now), "the node was restarted")
            # When that was, our clock cannot say: the server puts it between the start and now.
            return report_of(one.ref, ended, self._clock.at(now))
        if ended is not None:
            return report_of(one.ref, ended, self._clock.at(min(now, ended["at"])))
        if not self._spool.path(one.label).exists():
            # It may have run: if it were started again it might run twice.
            kill_left({"cgroup": True}, self._spool.place(one.label), one.label, self._rules.groups)
            reason = f"its folder in {self._spool.folder} was removed, and with it the record of its end"
            _log.warning("job %s: %s", one.label, reason)
            at_s = self._clock.at(now)
            return Report(kind=Report.ENDED, attempt=one.ref, at_s=at_s, signal=9, reason=reason)
        if started is None:
            # A prolog may have left something; or a process of the job is in its group, and no program yet.
            kill_marked(self._spool.place(one.label))
            kill_left({"cgroup": True}, self._spool.place(one.label), one.label, self._rules.groups)
            reason = f"its supervisor ended before it recorded a start; is {self._spool.folder} full?"
            return Report(kind=Report.NOT_STARTED, attempt=one.ref, at_s=self._clock.at(now), reason=reason)
        left = kill_left(started, self._spool.place(one.label), one.label, self._rules.groups)
        reason = "its supervisor was killed, so its processes were ended"
        if left.staying:
            reason = f"its supervisor was killed, and kill failed: processes {left.staying[:5]} do not end"
        _log.warning("job %s: %s; it had %d processes", one.label, reason, left.found)
        return Report(
            kind=Report.ENDED,
            attempt=one.ref,
            at_s=self._clock.at(now),
            signal=9,
            reason=reason,
            drain_reason=reason if left.staying else "",
        )


def _job(ref: AttemptRef) -> tuple[int, int]:
    return ref.job_id, ref.array_index


def _key(ref: AttemptRef) -> _Key:
    return ref.job_id, ref.array_index, ref.attempt
