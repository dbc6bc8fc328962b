"""The engine as machine code, compiled once a process and kept on disk."""

from collections.abc import Callable
from functools import cache
from typing import Any

from molokini.scheduling.compilation import compile_entry, interpreted, is_kept
from molokini.scheduling.tables import Tables
from molokini.sim.agenda import Agenda
from molokini.sim.engine import ENGINE_SIGNATURE, run


def is_engine_kept() -> bool:
    """Whether the engine's machine code is there already."""
    return interpreted() or compiled_engine.cache_info().currsize > 0 or is_kept(run)


@cache
def compiled_engine() -> Callable[[Agenda, Tables, Any, Any], int]:
    """``engine.run``, compiled (or as it is when numba is switched off)."""
    engine: Callable[[Agenda, Tables, Any, Any], int] = (
        run if interpreted() else compile_entry(run, ENGINE_SIGNATURE, long=True)
    )
    return engine
