"""Compiled entries allocate nothing and count no references, or they would leak without end."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from molokini.compiled.compilation import compile_entry, interpreted
from molokini.cycle.calling import in_python
from molokini.cycle.entries import POLICY_SIGNATURE
from molokini.policies import load_policy
from molokini.process_sim import engine as nodes
from molokini.process_sim.policies import local_policy, named_policies
from molokini.process_sim.scenario import SCHEMES
from molokini.sim.compiled import plain_run
from molokini.sim.engine import ENGINE_SIGNATURE, PLAIN_ENGINE_SIGNATURE, run
from tests.kit.compiling import NAMED
from tests.kit.depth import deep
from tests.kit.policies import different_policies

pytestmark = pytest.mark.skipif(interpreted(), reason="nothing is compiled")


def object_code(function: Callable[..., Any], signature: Any) -> str:
    """The object file of an entry, compiled now or before; what it calls is named in it in plain text."""
    return _kept(compile_entry(function, signature), signature)


def _kept(entry: Any, signature: Any) -> str:
    """What the disk cache has of a compiled function."""
    key = entry._cache._index_key(signature, entry.targetctx.codegen())
    _name, kind, (code, _for_linking) = entry._cache._cache_file.load(key)[0]
    assert kind == "object"
    return bytes(code).decode("latin-1")


def calls(text: str) -> set[str]:
    """What the machine code of the entries calls by name."""
    return set(re.findall(r"(NRT_\w+|\b(?:malloc|calloc|realloc)\b)", text))


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize(
    "name", [name for name in different_policies() if not in_python(load_policy(name).schedule)]
)
def test_policies_allocate_nothing(name: str) -> None:
    policy = load_policy(name)
    functions: list[Callable[..., None]] = [policy.schedule, *([policy.begin] if policy.begin else [])]
    for function in functions:
        text = object_code(function, POLICY_SIGNATURE)
        assert len(text) > 1000
        assert function.__name__ in text
        assert calls(text) == set()


@pytest.mark.parametrize(
    ("function", "signature"), [(run, ENGINE_SIGNATURE), (plain_run, PLAIN_ENGINE_SIGNATURE)]
)
def test_the_engine_allocates_nothing(function: Any, signature: Any) -> None:
    assert calls(object_code(function, signature)) == set()


def test_the_process_level_allocates_nothing() -> None:
    assert calls(object_code(nodes.run, nodes.UNTRACED_ENGINE_SIGNATURE)) == set()
    for function in (nodes.run, nodes.begin, nodes.close):
        assert calls(object_code(function, nodes.ENGINE_SIGNATURE)) == set()
    assert calls(object_code(nodes.run, nodes.UNTRACED_MEMORY_SIGNATURE)) == set()
    for scheme in (*SCHEMES, *(named_policies() if deep() else NAMED)):
        assert calls(object_code(local_policy(scheme), nodes.POLICY_SIGNATURE)) == set()


@pytest.mark.deep
@pytest.mark.parametrize("name", named_policies())
def test_local_policies_by_name_allocate_nothing(name: str) -> None:
    assert calls(object_code(local_policy(name), nodes.POLICY_SIGNATURE)) == set()


@pytest.mark.deep
def test_the_engine_of_messages_with_a_byte_allocates_nothing() -> None:
    assert calls(object_code(nodes.run, nodes.UNTRACED_STAMPED_SIGNATURE)) == set()


def _allocates(count: int) -> Any:
    return np.zeros(count)


def test_an_allocation_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    signature = "float64[:](int64)"
    made = _kept(numba.njit(signature, cache=True)(_allocates), signature)
    assert any(name.startswith("NRT_") for name in calls(made))
    assert calls("\0NRT_decref\0malloc\0__malloc_hook\0reallocate") == {"NRT_decref", "malloc"}
