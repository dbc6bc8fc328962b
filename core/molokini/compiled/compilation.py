"""What is compiled, how, and where the machine code is kept.

Kernels are ordinary Python functions. ``@kernel`` leaves a function as it is for Python callers
and lets numba inline it into compiled callers; ``compile_entry`` compiles the few functions that are
entered from outside (the engine's loop, a policy's ``begin`` and ``schedule``) with one fixed
signature each.

numba keys its disk cache by the entry's own file and would not notice that a kernel in another
file has changed, so the cache folder's name carries a digest of the whole core's source.
"""

import gc
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import EnumType
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import ir, types, untyped_passes
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.core.ir_utils import get_definition, guard
from numba.core.registry import cpu_target
from numba.core.typing.templates import _OverloadFunctionTemplate
from numba.extending import lower_builtin, register_jitable, type_callable

from molokini.compiled.struct_types import StructType

Function = TypeVar("Function", bound=Callable[..., Any])

CACHE_VARIABLE = "MOLOKINI_CACHE_DIR"


def kernel(function: Function) -> Function:
    """Mark a function that compiled code may call; in Python it stays the plain function."""
    return _register(function, forceinline=False)


def inner(function: Function) -> Function:
    """A kernel on the hottest path: it is inlined into compiled callers, whatever its size."""
    return _register(function, forceinline=True)


def _register(function: Function, forceinline: bool) -> Function:
    # Every option is given, because numba hands a caller's options down to what it compiles for it.
    # No kernel is entered from C or Python: without wrappers for that a cold start takes a seventh less.
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

    So hot loops stay small, and a kernel with many callers is optimized once; the code around a call of it
    is laid out for the case that it is not called.
    """


@type_callable(seldom)  # type: ignore[untyped-decorator]
def _type_seldom(context: Any) -> Any:
    return lambda: types.none


@lower_builtin(seldom)  # type: ignore[untyped-decorator]
def _lower_seldom(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    builder.function.attributes.add("noinline")
    builder.function.attributes.add("cold")
    return context.get_dummy_value()


def compile_entry(function: Callable[..., Any], signature: Any, *, long: bool = False) -> Any:
    """Compile *function* for *signature* at once, or take it from the disk cache.

    *long*: calls take long, so other threads run Python meanwhile; callbacks into Python take the lock again.

    Without reference counting: every array that a kernel uses belongs to a struct that outlives the
    call, and kernels allocate nothing (a test compiles each and checks). NumbaError, or
    UnsupportedBytecodeError, where it is not compilable.
    """
    _choose_cache_folder()
    # numba's own lock: a server compiles in a thread, and the replaced methods belong to all threads.
    with (
        global_compiler_lock,
        _linked_only(but=function),
        _once_each(),
        _with_constants(),
        _nothing_collected(),
    ):
        options = {"cache": True, "error_model": "numpy", "_nrt": False, "forceinline": False}
        return _compiled(numba.njit(signature, nogil=long, **options), function)


def _compiled(compiler: Callable[..., Any], function: Callable[..., Any]) -> Any:
    """What *compiler* makes of *function*; NumbaError where it is not compilable.

    Over some code numba's own steps stumble (a loop without an end behind a branch: RuntimeError). That is no
    mistake of the caller, who has another way to run the function.
    """
    try:
        return compiler(function)
    except (NumbaError, UnsupportedBytecodeError, OSError, MemoryError):
        raise
    except Exception as error:
        raise NumbaError(f"{type(error).__name__}: {error}") from error


def is_kept(function: Callable[..., Any]) -> bool:
    """Whether the disk cache has machine code of *function*, by the name that numba gives to its file."""
    name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}-*.nbi"
    return any(_cache_folder().rglob(name))


@contextmanager
def _linked_only(but: Callable[..., Any]) -> Iterator[None]:
    """Prepare kernels for linking only, and make machine code of the entry alone.

    numba optimizes every function twice and makes it callable from Python as soon as it is compiled.
    No kernel is called by itself, and all of this is done again when everything is linked into the entry:
    without it a cold start takes a third less time. Three of numba's own methods are replaced meanwhile;
    should a later numba work otherwise, the test of this function fails.
    """
    context, entry = cpu_target.target_context, but.__qualname__
    make_executable = context.get_executable
    finish, optimize = CPUCodeLibrary._finalize_final_module, CPUCodeLibrary._optimize_final_module

    def executable(library: Any, description: Any, environment: Any) -> Any:
        if library.name == entry:
            return make_executable(library, description, environment)
        # numba tells functions apart by their executables: a new bound method is unlike any other.
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


@contextmanager
def _once_each() -> Iterator[None]:
    """Compile each kernel once, however many functions call it.

    numba keeps one for each set of its callers' options, because they may be handed down to it. Kernels give
    all of their own (``_register``): without this a sixth of the engine's kernels were compiled twice.
    """
    find = _OverloadFunctionTemplate._get_impl

    def found(template: Any, args: Any, kws: Any) -> Any:
        if "no_cpython_wrapper" not in template._jit_options:
            return find(template, args, kws)
        key = template.context, tuple(args), tuple(kws.items())
        if key not in template._impl_cache:
            return template._build_impl(key, args, kws)
        return template._impl_cache[key]

    _OverloadFunctionTemplate._get_impl = found
    try:
        yield
    finally:
        _OverloadFunctionTemplate._get_impl = find


@contextmanager
def _with_constants() -> Iterator[None]:
    """Leave out code for numbers other than 0 where structs of this type always have 0.

    numba removes dead branches before it compiles what they call, but knows few constants; this
    function adds more, and the members of an ``IntEnum``, which numba looks up slowly.
    """
    known = untyped_passes.rewrite_semantic_constants

    def rewrite(function: Any, arguments: Any) -> None:
        known(function, arguments)
        for block in function.blocks.values():
            enums: dict[str, Any] = {}
            for statement in block.body:
                if isinstance(statement, ir.Assign):
                    _put_constants(function, arguments, statement, enums)

    untyped_passes.rewrite_semantic_constants = rewrite
    try:
        yield
    finally:
        untyped_passes.rewrite_semantic_constants = known


def _put_constants(function: Any, arguments: Any, statement: Any, enums: dict[str, Any]) -> None:
    """Put a constant in the place of what *statement* assigns.

    *enums*: the enumerations, and their members, that were assigned before it, by variable.
    """
    value = statement.value
    if isinstance(value, ir.Global) and isinstance(value.value, EnumType) and issubclass(value.value, int):
        enums[statement.target.name] = value.value
    elif isinstance(value, ir.Expr) and value.op == "getattr" and value.value.name in enums:
        # A member, or what its ``value`` is.
        enums[statement.target.name] = found = getattr(enums[value.value.name], value.attr)
        _assign(function, statement, int(found))
    elif _is_zero(function, arguments, value):
        _assign(function, statement, 0)


def _assign(function: Any, statement: Any, number: int) -> None:
    definitions = function._definitions[statement.target.name]
    place = definitions.index(statement.value)
    statement.value = definitions[place] = ir.Const(number, statement.loc)


def _is_zero(function: Any, arguments: Any, value: Any) -> bool:
    """Whether *value* is such a number of a struct that *function* is called with."""
    path: list[str] = []
    while isinstance(value, ir.Expr) and value.op == "getattr":
        path.insert(0, value.attr)
        value = guard(get_definition, function, value.value)
    if not path or not isinstance(value, ir.Arg):
        return False
    struct = arguments[value.index]
    return isinstance(struct, StructType) and ".".join(path) in struct.zero


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Switch garbage collection off meanwhile: numba makes objects by the million and keeps most."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def interpreted() -> bool:
    """Whether everything runs as plain Python: numba is switched off, or ``interpreting`` says so here."""
    return bool(numba.config.DISABLE_JIT) or _interpreting.get()


@contextmanager
def interpreting() -> Iterator[None]:
    """Run what is begun here, and the tasks that it begins, as plain Python.

    For a small cluster that is to be there at once: machine code takes seconds to make, where none is kept.
    """
    token = _interpreting.set(True)
    try:
        yield
    finally:
        _interpreting.reset(token)


_interpreting: ContextVar[bool] = ContextVar("molokini_interpreting", default=False)


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


KERNEL_PACKAGES = (
    *(
        "model",
        "compiled",
        "applications",
        "tables",
        "availability",
        "cycle",
        "shared",
        "matrix",
        "policies",
        "sim",
    ),
    "feedback",
    "process_sim",
    "memory",
)
"""The packages of kernels and of what they use: kept machine code is valid for these files as they are."""


def source_digest() -> str:
    """Twelve hexadecimal digits that change with any source file of these rooms."""
    digest = hashlib.sha256()
    core = Path(__file__).parents[1]
    for room in KERNEL_PACKAGES:
        for path in sorted((core / room).rglob("*.py")):
            digest.update(str(path.relative_to(core)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


VOID = types.void
FLOAT = types.float64
INT = types.int64
