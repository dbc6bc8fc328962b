"""How kernels are compiled."""

import gc
import re
from contextvars import Context
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest
from numba import float64
from numba.core import event, types

from molokini.compiled import compilation
from molokini.compiled.compilation import inner, kernel
from molokini.compiled.structs import Struct
from molokini.compiled.watching import compilation_watched


def test_no_garbage_is_looked_for_while_numba_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    collecting: list[bool] = []

    def compiled(_: object) -> None:
        collecting.append(gc.isenabled())

    monkeypatch.setattr("numba.njit", lambda *_, **__: compiled)
    assert gc.isenabled()
    compilation.compile_entry(test_no_garbage_is_looked_for_while_numba_compiles, None)
    assert collecting == [False]
    assert gc.isenabled()


@kernel
def _shared(number: float) -> float:
    return number + 1.0


@inner
def _inner(number: float) -> float:
    return _shared(number) * 2.0


@kernel
def _outer(number: float) -> float:
    return _shared(number) * 3.0


def _entry(number: float) -> float:
    return _inner(number) + _outer(number) + _shared(number)


def test_a_kernel_of_several_callers_is_compiled_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    entry, functions = compiled_with(_entry, float64(float64))
    assert functions.count("_shared") == 1
    assert entry(1.0) == _entry(1.0) == 12.0


def test_a_watcher_hears_of_what_no_cache_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    heard: list[int] = []
    with compilation_watched(lambda: heard.append(1)):
        compilation.compile_entry(_watched, float64(float64))
        assert heard
        heard.clear()
        compilation.compile_entry(_watched, float64(float64))
        # The rest is not for this watcher: it has gone, or the context is another one.
        Context().run(compilation.compile_entry, _watched, types.int64(types.int64))
    compilation.compile_entry(_watched, float64(types.int64))
    assert heard == []


def _watched(number: float) -> float:
    return number + 2.0


def compiled_with(function: Any, signature: Any) -> tuple[Any, list[str]]:
    """The entry *function*, and the names of all functions that were compiled for it."""
    with event.install_recorder("numba:compile") as recorded:
        entry = compilation.compile_entry(function, signature)
    return entry, [one.data["dispatcher"].py_func.__name__ for _, one in recorded.buffer if one.is_start]


class _Word(IntEnum):
    SMALL = 1
    LARGE = 7


def _worded(number: float) -> float:
    return number + _Word.LARGE if number > _Word.SMALL else number - _Word.SMALL.value


def test_a_member_of_an_enumeration_is_a_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    entry, _ = compiled_with(_worded, float64(float64))
    for number in (0.0, 2.0):
        assert entry(number) == _worded(number)
    typed = entry.overloads[entry.signatures[0]].type_annotation.typemap.values()
    assert not any(isinstance(one, types.IntEnumMember) for one in typed)


class _Settings(Struct):
    doubled: int
    raised: int


@kernel
def _double(settings: _Settings, number: float) -> float:
    return number * settings.doubled


@kernel
def _raise(settings: _Settings, number: float) -> float:
    return number + 100.0 * settings.raised


def _set(settings: _Settings, number: float) -> float:
    if settings.doubled > 0 and number > 0.0:
        number = _double(settings, number)
    if settings.raised == 0 or number < 0.0:
        return number
    return _raise(settings, number)


@pytest.mark.parametrize(
    ("zero", "left_out"),
    [((), set()), (("doubled",), {"_double"}), (("doubled", "raised"), {"_double", "_raise"})],
)
def test_what_is_done_only_where_a_number_is_not_zero_is_not_compiled_where_it_is(
    zero: tuple[str, ...], left_out: set[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    kind = _Settings.with_zero(*zero) if zero else _Settings.numba_type
    entry, functions = compiled_with(_set, float64(kind, float64))
    assert {"_double", "_raise"} - set(functions) == left_out
    settings = _Settings()
    assert entry(settings, 1.0) == _set(settings, 1.0) == 1.0
    if "raised" not in zero:
        settings.raised = 1
        assert entry(settings, 1.0) == _set(settings, 1.0) == 101.0


def _by_a_policy(settings: _Settings, number: float, policy: Any) -> float:
    return float(policy(settings, number))


def test_code_for_zeros_calls_one_that_knows_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    signature = float64(_Settings.numba_type, float64)
    policy = compilation.compile_entry(_set, signature)
    kind = float64(_Settings.with_zero("raised"), float64, types.FunctionType(signature))
    entry, _ = compiled_with(_by_a_policy, kind)
    settings = _Settings()
    settings.doubled = 3
    assert entry(settings, 1.0, policy) == _set(settings, 1.0) == 3.0


def test_kept_machine_code_is_valid_for_every_room_that_has_kernels() -> None:
    core = Path(compilation.__file__).parents[1]
    imported = re.compile(r"^from molokini\.compiled\.compilation import .*\b(kernel|inner)\b", re.MULTILINE)
    rooms = {
        path.relative_to(core).parts[0]
        for path in core.rglob("*.py")
        if imported.search(path.read_text(encoding="utf-8"))
    }
    assert rooms >= {"matrix", "policies", "availability"}
    assert rooms <= set(compilation.KERNEL_PACKAGES)
