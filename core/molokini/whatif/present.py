"""A present state as a value, and as bytes: all that is needed to go on from it elsewhere."""

import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any
from zipfile import BadZipFile

import numpy as np

from molokini.compiled.structs import Floats, Ints
from molokini.model.choices import StandingChoice
from molokini.model.errors import BadInput
from molokini.model.reservations import Reservation, of_json
from molokini.tables.declared import Axis, Nature
from molokini.tables.tables import Tables

_COLUMNS = ("submit_s", "start_s", "end_s", "processors", "estimate_s", "user", "group", "queue")


def _none() -> Floats:
    return np.zeros(0)


def _no_numbers() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Past:
    """Jobs that have ended, one element a job; credentials by their numbers (-1: none)."""

    submit_s: Floats = field(default_factory=_none)
    start_s: Floats = field(default_factory=_none)
    end_s: Floats = field(default_factory=_none)
    processors: Ints = field(default_factory=_no_numbers)
    estimate_s: Floats = field(default_factory=_none)
    user: Ints = field(default_factory=_no_numbers)
    group: Ints = field(default_factory=_no_numbers)
    queue: Ints = field(default_factory=_no_numbers)


@dataclass(frozen=True)
class Present:
    """What there is at the instant ``now_s``."""

    now_s: float
    tables: Tables
    """An excerpt: waiting jobs have the rows from 0 on, then running ones, then suspended ones."""
    jobs: tuple[str, ...]
    """What each of them is called, by row."""
    names: tuple[str, ...]
    """Names of users, groups and queues by their numbers."""
    nodes: tuple[str, ...]
    policy: str
    """The policy that decides, and its parameters as they were given."""
    parameters: Mapping[str, str]
    past: Past = field(default_factory=Past)
    reservations: tuple[Reservation, ...] = ()
    left_out: int = 0
    """Jobs that are held or not ready: they are no part of what may happen."""
    choice: StandingChoice | None = None
    """What the policy, where it chooses among others, has chosen."""

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return int(self.tables.queue.tail - self.tables.queue.head)

    def to_bytes(self) -> bytes:
        """All of it, for ``from_bytes`` of the same version."""
        t = self.tables
        arrays: dict[str, Any] = {f"tables.{leaf.path}": leaf.of(t) for leaf in _leaves()}
        arrays["record"], arrays["numbers"] = t.jobs.record, t.numbers_in_order()
        arrays.update({f"past.{name}": getattr(self.past, name) for name in _COLUMNS})
        meta = {
            "layout": Tables.numba_type.name,
            "sizes": {axis.name: size for axis, size in t.sizes().items()},
            "now_s": self.now_s,
            "jobs": self.jobs,
            "names": self.names,
            "nodes": self.nodes,
            "policy": self.policy,
            "parameters": dict(self.parameters),
            "reservations": [one.as_json() for one in self.reservations],
            "left_out": self.left_out,
            "choice": None if self.choice is None else asdict(self.choice),
        }
        arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Present":
        """The state that *data* holds. Raises BadInput for one of another version, or for none."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
                found = {name: arrays[name] for name in arrays.files}
            meta = json.loads(found["meta"].tobytes().decode())
        except (BadZipFile, ValueError, KeyError, EOFError) as error:
            raise BadInput(f"the state cannot be read: {error}") from None
        if meta["layout"] != Tables.numba_type.name:
            raise BadInput("the state is of another version of molokini; use the same version on both sides")
        t = Tables.sized({Axis[name]: size for name, size in meta["sizes"].items()})
        for leaf in _leaves():
            leaf.of(t)[...] = found[f"tables.{leaf.path}"]
        t.jobs.record[...] = found["record"]
        t.set_numbers(found["numbers"])
        return cls(
            now_s=meta["now_s"],
            tables=t,
            jobs=tuple(meta["jobs"]),
            names=tuple(meta["names"]),
            nodes=tuple(meta["nodes"]),
            policy=meta["policy"],
            parameters=meta["parameters"],
            past=Past(**{name: found[f"past.{name}"] for name in _COLUMNS}),
            reservations=tuple(
                one for one in map(of_json, meta["reservations"]) if isinstance(one, Reservation)
            ),
            left_out=meta["left_out"],
            choice=None if meta["choice"] is None else StandingChoice(**meta["choice"]),
        )


def _leaves() -> list[Any]:
    """The arrays that are true between passes, but for those of the record."""
    kept = (Nature.TRUTH, Nature.TENTATIVE)
    return [one for one in Tables.leaves() if not one.kind.recorded and one.column.nature in kept]
