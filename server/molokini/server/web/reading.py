"""From JSON to messages: what is wrong is said in one line, by its field, its value, and what is allowed.

Whatever protobuf's own JSON has is read: names as they are or in its second spelling (``jobId``), numbers as
numbers or as texts, enumerations by name or number, bytes in base64, null for a field that is not set. A
field that there is not, and one that is there twice, are refused.
"""

import base64
import binascii
import difflib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NoReturn

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from molokini.model.errors import BadValue, Conflict, shortened
from molokini.server.security.statuses import Undecodable

Read = Callable[[Any], Any]
_Field = FieldDescriptor


class UnknownField(Conflict):
    """A message has no field of this name."""


def parsed(body: bytes) -> Any:
    """What the JSON in *body* says; Undecodable, with the place, where it is none."""
    try:
        return _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Undecodable(f"not UTF-8 at byte {error.start + 1:,}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno:,}"
        raise Undecodable(f"not JSON: {error.msg} ({where})") from None
    except RecursionError:
        raise Undecodable("not JSON: nested too deeply") from None
    except ValueError:
        # Python reads no number of more than 4,300 digits.
        raise Undecodable("not JSON: a number with too many digits") from None


def from_document(kind: type[Message], document: Any) -> Message:
    """The message that *document* says. Undecodable, BadValue or Conflict for one that is none."""
    if not isinstance(document, dict):
        raise Undecodable(f"{_Shown(document)!r} is not allowed; a {kind.DESCRIPTOR.name} must be an object")
    try:
        made: Message = _message(kind.DESCRIPTOR)(document)
    except _Wrong as wrong:
        raise wrong.error() from None
    return made


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise Undecodable(f"not JSON: {shortened(repr(twice))} is in one object twice")
    return made


def _no_number(text: str) -> NoReturn:
    raise Undecodable(f"not JSON: {text}")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)


class _Wrong(Exception):
    """A value is none of its field; on its way out it learns where it stands."""

    def __init__(self, value: Any, allowed: str) -> None:
        self.value, self.allowed = value, allowed
        self.place = ""

    def at(self, step: str) -> "_Wrong":
        """The same, one step further out."""
        self.place = step + ("." if self.place and self.place[0] != "[" else "") + self.place
        return self

    def error(self) -> Exception:
        """The error text for the caller."""
        return BadValue(self.place, _Shown(self.value), self.allowed)


class _Apart(_Wrong):
    """A field that cannot stand where it does."""

    def __init__(self, sentence: str, kind: type[Conflict] = Conflict) -> None:
        super().__init__(None, "")
        self._sentence, self._kind = sentence, kind

    def error(self) -> Exception:
        """The error text for the caller."""
        return self._kind(self.place, self._sentence)


class _Shown:
    """A value as JSON has it, for the text of an error."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        value = self._value
        if isinstance(value, list | dict):
            return f"a list of {len(value):,}" if isinstance(value, list) else "an object"
        if isinstance(value, str):
            return shortened(repr(value[:100]))
        # Python writes no number of more than 4,300 digits.
        return "a huge number" if isinstance(value, int) and abs(value) >= 1 << 200 else json.dumps(value)


@cache
def _message(descriptor: Descriptor) -> Read:
    """What makes a message of an object; it is made when the first one comes, since kinds hold each other."""
    kind = GetMessageClass(descriptor)
    fields: dict[str, tuple[str, Read, str]] = {}

    def read(value: Any) -> Message:
        if type(value) is not dict:
            raise _Wrong(value, f"an object, as {descriptor.name} is")
        known = fields or _known(descriptor, fields)
        made: dict[str, Any] = {}
        chosen: dict[str, str] = {}
        for said, one in value.items():
            found = known.get(said)
            if found is None:
                raise _Apart(_none_such(descriptor, said), UnknownField).at(said)
            name, make, group = found
            if one is None:
                continue
            if name in made:
                raise _Apart(f"it is already given as {name!r}").at(said)
            if group and chosen.setdefault(group, name) != name:
                raise _Apart(f"it does not go with {chosen[group]!r}; set one of them").at(said)
            try:
                made[name] = make(one)
            except _Wrong as wrong:
                raise wrong.at(name) from None
        return kind(**made)

    return read


def _known(descriptor: Descriptor, fields: dict[str, tuple[str, Read, str]]) -> dict[str, Any]:
    for field in descriptor.fields:
        group = field.containing_oneof.name if field.containing_oneof is not None else ""
        entry = (field.name, _field(field), group)
        fields[field.name] = fields[field.json_name] = entry
    return fields


def _none_such(descriptor: Descriptor, name: str) -> str:
    names = [field.name for field in descriptor.fields]
    near = difflib.get_close_matches(name[:80], names, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(names) or 'none'}"
    return f"{descriptor.name} has no such field; {hint}"


def _field(field: FieldDescriptor) -> Read:
    kind = field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        return _map(_key(kind.fields_by_name["key"]), _single(kind.fields_by_name["value"]))
    return _list(_single(field)) if field.is_repeated else _single(field)


def _list(read: Read) -> Read:
    def many(value: Any) -> list[Any]:
        if type(value) is not list:
            raise _Wrong(value, "a list")
        made: list[Any] = []
        try:
            for one in value:
                made.append(read(one))
        except _Wrong as wrong:
            raise wrong.at(f"[{len(made)}]") from None
        return made

    return many


def _map(read_key: Read, read: Read) -> Read:
    def many(value: Any) -> dict[Any, Any]:
        if type(value) is not dict:
            raise _Wrong(value, "an object")
        made: dict[Any, Any] = {}
        for name, one in value.items():
            try:
                made[read_key(name)] = read(one)
            except _Wrong as wrong:
                raise wrong.at(f"[{shortened(repr(name[:100]))}]") from None
        return made

    return many


def _key(field: FieldDescriptor) -> Read:
    """Names in an object are texts, whatever they stand for."""
    return _text if field.type == _Field.TYPE_STRING else _whole(*_RANGES[field.type])


def _single(field: FieldDescriptor) -> Read:
    """What reads one value of *field*."""
    if field.message_type is not None:
        return _message(field.message_type)
    if field.enum_type is not None:
        return _enum({value.name: number for number, value in field.enum_type.values_by_number.items()})
    if field.type in _RANGES:
        return _whole(*_RANGES[field.type])
    return _SCALARS[field.type]


def _whole(least: int, most: int) -> Read:
    allowed = f"a whole number from {least:,} to {most:,}"

    def read(value: Any) -> int:
        made = value
        if type(made) is float:
            made = int(made) if made.is_integer() else made
        elif type(made) is str and len(made) <= _LONGEST_NUMBER and _WHOLE.fullmatch(made):
            made = int(made)
        if type(made) is not int or not least <= made <= most:
            raise _Wrong(value, allowed)
        return made

    return read


def _number(value: Any) -> float:
    made = value
    if type(made) is str:
        made = _WORDS.get(made)
        if made is not None:
            return made
        if len(value) <= _LONGEST_NUMBER and _NUMBER.fullmatch(value):
            made = float(value)
    try:
        if type(made) not in (int, float) or abs(made := float(made)) == float("inf"):
            raise _Wrong(value, "a number")
    except OverflowError:
        raise _Wrong(value, "a number of at most 1.8e308") from None
    return float(made)


def _enum(numbers: dict[str, int]) -> Read:
    whole = _whole(-(2**31), 2**31 - 1)
    allowed = _listed(name for name, number in numbers.items() if number)

    def read(value: Any) -> int:
        found = numbers.get(value) if type(value) is str else None
        if found is not None:
            return found
        try:
            # As over gRPC, a number without a name is the method's to refuse.
            return int(whole(value))
        except _Wrong:
            raise _Wrong(value, allowed) from None

    return read


def _truth(value: Any) -> bool:
    if type(value) is not bool:
        raise _Wrong(value, "true or false")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise _Wrong(value, "a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise _Wrong(value, "a text without halves of surrogate pairs") from None
    return value


def _bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(_text(value).translate(_URL_SAFE), validate=True)
    except (binascii.Error, ValueError):
        raise _Wrong(value, "a text in base64") from None


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_LONGEST_NUMBER = 400
_WORDS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf")}
_URL_SAFE = str.maketrans("-_", "+/")
_INT32, _INT64, _UINT32, _UINT64 = (
    (-(2**31), 2**31 - 1),
    (-(2**63), 2**63 - 1),
    (0, 2**32 - 1),
    (0, 2**64 - 1),
)
_RANGES = {
    _Field.TYPE_INT32: _INT32,
    _Field.TYPE_INT64: _INT64,
    _Field.TYPE_UINT32: _UINT32,
    _Field.TYPE_UINT64: _UINT64,
}
_SCALARS: dict[int, Read] = {
    _Field.TYPE_STRING: _text,
    _Field.TYPE_BOOL: _truth,
    _Field.TYPE_DOUBLE: _number,
    _Field.TYPE_BYTES: _bytes,
}
"""Of the kinds that our messages have; a test goes over all of them."""
