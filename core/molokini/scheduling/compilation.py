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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import types
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.extending import lower_builtin, register_jitable, type_callable

Function = TypeVar("Function", bound=Callable[..., Any])

CACHE_VARIABLE = "MOLOKINI_CACHE_DIR"


def kernel(function: Function) -> Function:
    """Mark a function that compiled code may call; in Python it stays the plain function."""
    return _register(function, forceinline=False)


def inner(function: Function) -> Function:
    """A kernel on the hottest path: compiled callers take it in whole, whatever its size."""
    return _register(function, forceinline=True)


def _register(function: Function, forceinline: bool) -> Function:
    # Every option is said, because numba hands a caller's options down to what it compiles for it.
    # Nobody enters a kernel from C or Python: without wrappers for that a cold start takes a seventh less.
    registered = register_jitable(
        error_model="numpy",
        _nrt=False,
        forceinline=forceinline,
        no_cfunc_wrapper=True,
        no_cpython_wrapper=True,
    )(function)
    return cast(Function, registered)


def seldom() -> None:
    """First statement of a kernel that runs seldom: it is kept out of line in compiled callers.

    So hot loops stay small, and a kernel with many callers is optimized once.
    """


@type_callable(seldom)  # type: ignore[untyped-decorator]
def _type_seldom(context: Any) -> Any:
    return lambda: types.none


@lower_builtin(seldom)  # type: ignore[untyped-decorator]
def _lower_seldom(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    builder.function.attributes.add("noinline")
    return context.get_dummy_value()


def compile_entry(function: Callable[..., Any], signature: Any, *, long: bool = False) -> Any:
    """Compile *function* for *signature* at once, or take it from the disk cache.

    *long*: calls take long, so other threads run Python meanwhile; callbacks into Python take the lock again.

    Without reference counting: every array that a kernel touches is reached through a struct that
    outlives the call, and kernels allocate nothing (a test compiles each and looks).
    """
    _choose_cache_folder()
    # numba's own lock: a server compiles in a thread, and what stands aside is numba's for all threads.
    with global_compiler_lock, _linked_only(but=function):
        options = {"cache": True, "error_model": "numpy", "_nrt": False, "forceinline": False}
        return numba.njit(signature, nogil=long, **options)(function)


def is_kept(function: Callable[..., Any]) -> bool:
    """Whether the disk cache has machine code of *function*, by the name that numba gives to its file."""
    name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}-*.nbi"
    return any(_cache_folder().rglob(name))


@contextmanager
def _linked_only(but: Callable[..., Any]) -> Iterator[None]:
    """Prepare kernels for linking only, and make machine code of the entry alone.

    numba optimizes every function twice and makes it callable from Python as soon as it is compiled.
    Nobody calls a kernel by itself, and all of it is done again where everything is linked into the entry:
    without, a cold start takes a third less time. Three of numba's own methods stand aside meanwhile;
    should a later numba work otherwise, the test of this function fails.
    """
    context, entry = cpu_target.target_context, but.__qualname__
    make_executable = context.get_executable
    finish, optimize = CPUCodeLibrary._finalize_final_module, CPUCodeLibrary._optimize_final_module

    def executable(library: Any, description: Any, environment: Any) -> Any:
        if library.name == entry:
            return make_executable(library, description, environment)
        # numba knows a function by its executable: any built-in will do that is like no other.
        return [].append

    def finalize(library: Any) -> None:
        if library.name == entry:
            finish(library)
        library._finalized = True

    def once(library: Any) -> None:
        if library.name == entry:
            optimize(library)

    context.get_executable = executable
    CPUCodeLibrary._finalize_final_module, CPUCodeLibrary._optimize_final_module = finalize, once
    try:
        yield
    finally:
        del context.get_executable
        CPUCodeLibrary._finalize_final_module, CPUCodeLibrary._optimize_final_module = finish, optimize


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
