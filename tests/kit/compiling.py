"""Compile ahead what the tests need, each function once, on all processors.

Tests that run beside one another would each compile the same engines and policies, and each make the same
bytecode, where none is kept.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from molokini.compiled.compilation import interpreted
from molokini.cycle.calling import compiled_function, in_python
from molokini.cycle.entries import compiled_pass, entries
from molokini.policies import load_policy
from molokini.process_sim.policies import local_policy, named_policies
from molokini.process_sim.replaying import engine_parts
from molokini.process_sim.scenario import SCHEMES
from molokini.sim.compiled import compiled_engine
from tests.kit.bytecode import compile_modules, rewrite_tests, test_files
from tests.kit.depth import deep
from tests.kit.policies import different_policies

TESTS_AT_ONCE = 100
FIRST = ("maui", "conservative")
"""What takes longest begins first, and the engines after it."""
SELDOM = [(name, True) for name in ("maui", "bgs", "mbgs", "edf-epr-an")]
"""For plain replays these take as long again, and few tests need them: the deep suite compiles them ahead."""


NAMED = ("csm", "message-driven", "tickets")
"""Of the process level's named policies those that the quick suite compiles."""


def compile_policy(name: str, plain: bool) -> None:
    """``begin`` and ``schedule`` of a policy."""
    policy = load_policy(name)
    for function in (policy.begin, policy.schedule):
        if function is not None and not in_python(function):
            compiled_function(function, plain)


def compile_engine(plain: bool) -> None:
    """The engine of replays."""
    compiled_engine(plain)


def compile_entries() -> None:
    """What a live server calls."""
    entries()
    compiled_pass()


def compile_nodes() -> None:
    """The process-level engine, with and without a timeline, and its policies."""
    for scheme in SCHEMES:
        engine_parts(local_policy(scheme))
    for scheme in named_policies() if deep() else NAMED:
        engine_parts(local_policy(scheme), memory=scheme == "csm")
    engine_parts(local_policy(SCHEMES[0]), traced=True)


def of_bytecode() -> list[Callable[[], None]]:
    """Modules, and tests, in pieces."""
    files = test_files()
    pieces = [files[first : first + TESTS_AT_ONCE] for first in range(0, len(files), TESTS_AT_ONCE)]
    return [compile_modules, *(partial(rewrite_tests, piece) for piece in pieces)]


def tasks() -> list[Callable[[], None]]:
    """All of it, in pieces."""
    names = sorted(set(different_policies()) - set(FIRST))
    engines: list[Callable[[], None]] = [
        compile_nodes,
        *(partial(compile_engine, plain) for plain in (False, True)),
        compile_entries,
    ]
    return [*_policies(FIRST), *engines, *_policies(names)]


def _policies(names: Iterable[str]) -> list[Callable[[], None]]:
    kinds = [(name, plain) for name in names for plain in (False, True)]
    return [partial(compile_policy, *kind) for kind in kinds if deep() or kind not in SELDOM]


def main() -> None:
    """Compile all; machine code only where it is used."""
    machine_code = [] if interpreted() else tasks()
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("fork")) as pool:
        for result in [pool.submit(task) for task in (*machine_code, *of_bytecode())]:
            result.result()


if __name__ == "__main__":
    main()
