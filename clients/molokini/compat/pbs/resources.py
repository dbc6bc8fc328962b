"""``-l``: what a job asks for, as the server gets it, and as listings show it."""

from __future__ import annotations

from molokini.compat._types import Any, Iterable
from molokini.compat.pbs.chunks import BadChunk, Chunks, nodes, select, size, whole
from molokini.compat.pbs.failing import BAD_VALUE, NOT_WITH_SELECT, UNKNOWN_RESOURCE
from molokini.compat.pbs.times import duration_s

_KEPT = frozenset(
    ("cput", "pcput", "file", "nice", "vmem", "pvmem", "software", "arch", "ompthreads", "opsys", "other")
)
"""Shown by listings, and not acted upon."""
_KEPT = _KEPT | {"naccesspolicy", "neednodes"}
_OF_CHUNKS = ("nodes", "ncpus", "mpiprocs", "procs", "size", "mem", "gpus", "ngpus")
"""Which cannot stand beside ``select`` and ``place``."""
SUPPORTED = (
    "nodes=, select=, place=, ncpus=, procs=, size=, mem=, pmem=, gpus=, ngpus=, feature=, gres=, qos=, "
    "walltime=, wd; shown and not acted upon: " + ", ".join(sorted(_KEPT))
)


class BadResource(Exception):
    """An option ``-l`` that cannot be meant: the number of the error, the resource, and why."""

    def __init__(self, number: int, about: str, why: str) -> None:
        super().__init__(why)
        self.number, self.about = number, f"Resource_List.{about}"


class ResourceRequest:
    """What the resources of a command line come to."""

    def __init__(self) -> None:
        self.resources: dict[str, Any] = {}
        """As the server's Resources."""
        self.estimate_s = 0.0
        self.qos = ""
        self.exclusive = False
        """Whether no other job may use the nodes."""
        self.here = False
        """Whether the job starts where it was submitted (``-l wd``), and not in the home directory."""
        self.processes = ""
        """Lines of the file of nodes: ``node=4`` on each, or ``each=2:1``, one for each two processors."""
        self.threads = 1
        """Processors of a chunk."""


def pairs_of(texts: Iterable[str]) -> dict[str, str]:
    """The resources of the options *texts*; of one that is named twice the first counts.

    Raises BadResource.
    """
    found: dict[str, str] = {}
    for text in texts:
        for part in text.split(","):
            name, equals, value = part.strip().partition("=")
            if name == "wd" and not equals:
                value = "True"
            elif not name or not equals or not value.strip():
                raise BadResource(BAD_VALUE, name[:40], f"{part[:60]!r} is no name=value")
            found.setdefault(name, value.strip())
    return found


def wanted(pairs: dict[str, str]) -> ResourceRequest:
    """What *pairs* ask for. Raises BadResource."""
    made = ResourceRequest()
    for name in pairs:
        if name not in _READ and name not in _KEPT:
            raise BadResource(UNKNOWN_RESOURCE, name[:60], "there is no such resource here")
    if "select" in pairs or "place" in pairs:
        for name in _OF_CHUNKS:
            if name in pairs:
                raise BadResource(NOT_WITH_SELECT, name, "put it into a chunk of select")
    asked = "nothing"
    try:
        for asked in pairs:
            if (note := _READ.get(asked)) is not None:
                note(made, pairs[asked])
        asked = next((name for name in ("select", "nodes", "ncpus", "procs", "size") if name in pairs), "mem")
        _place(made, pairs)
    except BadChunk as error:
        raise BadResource(BAD_VALUE, asked, str(error)) from None
    return made


def _place(made: ResourceRequest, pairs: dict[str, str]) -> None:
    """Say where the processors may lie. Raises BadChunk."""
    arrangement, sharing = _place_of(pairs.get("place", ""))
    made.exclusive = sharing in ("excl", "exclhost")
    chunks = Chunks()
    if "select" in pairs:
        chunks = select(pairs["select"])
    elif "nodes" in pairs:
        chunks, arrangement = nodes(pairs["nodes"]), "scatter"
        made.exclusive = chunks.exclusive
    elif "procs" in pairs or "size" in pairs:
        name = "procs" if "procs" in pairs else "size"
        chunks.count = whole(pairs[name], name)
    elif "ncpus" in pairs:
        chunks.processors = whole(pairs["ncpus"], "ncpus")
    if "mpiprocs" in pairs:
        chunks.processes = whole(pairs["mpiprocs"], "mpiprocs")
    _spread(made, chunks, arrangement)
    _add_for_the_whole(made, chunks, pairs)


def _spread(made: ResourceRequest, chunks: Chunks, arrangement: str) -> None:
    """Chunks are never cut: one of several processors has a node of its own, unless all are packed on one."""
    total, each = chunks.count * chunks.processors, chunks.processors
    made.threads = each
    if arrangement == "pack":
        _on_nodes(made, 1, total, chunks.count * chunks.processes)
        factor = chunks.count
    elif arrangement == "free" and each == 1 and not chunks.constraint:
        made.resources, made.processes, factor = {"processors": total}, f"each=1:{chunks.processes}", 1
    else:
        _on_nodes(made, chunks.count, each, chunks.processes)
        factor = 1
    if chunks.memory_kb:
        made.resources["memory_kb"] = -(-chunks.memory_kb // each)
    if chunks.generic:
        made.resources["generic"] = {name: factor * count for name, count in chunks.generic.items()}
    if chunks.features:
        made.resources["features"] = chunks.features
    if chunks.constraint:
        if arrangement == "pack":
            raise BadChunk("place=pack: parts that differ in their features cannot lie on one node")
        made.resources["constraint"] = chunks.constraint


def _on_nodes(made: ResourceRequest, count: int, each: int, processes: int) -> None:
    if count * each == 1:
        made.resources = {"processors": 1}
    else:
        made.resources = {"processors": count * each, "nodes": count, "processors_per_node": each}
    made.processes = f"node={processes}"


def _add_for_the_whole(made: ResourceRequest, chunks: Chunks, pairs: dict[str, str]) -> None:
    """Memory, graphics processors and features of the job, not of its chunks."""
    total = chunks.count * chunks.processors
    if "mem" in pairs:
        made.resources["memory_kb"] = -(-size(pairs["mem"], "mem") // total)
    if "pmem" in pairs:
        made.resources["memory_kb"] = size(pairs["pmem"], "pmem")
    generic = dict(made.resources.get("generic", {}))
    for name in ("gpus", "ngpus"):
        if name in pairs:
            generic["gpu"] = whole(pairs[name], name, 0)
    for part in filter(None, pairs.get("gres", "").split("+")):
        name, _, count = part.partition(":")
        generic[name] = whole(count or "1", "gres")
    if generic and chunks.count > 1 and not chunks.generic:
        raise BadChunk("ask for it in each part of select or nodes: the job has several")
    if generic:
        made.resources["generic"] = generic
    if "feature" in pairs:
        made.resources["features"] = [*made.resources.get("features", ()), *pairs["feature"].split(":")]


def _place_of(text: str) -> tuple[str, str]:
    """Arrangement and sharing of ``place=text``. Raises BadChunk."""
    arrangement, sharing = "free", "shared"
    for part in text.split(":") if text else ():
        if part in ("free", "pack", "scatter", "vscatter"):
            arrangement = part
        elif part in ("excl", "shared", "exclhost"):
            sharing = part
        else:
            raise BadChunk(
                f"{part[:40]!r} is none of free, pack, scatter, vscatter, shared, excl and exclhost"
            )
    return arrangement, sharing


def _walltime(made: ResourceRequest, value: str) -> None:
    try:
        made.estimate_s = duration_s(value)
    except ValueError:
        raise BadChunk(f"{value[:40]!r}: must be seconds or [[HH:]MM:]SS, above 0") from None


def _qos(made: ResourceRequest, value: str) -> None:
    made.qos = value


def _wd(made: ResourceRequest, value: str) -> None:
    made.here = True


def _later(made: ResourceRequest, value: str) -> None:
    """It is read together with others."""


_READ = {
    **dict.fromkeys((*_OF_CHUNKS, "select", "place", "pmem", "feature", "gres"), _later),
    "walltime": _walltime,
    "qos": _qos,
    "wd": _wd,
}
