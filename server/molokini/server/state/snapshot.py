"""A state as bytes, and a state made of them: what a snapshot beside the journal holds.

A snapshot saves time and nothing else: all of it follows from the facts. So it has no upgrades; one of
another release, or of another layout of the classes here, is refused, and the facts are read instead.

Taking one has two steps. ``copy_state`` copies the state between two turns: values that never change, and the
tables. ``pieces`` makes bytes of that copy, a little at a time, while the server goes on.
"""

import json
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from molokini.feedback.aims import Aim
from molokini.model.choices import StandingChoice
from molokini.model.errors import MolokiniError
from molokini.model.facts import Ending, PartEnded
from molokini.model.reservations import Reservation, of_json
from molokini.model.run_results import RunResult
from molokini.model.slicing import Slicing
from molokini.server.state.effects.banking import put_bank
from molokini.server.state.effects.entering import take_up
from molokini.server.state.effects.parts import note_part
from molokini.server.state.jobs import Job
from molokini.server.state.kept import Kept
from molokini.server.state.queues import Queue
from molokini.server.state.snapshot_jobs import FIELDS, JobsInSnapshot, Reader, Writer, jobs_for_snapshot
from molokini.server.state.state import State
from molokini.tables.snapshot_columns import LAYOUT, KeptTables, kept, restored

SCHEMA = "molokini.snapshot/5"
_KEYS_A_PIECE = 1000
_RAW_A_PIECE = 1 << 20
_LENGTH = struct.Struct("<Q")

_PLAIN = (
    *("next_id", "epoch", "clock", "says_passes", "serial", "now", "ended"),
    *("paused", "paused_because", "statistics_since_s"),
)
"""Attributes of the state that are a number, a text, or true or not."""


class Unreadable(MolokiniError):
    """These bytes are no snapshot that this release has written."""


@dataclass(frozen=True)
class StateCopy:
    """A state at one instant."""

    serial: int
    small: Kept
    """All but the jobs and the tables, as JSON; of jobs that have left the memory, four bytes each."""
    tables: KeptTables
    keys: list[tuple[tuple[str, str], int]]
    jobs: JobsInSnapshot


def copy_state(state: State, release: str) -> StateCopy:
    """*state* between two turns; it may go on at once."""
    small = {
        "schema": SCHEMA,
        "release": release,
        "layout": [LAYOUT, FIELDS],
        **{name: getattr(state, name) for name in _PLAIN},
        "machine": state.machine.kept(),
        "rows": state.rows.kept(),
        "claims": state.claims.kept(),
        "queues": [queue.as_json() for queue in state.queues.values()],
        "configured_queues": [queue.as_json() for queue in state.configured_queues.values()],
        "reservations": [one.as_json() for one in state.reservations.values()],
        "instances": [one.as_json() for one in state.instances],
        "configured_reservations": sorted(state.configured_reservations),
        "ledger": state.ledger.kept(),
        "policy": state.policy,
        "choice": None if state.choice is None else asdict(state.choice),
        "configured_policy": state.configured_policy,
        "taken": dict(state.taken),
        "deadlines": dict(state.deadlines),
        "dependents": [[number, sorted(waiting)] for number, waiting in state.dependents.items()],
        "to_look_at": sorted(state.to_look_at),
        "timed": list(state.timed.items()),
        "numbers": state.numbers.kept(),
        "waking": list(state.waking.items()),
        "unplaced": sorted(state.unplaced),
        "sliced": [[*place, slicing.as_json()] for place, slicing in state.sliced.items()],
        "aims": [[*place, aim.as_json()] for place, aim in state.aims.items()],
        "kept_work": [[*place, work_s] for place, work_s in state.kept_work.items()],
        "ended_parts": [asdict(one) for ends in state.ended_parts.values() for one in ends],
        "finished": list(state.finished.items()),
        "past": state.past.kept(),
        "arrays_open": list(state.arrays),
    }
    jobs = jobs_for_snapshot(state.jobs.values())
    return StateCopy(state.serial, small, kept(state.tables), list(state.keys.items()), jobs)


# Making bytes.


def pieces(copied: StateCopy) -> Iterator[bytes]:
    """The snapshot of *copied*, compressed; a piece costs some milliseconds and may be empty."""
    packer = zlib.compressobj(1)
    for frame in _frames(copied):
        yield packer.compress(_LENGTH.pack(len(frame)))
        for start in range(0, len(frame), _RAW_A_PIECE):
            yield packer.compress(frame[start : start + _RAW_A_PIECE])
    yield packer.flush()


def _frames(photo: StateCopy) -> Iterator[bytes]:
    arrays = photo.tables.arrays
    keys = [photo.keys[start : start + _KEYS_A_PIECE] for start in range(0, len(photo.keys), _KEYS_A_PIECE)]
    header = {
        **photo.small,
        "scalars": photo.tables.scalars,
        "sizes": photo.tables.sizes,
        "arrays": [[name, str(array.dtype), array.shape] for name, array in arrays.items()],
        "key_frames": len(keys),
    }
    yield _bytes(header)
    for array in arrays.values():
        yield array.tobytes()
    for some in keys:
        yield _bytes(some)
    for texts, part in Writer().parts(photo.jobs):
        yield _encoded("\n".join(texts))
        yield _bytes({**part, "texts": len(texts)})


def _bytes(value: Any) -> bytes:
    return _encoded(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# Making a state.


def state_of(body: bytes, release: str) -> State:
    """The state that ``pieces`` has made *body* of; Unreadable where that was not this *release*."""
    try:
        frames = _unpacked(body)
        header = json.loads(bytes(next(frames)))
        _check_whose(header, release)
        return _restored(header, frames)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"cannot be read ({type(error).__name__}: {error})") from error


def _check_whose(header: Kept, release: str) -> None:
    if header.get("schema") != SCHEMA or header["release"] != release:
        raise Unreadable(f"is of release {header.get('release')!r}, this is {release!r}")
    if header["layout"] != json.loads(_bytes([LAYOUT, FIELDS])):
        raise Unreadable("is of another layout of the tables")


def _unpacked(body: bytes) -> Iterator[memoryview]:
    whole = memoryview(zlib.decompress(body))
    place = 0
    while place < len(whole):
        (length,) = _LENGTH.unpack_from(whole, place)
        place += _LENGTH.size
        if place + length > len(whole):
            raise Unreadable("ends too early")
        yield whole[place : place + length]
        place += length


def _restored(header: Kept, frames: Iterator[memoryview]) -> State:
    state = State()
    _restore_small(state, header)
    arrays = {}
    for name, dtype, shape in header["arrays"]:
        arrays[name] = np.frombuffer(next(frames), dtype=np.dtype(dtype)).reshape(shape)
    tables = restored(KeptTables(header["scalars"], header["sizes"], arrays))
    state.rows.restore(header["rows"], tables)
    state.tables = tables
    state.ledger.restore(header["ledger"])
    put_bank(state)
    for _ in range(header["key_frames"]):
        for (user, key), number in json.loads(bytes(next(frames))):
            state.keys[user, key] = number
    reader = Reader()
    for texts in frames:
        # Canonical JSON has no line breaks, so that no text has to be written as a string of JSON.
        new = bytes(texts).decode("utf-8", "surrogatepass").split("\n")
        part = json.loads(bytes(next(frames)))
        _take_up(state, reader.jobs(new if part["texts"] else [], part))
    state.arrays = {number: state.jobs[number] for number in header["arrays_open"]}
    return state


def _take_up(state: State, jobs: Iterable[Job]) -> None:
    for job in jobs:
        take_up(state, job)
        for element in job.known_elements():
            if element.row >= 0:
                state.by_row[element.row] = element


def _restore_small(state: State, header: Kept) -> None:
    for name in _PLAIN:
        setattr(state, name, header[name])
    state.machine.restore(header["machine"])
    state.claims.restore(header["claims"])
    state.queues.clear()
    for name in ("queues", "configured_queues"):
        getattr(state, name).update((one["name"], Queue.from_json(one)) for one in header[name])
    state.reservations = {one["name"]: of_json(one) for one in header["reservations"]}
    state.instances = [made for one in header["instances"] if isinstance(made := of_json(one), Reservation)]
    state.configured_reservations = set(header["configured_reservations"])
    for name in ("policy", "configured_policy"):
        setattr(state, name, tuple(header[name]) if header[name] is not None else None)
    # Snapshots of releases before this one have no choices.
    choice = header.get("choice")
    state.choice = StandingChoice(**choice) if choice is not None else None
    state.taken = {agent: (boot, serial) for agent, (boot, serial) in header["taken"].items()}
    state.dependents = {number: set(waiting) for number, waiting in header["dependents"]}
    state.to_look_at = set(header["to_look_at"])
    state.deadlines.update(header["deadlines"])
    state.finished.update((int(number), at_s) for number, at_s in header["finished"])
    state.past.restore(header["past"])
    state.sliced = {(job, index): Slicing.from_json(one) for job, index, one in header["sliced"]}
    # Snapshots of releases without target rates have none.
    state.aims = {(job, index): Aim.from_json(one) for job, index, one in header.get("aims", ())}
    state.kept_work = {(job, index): work_s for job, index, work_s in header["kept_work"]}
    for one in header["ended_parts"]:
        ending, result = Ending(one["ending"]), RunResult(**one["result"])
        note_part(state, PartEnded(**{**one, "ending": ending, "result": result}))
    state.timed = {int(number): at_s for number, at_s in header["timed"]}
    state.numbers.restore(header["numbers"])
    state.waking = {int(number): at_s for number, at_s in header["waking"]}
    state.unplaced = set(header["unplaced"])
