"""Maui's resource trace: the nodes of a simulated machine, read and written without loss.

21 fields a line (Maui Administrator's Guide, 16.2). Field 18 is the node's speed in the guide and its generic
resources in the program; here it is the speed where it is a number, else generic resources. Frame, slot and
slots used stand in the order in which the program reads them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from molokini.model.errors import BadFile, BadValue
from molokini.model.machine import Machine, Node
from molokini.model.resources import Resource
from molokini.workloads.maui_records import (
    NONE,
    bracketed,
    megabytes,
    parts_of,
    read_words,
    text_of,
    whole,
    word,
    write_words,
)

FIELDS = 21
STATES = ("AVAILABLE", "DEFINED", "DRAINED")
"""Idle, down, drained."""


@dataclass(frozen=True)
class MauiNode:
    """A node of the trace; sizes in MB."""

    name: str
    state: str = STATES[0]
    processors: int = 1
    memory_mb: int = 0
    swap_mb: int = 0
    disk_mb: int = 0
    speed: float = 1.0
    generic: str = ""
    """Generic resources as the trace spells them."""
    features: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    """Classes with their slots, ``batch:4``."""
    networks: tuple[str, ...] = ()
    system: str = ""
    architecture: str = ""
    manager: str = ""
    frame: int = 0
    slot: int = 0
    slots_used: int = 1
    event_s: int = 0
    reserved: tuple[str, str, str] = field(default=("", "", ""))


def node_of(words: tuple[str, ...]) -> MauiNode:
    """The node of a line of 21 words; raises ``BadValue``."""
    if len(words) != FIELDS:
        raise BadValue("fields", len(words), f"{FIELDS} on a line of a resource trace")
    if words[0] != "COMPUTENODE":
        raise BadValue("field 1 (type)", words[0], "COMPUTENODE")
    if words[1] not in STATES:
        raise BadValue("field 2 (state)", words[1], "one of " + ", ".join(STATES))
    speed, generic = _speed_or_generic(words[17])
    processors = whole("field 9 (processors)", words[8])
    if processors < 1:
        raise BadValue("field 9 (processors)", processors, "1 or more")
    return MauiNode(
        name=words[3],
        state=words[1],
        event_s=whole("field 3 (event)", words[2]),
        manager=text_of(words[4]),
        swap_mb=megabytes("field 6 (swap)", words[5]),
        memory_mb=megabytes("field 7 (memory)", words[6]),
        disk_mb=megabytes("field 8 (disk)", words[7]),
        processors=processors,
        frame=whole("field 10 (frame)", words[9]),
        slot=whole("field 11 (slot)", words[10]),
        slots_used=whole("field 12 (slots used)", words[11]),
        system=text_of(words[12]),
        architecture=text_of(words[13]),
        features=parts_of(words[14]),
        queues=parts_of(words[15]),
        networks=parts_of(words[16]),
        speed=speed,
        generic=generic,
        reserved=(text_of(words[18]), text_of(words[19]), text_of(words[20])),
    )


def _speed_or_generic(text: str) -> tuple[float, str]:
    try:
        speed = float(text)
    except ValueError:
        return 1.0, text_of(text)
    if not 0.01 <= speed <= 100:
        raise BadValue("field 18 (speed)", text, "from 0.01 to 100")
    return speed, ""


def words_of(node: MauiNode) -> tuple[str, ...]:
    """The node as the 21 words of its line."""
    numbers = (node.swap_mb, node.memory_mb, node.disk_mb, node.processors, node.frame, node.slot)
    return (
        "COMPUTENODE",
        node.state,
        str(node.event_s),
        word(node.name),
        word(node.manager),
        *map(str, numbers),
        str(node.slots_used),
        word(node.system),
        word(node.architecture),
        bracketed(node.features),
        bracketed(node.queues),
        bracketed(node.networks),
        word(node.generic) if node.generic else repr(node.speed),
        *(word(text) if text else NONE for text in node.reserved),
    )


def read_maui_nodes(path: str | Path) -> list[MauiNode]:
    """All nodes of a resource trace, in the order of the file; the first bad line raises ``BadFile``."""
    path = Path(path)
    nodes: list[MauiNode] = []
    names: set[str] = set()
    for record in read_words(path):
        try:
            node = node_of(record.words)
        except BadValue as error:
            raise BadFile(str(path), str(error), record.line) from None
        if node.name in names:
            raise BadFile(str(path), f"node {node.name!r} is there twice", record.line)
        names.add(node.name)
        nodes.append(node)
    if not nodes:
        raise BadFile(str(path), "the file holds no node")
    return nodes


def write_maui_nodes(nodes: Iterable[MauiNode], path: str | Path) -> None:
    """Write a resource trace, whole or not at all."""
    write_words(path, map(words_of, nodes), "resource trace of Maui, 21 fields")


def machine_of(nodes: Iterable[MauiNode]) -> Machine:
    """The machine of the available nodes, with their resources."""
    return Machine.of_nodes([_node(node) for node in nodes if node.state == STATES[0]])


def _node(node: MauiNode) -> Node:
    sizes = {
        Resource.MEMORY_KB: node.memory_mb,
        Resource.SWAP_KB: node.swap_mb,
        Resource.DISK_KB: node.disk_mb,
    }
    capacity = {Resource.PROCESSORS: float(node.processors)}
    # Sizes are kB everywhere in the tables; a size of 0 is not counted.
    return Node(capacity | {kind: size * 1024.0 for kind, size in sizes.items() if size})
