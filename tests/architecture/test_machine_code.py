"""Compiled entries allocate nothing and count no references, or they would leak without end."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest

from molokini.compiled import compilation
from molokini.compiled.compilation import compile_entry, interpreted
from molokini.cycle.entries import POLICY_SIGNATURE
from molokini.nodes import engine as nodes
from molokini.nodes.policies import local_policy
from molokini.nodes.scenario import SCHEMES
from molokini.policies import load_policy
from molokini.sim.compiled import plain_run
from molokini.sim.engine import ENGINE_SIGNATURE, PLAIN_ENGINE_SIGNATURE, run
from tests.kit.policies import different_policies

pytestmark = pytest.mark.skipif(interpreted(), reason="nothing is compiled")


@pytest.fixture(autouse=True)
def _compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes from the cache cannot be looked into."""
    monkeypatch.setattr(compilation, "_chosen", True)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))


def assembly(entry: Any) -> str:
    return "\n".join(entry.inspect_asm().values())


def calls(text: str) -> set[str]:
    """What the machine code of the entries calls by name."""
    return set(re.findall(r"(NRT_\w+|\b(?:malloc|calloc|realloc)\b)", text))


@pytest.mark.parametrize("name", different_policies())
def test_policies_allocate_nothing(name: str) -> None:
    policy = load_policy(name)
    functions: list[Callable[..., None]] = [policy.schedule, *([policy.begin] if policy.begin else [])]
    for function in functions:
        text = assembly(compile_entry(function, POLICY_SIGNATURE))
        assert len(text) > 1000
        assert calls(text) == set()


@pytest.mark.parametrize(
    ("function", "signature"), [(run, ENGINE_SIGNATURE), (plain_run, PLAIN_ENGINE_SIGNATURE)]
)
def test_the_engine_allocates_nothing(function: Any, signature: Any) -> None:
    assert calls(assembly(compile_entry(function, signature))) == set()


def test_the_process_level_allocates_nothing() -> None:
    assert calls(assembly(compile_entry(nodes.run, nodes.UNTRACED_ENGINE_SIGNATURE))) == set()
    for function in (nodes.run, nodes.begin, nodes.close):
        assert calls(assembly(compile_entry(function, nodes.ENGINE_SIGNATURE))) == set()
    for scheme in SCHEMES:
        assert calls(assembly(compile_entry(local_policy(scheme), nodes.POLICY_SIGNATURE))) == set()


def test_an_allocation_would_be_seen() -> None:
    assert calls("callq *%rax\n movabsq $NRT_MemInfo_alloc_safe_aligned, %rax\n") == {
        "NRT_MemInfo_alloc_safe_aligned"
    }
