"""How much work and how long messages make an iteration of the wished length: measured at the start.

Computation is measured in task 0 while the others wait, so at the speed of a processor of its own; an
exchange by all of them together. The shortest of some measurements counts: a stop only adds.
"""

import math
import time
from typing import NamedTuple

from exchange.control import Control
from exchange.options import MOST_BYTES, Options
from exchange.patterns import partners
from exchange.wires import Wires
from exchange.work import Work

_GUESSES = 16
_GROWTH = 8.0
"""How much longer the next guess may be: short messages say little of the time of long ones."""
_CLOSE = 0.05
_LOOKS = 5
_LOOK_S = 0.01


class Amounts(NamedTuple):
    """What a task does in a round."""

    units: int
    words: int
    """In a message to one partner."""


class TooLong(Exception):
    """A wished time that messages of allowed length do not take: one line."""


def amounts(task: int, options: Options, control: Control, wires: Wires) -> Amounts:
    """The same for all tasks. Raises TooLong, and what an exchange raises."""
    if options.units is not None and options.message_bytes is not None:
        return Amounts(options.units, options.message_bytes // 8)
    units = round(options.compute_s / options.rounds / _unit_s()) if task == 0 else 0
    units = control.agree(units)
    words = 1
    if options.exchange_s > 0.0 and options.tasks > 1:
        words = _words(task, options, control, _Exchanges(task, options, wires))
    return Amounts(units, words)


def _words(task: int, options: Options, control: Control, measured: "_Exchanges") -> int:
    """Words with which an exchange takes its share of a round, as task 0 finds them."""
    wished_s = options.exchange_s / options.rounds
    words, looks = 1, _LOOKS
    for _ in range(_GUESSES):
        took_s = measured.seconds(words, looks)
        guess = words
        if task == 0 and not _near(words, took_s, wished_s):
            guess = _bounded(options, words * wished_s / took_s, round(words * _GROWTH))
        known = words
        words, looks = control.agree([guess, _LOOKS if took_s < _LOOK_S else 2])
        if words == known:
            break
    return words


def _near(words: int, took_s: float, wished_s: float) -> bool:
    return abs(took_s - wished_s) < _CLOSE * wished_s or (words == 1 and took_s >= wished_s)


def _bounded(options: Options, words: float, most_now: int) -> int:
    sent_to = max(len(partners(options.pattern, task, options.tasks).to) for task in range(options.tasks))
    most = MOST_BYTES // 8 // sent_to
    if min(words, most_now) > most:
        enough = math.ceil(1.5 * options.rounds * words / most)
        raise TooLong(
            f"--rounds: {options.rounds} needs messages of more than {MOST_BYTES >> 20} MiB a round for "
            f"{options.exchange_s / options.rounds:.3g} s; {enough} would do, or a shorter --grain"
        )
    return min(max(1, round(words)), most_now)


def _unit_s() -> float:
    work, units, best_s = Work(0, 0), 1, 0.0
    while best_s < _LOOK_S:
        units *= 2
        best_s = min(_timed(work, units) for _ in range(_LOOKS))
    return best_s / units


def _timed(work: Work, units: int) -> float:
    began = time.perf_counter()
    work.compute(units)
    return time.perf_counter() - began


class _Exchanges:
    """Exchanges of this task that count for nothing but their time."""

    def __init__(self, task: int, options: Options, wires: Wires) -> None:
        self._wires = wires
        self._work = Work(task, options.seed)
        self._number = 0

    def seconds(self, words: int, looks: int) -> float:
        """The shortest of some exchanges of messages of so many words."""
        self._wires.resize(words)
        return min(self._once() for _ in range(looks))

    def _once(self) -> float:
        began = time.perf_counter()
        for partner, message in self._wires.sent.items():
            self._work.write(message.words, self._number, partner)
        self._wires.exchange(self._number)
        for message in self._wires.received.values():
            self._work.read(message.words)
        self._number += 1
        return time.perf_counter() - began
