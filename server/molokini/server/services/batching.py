"""Batches from the wire, column by column: what jobs share with their like is translated once.

Jobs of one batch mostly differ in a few fields of their own (name, arguments, a key, an estimate) and agree
in all that the server has to think about. So fields of their own are taken out of a copy as columns; what is
left is a specification that many share, known by its bytes like any that came before.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from molokini.model.errors import BadValue
from molokini.model.job_specs import FIELDS
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.security.strings import FREE, check_strings, is_clean
from molokini.server.translate import spec_from_wire
from molokini.server.turn.asked import RUN_S, AskedBatch, AskedSpec

Messages = Sequence[jobs_pb2.JobSpec]

LEAST = 4
"""Of fewer jobs each is translated alone."""
_ASKED = 16
"""So many jobs, or some more, are compared to see whether jobs of a batch share anything."""
_OWN = tuple(name for name, field in FIELDS.items() if field.own)
_TEXTS = frozenset(_OWN) - {"argv", "estimate_s"}


def batch_from_wire(request: wire.SubmitManyRequest) -> Sequence[AskedSpec] | AskedBatch:
    """The jobs of *request*. BadValue for a text or a value that stands for nothing, which ends the call."""
    sent: Messages = list(request.specs)
    own = _own(sent) if len(sent) >= LEAST else {}
    bare = _without(own, request) if own else sent
    if len(sent) < LEAST or not _share(bare):
        check_strings(request)
        return [spec_from_wire(one) for one in sent]
    if not _clean(own):
        check_strings(request)
    asked = [spec_from_wire(one) for one in bare]
    _check_bare(asked, bare, request)
    return AskedBatch(asked, own, lambda place: spec_from_wire(sent[place]))


def _share(bare: Messages) -> bool:
    """Whether it seems that jobs share what is left of them: two of a few, at even distances, do."""
    asked = bare[:: max(1, len(bare) // _ASKED)]
    return len({one.SerializeToString() for one in asked}) < len(asked)


def _own(sent: Messages) -> dict[str, Sequence[Any]]:
    """The columns of fields that are set in each job and differ."""
    first = {field.name for field, _ in sent[0].ListFields()}
    made: dict[str, Sequence[Any]] = {}
    for name, read in _COLUMNS.items():
        if name.partition(".")[0] in first:
            column = read(sent)
            if all(column) and _differ(column):
                made[name] = column
    return made


def _differ(column: Sequence[Any]) -> bool:
    # Mostly the first look tells.
    return bool(column[0] != column[-1]) or column.count(column[0]) < len(column)


def _lists(sent: Messages) -> list[list[str]]:
    return [one.argv[:] for one in sent]


def _values(name: str) -> Callable[[Messages], list[Any]]:
    get = attrgetter(name)
    return lambda sent: list(map(get, sent))


_COLUMNS: Mapping[str, Callable[[Messages], list[Any]]] = {
    **{name: _lists if name == "argv" else _values(name) for name in _OWN},
    RUN_S: _values(RUN_S),
}


def _without(own: Mapping[str, Sequence[Any]], request: wire.SubmitManyRequest) -> Messages:
    """A copy of the jobs that says nothing of the fields of *own*."""
    copy = wire.SubmitManyRequest()
    copy.CopyFrom(request)
    bare: Messages = list(copy.specs)
    for name in own:
        if name == RUN_S:
            for one in bare:
                one.outcome.ClearField("run_s")
        else:
            for one in bare:
                one.ClearField(name)
    return bare


def _clean(own: Mapping[str, Sequence[Any]]) -> bool:
    """Whether no text of *own* can hold what it must not; all texts of a column are looked at as one."""
    for name, column in own.items():
        if name in _TEXTS or name == "argv":
            texts = column if name != "argv" else ["".join(one) for one in column]
            if not is_clean("".join(texts), free=name in FREE):
                return False
    return True


def _check_bare(asked: Sequence[AskedSpec], bare: Messages, request: wire.SubmitManyRequest) -> None:
    """BadValue, as of the whole *request*, where a text that jobs share holds what it must not."""
    for spec, message in zip(asked, bare, strict=True):
        if not spec.clean:
            try:
                check_strings(message)
            except BadValue:
                check_strings(request)
                raise
            spec.clean = True
