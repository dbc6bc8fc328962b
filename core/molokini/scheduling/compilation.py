"""What is compiled, how, and where the machine code is kept.

Kernels are ordinary Python functions. ``@kernel`` leaves a function as it is for Python callers
and lets numba inline it into compiled callers; ``compile_entry`` compiles the few functions that are
entered from outside (the engine's loop, a policy's ``begin`` and ``schedule``) with one fixed
signature each.

numba keys its disk cache by the entry's own file and would not notice that a kernel in another
file has changed, so the cache folder's name carries a digest of the whole core's source.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import types
from numba.extending import register_jitable

Function = TypeVar("Function", bound=Callable[..., Any])

CACHE_VARIABLE = "MOLOKINI_CACHE_DIR"


def kernel(function: Function) -> Function:
    """Mark a function that compiled code may call; in Python it stays the plain function."""
    return cast(Function, register_jitable(function))


def compile_entry(function: Callable[..., Any], signature: Any) -> Any:
    """Compile *function* for *signature* at once, or take it from the disk cache.

    Without reference counting: every array that a kernel touches is reached through a struct that
    outlives the call, and kernels allocate nothing (a test compiles each and looks).
    """
    _choose_cache_folder()
    return numba.njit(signature, cache=True, error_model="numpy", _nrt=False)(function)


def interpreted() -> bool:
    """Whether numba is switched off (``NUMBA_DISABLE_JIT=1``): everything runs as plain Python."""
    return bool(numba.config.DISABLE_JIT)


def _choose_cache_folder() -> None:
    global _chosen
    if not _chosen:
        numba.config.CACHE_DIR = str(_cache_folder())
        _chosen = True


_chosen = False


def _cache_folder() -> Path:
    given = os.environ.get(CACHE_VARIABLE)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(given or Path(home) / "molokini") / f"compiled-{source_digest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        usable = os.access(folder, os.W_OK)
    except OSError:
        usable = False
    if not usable:
        # A home that cannot be written (containers, build machines) must not stop a replay.
        folder = Path(tempfile.gettempdir()) / f"molokini-{os.getuid()}-{source_digest()}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def source_digest() -> str:
    """Twelve hexadecimal digits that change with any source file that kernels live in."""
    digest = hashlib.sha256()
    core = Path(__file__).parents[1]
    for room in ("model", "scheduling", "applications", "policies", "sim"):
        for path in sorted((core / room).rglob("*.py")):
            digest.update(str(path.relative_to(core)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


VOID = types.void
FLOAT = types.float64
INT = types.int64
