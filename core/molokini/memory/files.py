"""Programs by name, and files of jobs that share a memory (TOML)."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from molokini.memory.curves import Curve, cliff, knee
from molokini.memory.packing import MemoryJob
from molokini.memory.stack import Stack
from molokini.memory.streams import BLOCK_BYTES, read_trace
from molokini.model.errors import BadFile, BadInput, BadValue, UnknownName
from molokini.model.specs import split_spec

SYNTHETIC = "synthetic"
_KINDS: Mapping[str, tuple[str, ...]] = {
    "knee": ("theta", "footprint", "base"),
    "cliff": ("at", "footprint", "above", "base", "theta"),
}
_JOB = ("name", "processors", "references", "requested", "trace", "points", "curve")
_MEGABYTE_BLOCKS = 256
"""Blocks of 4 KB in a megabyte."""

PROGRAMS: Mapping[str, float] = {
    "bzip2": 6.2,
    "gcc": 22.3,
    "gzip": 76.2,
    "mcf": 9.9,
    "vortex": 83.0,
    "vpr": 1.6,
}
"""Footprints in MB of the programs of Table 1."""
_CLIFFS = {"gzip": (0.85, 0.12), "vortex": (0.8, 0.1)}
"""Of those whose curves have a cliff: where it is, as a share of the footprint, and the rate above it. Ours.
"""
_BASE = 0.002


def program(name: str, scale: float = 1.0) -> Curve:
    """A stand-in for a program of Table 1, its footprint times *scale*: one knee, or a cliff.

    Of the paper is the footprint alone; its traces are not at hand. Ours: the knee at a third of the
    footprint, the cliffs, and a rate of 0.2% that does not fall before all is in memory.
    """
    if name not in PROGRAMS:
        raise UnknownName("program", name, PROGRAMS)
    footprint = max(3, round(PROGRAMS[name] * _MEGABYTE_BLOCKS * scale))
    if name in _CLIFFS:
        at, above = _CLIFFS[name]
        return cliff(max(1, round(at * footprint)), footprint, above, _BASE, footprint / 20)
    return knee(footprint / 3, footprint, _BASE)


def curve_of(text: str, block_bytes: int = BLOCK_BYTES) -> dict[str, Curve]:
    """The curves that *text* names: ``synthetic``, ``knee?theta=..``, ``cliff?..``, a program, or a trace's
    file.

    Raises BadInput where a parameter is missing or there is no such file.
    """
    if text == SYNTHETIC:
        return {name: program(name) for name in PROGRAMS}
    name, given = split_spec(text)
    if name in _KINDS:
        return {text: _by_parameters(name, {key: _number(key, value) for key, value in given.items()})}
    if name in PROGRAMS and not given:
        return {name: program(name)}
    return {Path(text).name: measured(text, block_bytes)}


def measured(path: str | os.PathLike[str], block_bytes: int = BLOCK_BYTES) -> Curve:
    """The curve of a trace, by one pass of the LRU stack."""
    blocks = read_trace(path, block_bytes)
    stack = Stack(int(blocks.max()) + 1)
    stack.touch(blocks)
    return stack.curve


def read_jobs(path: str | os.PathLike[str]) -> tuple[list[MemoryJob], Mapping[str, Any]]:
    """The jobs of a file, and what else it says (``blocks``, ``latency``).

    Each ``[[job]]`` has a ``name`` and a curve: ``theta`` and ``footprint`` (a knee), ``at``, ``footprint``
    and ``above`` (a cliff), ``curve`` (a program of Table 1), ``points`` (pairs of blocks and rates) or
    ``trace`` (a file beside it). Raises BadFile, which names the job.
    """
    name = os.fspath(path)
    try:
        found = tomllib.loads(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(name, error.strerror or str(error)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(name, f"is no TOML: {error}") from None
    listed = found.pop("job", [])
    if not (isinstance(listed, list) and listed):
        raise BadFile(name, "holds no job; each stands below [[job]]")
    for key in found:
        if key not in ("blocks", "latency"):
            raise BadFile(name, f"{key}: no such key; known are blocks, latency and [[job]]")
    jobs = []
    for number, one in enumerate(listed, 1):
        try:
            jobs.append(_job(one, number, Path(name).parent))
        except BadInput as error:
            raise BadFile(name, f"job {one.get('name', number)}: {error}") from None
    names = [job.name for job in jobs]
    for one in names:
        if names.count(one) > 1:
            raise BadFile(name, f"job {one} stands there twice")
    return jobs, found


def _job(given: Mapping[str, Any], number: int, folder: Path) -> MemoryJob:
    known = {*_JOB, *(key for keys in _KINDS.values() for key in keys)}
    for key in given:
        if key not in known:
            raise UnknownName("key", key, known)
    requested = given.get("requested")
    return MemoryJob(
        str(given.get("name", number)),
        _curve(given, folder),
        int(_within("processors", given.get("processors", 1), 1)),
        float(_within("references", given.get("references", 1.0), 1e-9)),
        None if requested is None else int(_within("requested", requested, 0)),
    )


def _curve(given: Mapping[str, Any], folder: Path) -> Curve:
    if "trace" in given:
        return measured(folder / str(given["trace"]))
    if "points" in given:
        try:
            pairs = np.array(given["points"], dtype=np.float64)
            assert pairs.ndim == 2
            assert pairs.shape[1] == 2
        except (ValueError, TypeError, AssertionError):
            raise BadValue("points", given["points"], "pairs of blocks and miss rates") from None
        if pairs[:, 0].min() < 0 or (np.diff(pairs[:, 0]) <= 0).any() or pairs[-1, 0] < 1:
            raise BadValue("points", given["points"], "rising numbers of blocks, from 0 on")
        return Curve(np.interp(np.arange(int(pairs[-1, 0]) + 1), pairs[:, 0], pairs[:, 1]))
    if "curve" in given:
        return program(str(given["curve"]))
    kind = "cliff" if "at" in given else "knee"
    return _by_parameters(kind, {key: _within(key, given[key], 0) for key in _KINDS[kind] if key in given})


def _by_parameters(kind: str, given: Mapping[str, float]) -> Curve:
    for key in given:
        if key not in _KINDS[kind]:
            raise UnknownName(f"parameter of {kind}", key, _KINDS[kind])
    needed = ("footprint",) if kind == "knee" else ("at", "footprint", "above")
    missing = [key for key in needed if key not in given]
    if missing:
        raise BadInput(f"a {kind} needs {' and '.join(missing)} as well")
    footprint = int(given["footprint"])
    if kind == "knee":
        return knee(given.get("theta", max(footprint / 3, 1e-9)), footprint, given.get("base", 0.0))
    theta = given.get("theta", 1.0)
    return cliff(int(given["at"]), footprint, given["above"], given.get("base", 0.0), theta)


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadValue(key, text, "a number") from None


def _within(key: str, value: Any, low: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value < 1e15:
        raise BadValue(key, value, f"a number of {low:g} or more")
    return float(value)
