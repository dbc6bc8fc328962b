"""One task: it finds its partners, computes and exchanges to the end, and tells the launcher how it went."""

import contextlib
import time
from typing import Any

from exchange.calibrating import Amounts, TooLong, amounts
from exchange.control import Control
from exchange.coscheduled import Status
from exchange.meeting import HOST, NoMeeting, listening, meet
from exchange.options import Options
from exchange.patterns import hops, partners
from exchange.reports import Reports
from exchange.wires import FAR, Lost, OutOfStep, Wires
from exchange.work import Work


def run(task: int, options: Options, control: Control, token: bytes, host: str = HOST) -> int:
    """Live as one task, which others reach at *host*; the exit code of its process."""
    try:
        control.say(done=_run(task, options, control, token, host))
    except EOFError:
        return 1
    except Lost as error:
        _fail(control, lost=error.partner)
    except (NoMeeting, OutOfStep, TooLong) as error:
        _fail(control, failed=str(error))
    except MemoryError:
        _fail(control, failed="not enough memory; messages are shorter with more --rounds")
    else:
        return 0
    return 1


def _fail(control: Control, **why: Any) -> None:
    """Tell why, and stay until the launcher ends all: a second broken connection would hide the first."""
    control.say(**why)
    with contextlib.suppress(EOFError):
        while True:
            control.hear()


def _run(task: int, options: Options, control: Control, token: bytes, host: str) -> dict[str, Any]:
    mine = partners(options.pattern, task, options.tasks)
    with listening(host) as listener:
        control.say(port=listener.getsockname()[1])
        places = [(host, port) for host, port in control.hear()["places"]]
        connections = meet(task, mine.all, listener, places, token, options.deadline_s)
    status = Status(options.local, options.job)
    wires = Wires(mine, connections, status)
    each = amounts(task, options, control, wires)
    wires.resize(each.words)
    wires.waited_s = 0.0
    path = options.socket if task == 0 else ""
    found = _Course(task, options, wires, each, Reports(path, options.job)).run()
    cpu_s = time.process_time()
    return {**found, "cpu_s": cpu_s, "asked": status.asked, "odd_bytes": status.odd}


class _Course:
    """The iterations of a task."""

    def __init__(self, task: int, options: Options, wires: Wires, each: Amounts, reports: Reports) -> None:
        self._task, self._options, self._wires, self._each = task, options, wires, each
        self._reports = reports
        self._work = Work(task, options.seed)
        self._computing_s = 0.0

    def run(self) -> dict[str, Any]:
        """All iterations; returns the report of them."""
        options, wires = self._options, self._wires
        wires.last = options.iterations or FAR
        began = time.monotonic()
        self._reports.begin(time.monotonic_ns())
        done = 0
        while done < wires.last:
            for turn in range(options.rounds):
                self._round(done * options.rounds + turn)
            done += 1
            now_ns = time.monotonic_ns()
            self._reports.send(done, now_ns)
            if self._task == 0 and wires.last == FAR and now_ns * 1e-9 - began >= options.seconds:
                # All hear of it with the messages of these iterations, and none goes beyond.
                wires.last = done + -(-hops(options.pattern, options.tasks) // options.rounds)
        took_s = time.monotonic() - began
        return {
            "iterations": done,
            "seconds": took_s,
            "computing": self._computing_s / took_s,
            "waiting": wires.waited_s / took_s,
            "exchanging": (took_s - self._computing_s - wires.waited_s) / took_s,
            "units": self._each.units,
            "words": self._each.words,
            "digest": self._work.digest().hex(),
            "reports_sent": self._reports.sent,
            "reports_lost": self._reports.lost,
        }

    def _round(self, number: int) -> None:
        began = time.monotonic()
        self._work.compute(self._each.units)
        self._computing_s += time.monotonic() - began
        for partner, sent in self._wires.sent.items():
            self._work.write(sent.words, number, partner)
        self._wires.exchange(number)
        for received in self._wires.received.values():
            self._work.read(received.words)
