"""What lines of ``maui.cfg`` say, put into a draft."""

from dataclasses import replace

from molokini.maui.draft import Draft, shown
from molokini.maui.findings import Finding, Status
from molokini.maui.grammar import BadLine, Line, attribute
from molokini.maui.kinds import is_name
from molokini.maui.legacy import modern
from molokini.maui.model import DEFAULT
from molokini.maui.parameters import OBJECT_TYPES, PAIRS, PARAMETERS, ObjectType, Parameter, Path
from molokini.maui.sections.credentials import COUNTED, WHOSE, PairLimit
from molokini.maui.sections.reasons import PARTITIONS
from molokini.maui.unknown import unknown_attribute, unknown_parameter
from molokini.maui.values import Weight

_SECRETS = {"CSKEY"}


def interpret(lines: list[Line], draft: Draft) -> None:
    """Put what *lines* say into *draft*; what they say wrongly is refused there."""
    for written, line in modern(lines):
        if draft.full:
            at = Finding(written.file, written.number, "", "", Status.REFUSED)
            draft.refuse(at, "too much is wrong before this line; the rest was not checked")
            return
        at = Finding(
            written.file, written.number, written.written[:120], shown(written.value), Status.REFUSED
        )
        if line.name in OBJECT_TYPES:
            _object(line, OBJECT_TYPES[line.name], at, draft, rewritten=line is not written)
        elif line.name in PARAMETERS:
            _scalar(line, PARAMETERS[line.name], at, draft)
        else:
            draft.refuse(at, unknown_parameter(line.name))


def _scalar(line: Line, parameter: Parameter, at: Finding, draft: Draft) -> None:
    path: Path = parameter.path
    index = line.index if line.index is not None else "0"
    if parameter.array:
        path = (*path, index)
    if not is_name(index):
        draft.refuse(at, f"{index!r} is not an index", path)
    elif not line.words:
        draft.refuse(at, f"the value is missing; expected {parameter.kind.allowed}", path)
    elif index != "0" and not parameter.array:
        _of_partition(line, parameter, index, at, draft)
    else:
        draft.put(at, parameter, path, parameter.kind.read, line.value)


def _of_partition(line: Line, parameter: Parameter, index: str, at: Finding, draft: Draft) -> None:
    """A weight or cap of one partition."""
    if not parameter.by_partition:
        draft.refuse(at, f"takes no index; write {parameter.name} without [{index}]")
        return
    alone = replace(parameter, without=PARTITIONS)

    def read(text: str) -> float:
        value = parameter.kind.read(text)
        return value.value if isinstance(value, Weight) else float(value)

    draft.put(at, alone, ("priority", "by_partition", index, parameter.path[-1]), read, line.value)


def _object(line: Line, type_: ObjectType, at: Finding, draft: Draft, rewritten: bool) -> None:
    id_ = line.index if line.index is not None else "0" if type_.single else ""
    if not is_name(id_):
        draft.refuse(at, f"needs the name of {type_.what}: {type_.name}[NAME] ATTR=VALUE")
        return
    path = type_.path(DEFAULT if id_.upper() == DEFAULT else id_)
    table = draft.values
    for part in path:
        table = table.setdefault(part, {})
    if not line.words:
        meaning = f"There is {type_.what} of this name."
        draft.findings.append(replace(at, status=Status.UNDERSTOOD, meaning=meaning))
    malformed = False
    for word in line.words:
        try:
            name, index, value = attribute(word)
        except BadLine as error:
            # Once a line: spaces around = would be three.
            if not malformed:
                draft.refuse(at, str(error))
            malformed = True
            continue
        told = (
            at if rewritten else replace(at, parameter=f"{line.written} {_named(name, index)}", value=value)
        )
        if name in _SECRETS:
            told = replace(told, value="...")
        _attribute(type_, path, (name, index, value), told, draft)


def _named(name: str, index: str | None) -> str:
    return name if index is None else f"{name}[{index}]"


def _attribute(
    type_: ObjectType, path: Path, word: tuple[str, str | None, str], at: Finding, draft: Draft
) -> None:
    name, index, value = word
    parameter = type_.attributes.get(name)
    if index is not None and type_.pairs:
        _pair(path, name, index, value, at, draft)
    elif parameter is None:
        draft.refuse(at, unknown_attribute(type_.name, name))
    elif index is not None:
        draft.refuse(at, f"takes no index; write {name} without [{index}]")
    elif not value and not parameter.kind.empty:
        draft.refuse(at, f"the value is missing; expected {parameter.kind.allowed}", (*path, *parameter.path))
    else:
        draft.put(at, parameter, (*path, *parameter.path), parameter.kind.read, value)


def _pair(path: Path, name: str, index: str, value: str, at: Finding, draft: Draft) -> None:
    """``MAXPROC[USER:steve]=3``."""
    counted, whose, whom = name.removeprefix("MAX"), *index.partition(":")[::2]
    if not name.startswith("MAX") or counted not in COUNTED.words or whose.upper() not in WHOSE.words:
        known = f"MAX with {', '.join(COUNTED.words)} behind it, and [{'|'.join(WHOSE.words)}] or [TYPE:NAME]"
        draft.refuse(at, f"{_named(name, index)!r} is not a limit of pairs; it must be {known}")
        return
    if whom and not is_name(whom):
        draft.refuse(at, f"{whom!r} is not a name")
        return

    parameter = PAIRS[COUNTED.words[counted]]

    def read(text: str) -> tuple[PairLimit, ...]:
        limit = parameter.kind.read(text)
        told = {"counted": counted, "whose": whose, "name": whom, "limit": limit}
        pair = PairLimit.model_validate(told)
        return (*(one for one in _pairs(draft, path) if one.key != pair.key), pair)

    draft.put(
        at, parameter, (*path, "pairs"), read, value, noted=(*path, "pairs", counted, whose.upper(), whom)
    )


def _pairs(draft: Draft, path: Path) -> tuple[PairLimit, ...]:
    table = draft.values
    for part in path:
        table = table[part]
    return tuple(table.get("pairs", ()))
