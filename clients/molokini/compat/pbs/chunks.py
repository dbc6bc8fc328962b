"""``-l nodes=`` and ``-l select=``: so many equal parts of so many processors each."""

from __future__ import annotations

from molokini.compat.pbs.sizes import kilobytes

LARGEST = 2**31 - 1


class BadChunk(Exception):
    """Why a specification cannot be meant: one line."""


class Chunks:
    """*count* parts of *processors* each; memory, generic resources and processes are those of one part."""

    __slots__ = (
        "constraint",
        "count",
        "exclusive",
        "features",
        "generic",
        "memory_kb",
        "processes",
        "processors",
    )

    def __init__(self, count: int = 1) -> None:
        self.count, self.processors, self.processes = count, 1, 1
        self.memory_kb = 0
        self.generic: dict[str, int] = {}
        self.features: list[str] = []
        self.exclusive = False
        self.constraint = ""
        """How many parts need which features, where they differ in them: ``fast*2&slow*1``."""

    @property
    def kind(self) -> tuple[object, ...]:
        """All but the count and the features: parts can be added up where it is the same."""
        return (self.processors, self.processes, self.memory_kb, tuple(sorted(self.generic.items())))

    @property
    def counted(self) -> str:
        """Its features with the number of parts that need them; empty: none."""
        names = "&".join(self.features)
        return f"({names})*{self.count}" if len(self.features) > 1 else names and f"{names}*{self.count}"


def whole(text: str, what: str, least: int = 1) -> int:
    """The number that *text* says. Raises BadChunk."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12) or not least <= int(text) <= LARGEST:
        raise BadChunk(f"{what} {text[:40]!r}: must be a whole number from {least} to {LARGEST:,}")
    return int(text)


def nodes(text: str) -> Chunks:
    """What ``nodes=text`` says: parts with "+" between, each a count or a property, with ``:ppn=`` and more.

    Raises BadChunk.
    """
    body, *flags = text.split("#")
    made = _added([_node(part) for part in body.split("+")], "nodes")
    for flag in flags:
        if flag not in ("shared", "excl"):
            raise BadChunk(f"nodes: #{flag[:40]} is not supported; #shared and #excl are")
        made.exclusive = made.exclusive or flag == "excl"
    return made


def _node(text: str) -> Chunks:
    first, *rest = text.split(":")
    made = Chunks()
    if first.isdigit() or first[:1] in "+-." or not first:
        made.count = whole(first, "nodes")
    else:
        made.features.append(first)
    for part in rest:
        name, equals, value = part.partition("=")
        if not equals:
            if not name:
                raise BadChunk(f"nodes: an empty part in {text[:60]!r}")
            made.features.append(name)
        elif name == "ppn":
            made.processors = made.processes = whole(value, "ppn")
        elif name in ("gpus", "ngpus"):
            made.generic["gpu"] = whole(value, name, 0)
        elif name == "mem":
            made.memory_kb = size(value, "mem")
        else:
            raise BadChunk(f"nodes: {name[:40]}= is not supported; ppn=, gpus=, mem= and properties are")
    return made


def select(text: str) -> Chunks:
    """What ``select=text`` says: parts with "+" between, each ``[N:]name=value[:name=value...]``.

    Raises BadChunk.
    """
    return _added([_chunk(part) for part in text.split("+")], "select")


def _chunk(text: str) -> Chunks:
    parts = text.split(":")
    made = Chunks()
    if "=" not in parts[0]:
        made.count = whole(parts.pop(0), "select")
    for part in parts:
        name, equals, value = part.partition("=")
        if not equals or not name or not value:
            raise BadChunk(f"select: {part[:60]!r} is no name=value")
        _note(made, name, value)
    return made


def _note(made: Chunks, name: str, value: str) -> None:
    """One ``name=value`` of a chunk: a resource of our own, another in numbers, or a feature."""
    if name == "ncpus":
        made.processors = whole(value, name)
    elif name == "mpiprocs":
        made.processes = whole(value, name)
    elif name == "ompthreads":
        whole(value, name)
    elif name == "mem":
        made.memory_kb = size(value, name)
    elif name in ("ngpus", "gpus"):
        made.generic["gpu"] = whole(value, name, 0)
    elif name in ("host", "vnode"):
        raise BadChunk(f"select: {name}= is not supported: jobs cannot name their nodes")
    elif name in ("vmem", "naccelerators", "accelerator_memory"):
        raise BadChunk(f"select: {name}= is not supported")
    elif value.isascii() and value.isdigit():
        made.generic[name] = whole(value, name, 0)
    elif value.lower() in ("true", "t", "yes", "y"):
        made.features.append(name)
    elif value.lower() in ("false", "f", "no", "n"):
        raise BadChunk(f"select: {name}={value}: jobs cannot ask for nodes without a feature")
    else:
        made.features.append(value)


def size(text: str, what: str) -> int:
    """Kilobytes. Raises BadChunk."""
    try:
        return kilobytes(text)
    except ValueError:
        raise BadChunk(f"{what} {text[:40]!r}: must be a size above 0, such as 477mb or 4gb") from None


def _added(parts: list[Chunks], what: str) -> Chunks:
    first = parts[0]
    if any(part.kind != first.kind for part in parts):
        why = "parts that differ in more than their features are not supported"
        raise BadChunk(f"{what}: {why}; all must ask for the same")
    if any(sorted(part.features) != sorted(first.features) for part in parts):
        first.constraint = "&".join(filter(None, [part.counted for part in parts]))
        first.features = []
    first.count = sum(part.count for part in parts)
    if first.count * first.processors > LARGEST:
        raise BadChunk(f"{what}: more than {LARGEST:,} processors in all")
    return first
