"""What a user may say, and what is refused."""

import argparse
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from exchange.nodes import NoPlace, Place, place_of
from exchange.patterns import PATTERNS
from exchange.reports import LONGEST

MOST_TASKS = 64
MOST_BYTES = 64 * 2**20
"""The most that a task sends in a round: it needs as much memory twice."""


@dataclass(frozen=True)
class Options:
    """One run."""

    tasks: int
    pattern: str
    iterations: int
    """0: as many as fit into ``seconds``."""
    seconds: float
    rounds: int
    grain_s: float
    ratio: tuple[float, float]
    units: int | None
    """Work in a round; None: as much as grain and ratio ask for."""
    message_bytes: int | None
    seed: int
    deadline_s: float
    socket: str
    local: str
    """The socket of the node's local scheduler; empty: there is none."""
    job: int
    verify: bool
    twin: bool
    place: Place
    address: str | None
    """At which other nodes reach this one; None: as its name says."""

    @property
    def compute_s(self) -> float:
        """Seconds of an iteration that are computation, alone at full speed."""
        return self.grain_s * self.ratio[0] / sum(self.ratio)

    @property
    def exchange_s(self) -> float:
        """The others."""
        return self.grain_s * self.ratio[1] / sum(self.ratio)


class Refused(Exception):
    """An option that cannot be: one line."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refused(f"{message}; --help lists all options")


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> Options:
    """The options of a command line. Raises Refused."""
    said = _parser().parse_args(arguments)
    try:
        place = place_of(environment)
    except NoPlace as error:
        raise Refused(str(error)) from None
    tasks = said.tasks if said.tasks is not None else _processors(environment)
    if place.nodes > 1 and tasks != _processors(environment):
        raise Refused(f"--tasks: {tasks} is not allowed; on several nodes a task is a processor of the job")
    _whole("--tasks", tasks, 1, MOST_TASKS)
    _whole("--rounds", said.rounds, 1, 1_000_000)
    _whole("--seed", said.seed, 0, 2**63 - 1)
    if said.iterations is not None:
        _whole("--iterations", said.iterations, 1, 10**12)
    for option in ("--seconds", "--grain", "--deadline"):
        value = getattr(said, option[2:])
        if value is not None and not 0.0 < value < math.inf:
            raise Refused(f"{option}: {value:g} is not allowed; it must be seconds above 0")
    return Options(
        tasks=tasks,
        pattern=said.pattern,
        iterations=said.iterations or (0 if said.seconds else 100),
        seconds=said.seconds or 0.0,
        rounds=said.rounds,
        grain_s=said.grain,
        ratio=_ratio(said.ratio),
        units=said.units,
        message_bytes=_amounts(said.units, said.bytes),
        seed=said.seed,
        deadline_s=said.deadline,
        socket=_socket("MOLOKINI_RATE_SOCKET", environment),
        local=_socket("MOLOKINI_LOCAL_SOCKET", environment),
        job=_job(environment.get("MOLOKINI_JOB_ID", "")),
        verify=said.verify,
        twin=said.twin,
        place=place,
        address=said.address,
    )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="exchange", description="A parallel program that computes and exchanges.", allow_abbrev=False
    )
    add = parser.add_argument
    add("--tasks", type=int, metavar="N", help="tasks (default: MOLOKINI_PROCESSORS, or 2)")
    add("--pattern", choices=PATTERNS, default="ring", help="who sends to whom (default: ring)")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--iterations", type=int, metavar="N", help="how many iterations (default: 100)")
    length.add_argument("--seconds", type=float, metavar="S", help="or for how long")
    add("--rounds", type=int, default=1, metavar="N", help="rounds in an iteration (default: 1)")
    add("--grain", type=float, default=0.1, metavar="S", help="seconds of an iteration (default: 0.1)")
    add("--ratio", default="1:1", metavar="C:M", help="computation to communication (default: 1:1)")
    add("--units", type=int, metavar="N", help="work in a round, instead of --grain and --ratio")
    add("--bytes", type=int, metavar="N", help="bytes of a message; with --units")
    add("--seed", type=int, default=1, metavar="N", help="of the data (default: 1)")
    add("--deadline", type=float, default=60.0, metavar="S", help="to find each other (default: 60)")
    add("--address", metavar="A", help="of this node, where a job has several (default: that of its name)")
    add("--verify", action="store_true", help="compute the checksum once more, one task after the other")
    add("--twin", action="store_true", help="only print the submit of an emulated job of these times")
    return parser


def _processors(environment: Mapping[str, str]) -> int:
    text = environment.get("MOLOKINI_PROCESSORS", "2")
    try:
        return int(text)
    except ValueError:
        raise Refused(f"MOLOKINI_PROCESSORS: {text!r} is not a number; say --tasks") from None


def _whole(option: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise Refused(f"{option}: {value} is not allowed; it must be {least} to {most}")


def _ratio(text: str) -> tuple[float, float]:
    try:
        computing, communicating = map(float, text.split(":"))
    except ValueError:
        computing = communicating = math.nan
    ratio = (computing, communicating)
    if not (all(0.0 <= part < math.inf for part in ratio) and sum(ratio) > 0.0):
        raise Refused(f"--ratio: {text!r} is not allowed; it must be two numbers such as 3:1, not both 0")
    return ratio


def _amounts(units: int | None, size: int | None) -> int | None:
    if (units is None) != (size is None):
        raise Refused("--units and --bytes: one is not allowed without the other")
    if units is None or size is None:
        return None
    _whole("--units", units, 0, 10**9)
    _whole("--bytes", size, 8, MOST_BYTES)
    if size % 8:
        raise Refused(f"--bytes: {size} is not allowed; it must be a multiple of 8")
    return size


def _socket(name: str, environment: Mapping[str, str]) -> str:
    path = environment.get(name, "")
    if len(os.fsencode(path)) > LONGEST:
        raise Refused(f"{name}: a path of {len(path)} bytes; it must be {LONGEST} at most")
    return path


def _job(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 0
