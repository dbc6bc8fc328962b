"""The engine as machine code, compiled once a process and kept on disk: for all replays, and for plain ones.

A plain replay is one over counted processors without facts, reservations, accounts or jobs whose time
depends on their place. The same engine is compiled for it without the code that it never runs, in half the
time.
"""

from collections.abc import Callable
from operator import attrgetter
from types import FunctionType
from typing import Any

from molokini.compiled.compilation import compile_entry, interpreted, is_kept
from molokini.cycle.entries import PLAIN
from molokini.sim.agenda import PLAIN_AGENDA, Agenda
from molokini.sim.engine import ENGINE_SIGNATURE, PLAIN_ENGINE_SIGNATURE, run
from molokini.tables.tables import Tables

Engine = Callable[[Agenda, Tables, Any, Any], int]

plain_run = FunctionType(run.__code__, run.__globals__, "plain_run")
"""``run`` under a name of its own, by which its machine code is kept."""
plain_run.__qualname__, plain_run.__module__ = "plain_run", run.__module__


def is_plain(agenda: Agenda, tables: Tables) -> bool:
    """Whether the engine for plain replays can go on with these now."""
    zeros = [attrgetter(name)(tables) for name in PLAIN] + [attrgetter(name)(agenda) for name in PLAIN_AGENDA]
    return not any(zeros)


def is_engine_kept(plain: bool = False) -> bool:
    """Whether the engine's machine code exists already."""
    return interpreted() or plain in _engines or is_kept(plain_run if plain else run)


def compiled_engine(plain: bool = False) -> Engine:
    """``engine.run``, compiled (or as it is when numba is switched off); *plain*: for plain replays alone."""
    if interpreted():
        return run
    if plain not in _engines:
        function, signature = (plain_run, PLAIN_ENGINE_SIGNATURE) if plain else (run, ENGINE_SIGNATURE)
        _engines[plain] = compile_entry(function, signature, long=True)
    return _engines[plain]


_engines: dict[bool, Engine] = {}
