"""How a policy's functions are called: compiled once a process and kept on disk, or as plain Python.

The engine and the server give compiled code a policy as two first-class functions. Compiled code calls a
policy that numba cannot compile back in Python; it gets tables that refuse to be written, and stops its
caller when it raises.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from numba.core import types
from numba.core.errors import NumbaError, UnsupportedBytecodeError

from molokini.compiled.compilation import compile_entry, interpreted
from molokini.compiled.file_cache import kept_by_code
from molokini.cycle.entries import PLAIN_SIGNATURE, POLICY_SIGNATURE
from molokini.cycle.ports import FILE_MODULE, PolicyFunction
from molokini.model.errors import BadInput
from molokini.tables.tables import WRITABLE_IN_VIEW, Tables, View

NOT_COMPILABLE = (NumbaError, UnsupportedBytecodeError)
"""What is raised for functions that numba cannot compile."""


class PolicyError(BadInput):
    """A policy failed, or did what policies may not do; its caller has stopped."""

    def __init__(self, origin: str, cause: str, line: int | None = None) -> None:
        place = f"{origin}:{line}" if line else f"policy {origin}"
        super().__init__(f"{place}: {cause}")


def compiled_function(function: PolicyFunction, plain: bool = False) -> Any:
    """A policy's function for compiled callers; NumbaError where it is not compilable.

    *plain*: for the engine of plain replays; it can be called with their tables alone.
    """
    if in_python(function):
        raise UnsupportedBytecodeError(f"{function.__module__} is plain Python")
    return function if interpreted() else _compiled(function, plain)


def in_python(function: PolicyFunction) -> bool:
    """Whether the function says of itself that it is plain Python (``function.in_python``)."""
    return bool(getattr(function, "in_python", False))


@cache
def _compiled(function: PolicyFunction, plain: bool) -> Any:
    signature = signature_of(plain)
    if not function.__module__.startswith(FILE_MODULE):
        return compile_entry(function, signature)
    with kept_by_code():
        return compile_entry(function, signature, long=True)


def signature_of(plain: bool) -> Any:
    """numba's signature of a policy function."""
    return PLAIN_SIGNATURE if plain else POLICY_SIGNATURE


def nothing(view: View, now: float) -> None:
    """Stand in for ``begin`` of a policy that has none."""


def functions_of(
    begin: PolicyFunction | None,
    schedule: PolicyFunction,
    tables: Tables,
    stop: Callable[[], None],
    plain: bool = False,
) -> tuple[Any, Any, list[BaseException]]:
    """(begin, schedule, failures) for compiled callers; *begin* None: the policy has none.

    An exception of a policy in plain Python is put into *failures*, and *stop* is called.
    """
    failures: list[BaseException] = []
    begin = begin or nothing
    try:
        return compiled_function(begin, plain), compiled_function(schedule, plain), failures
    except NOT_COMPILABLE:
        view = PythonView(tables)
        return (
            PythonFunction(begin, view, stop, failures, plain),
            PythonFunction(schedule, view, stop, failures, plain),
            failures,
        )


class PythonView:
    """The view for interpreted policies, rebuilt whenever the tables have got other arrays."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._bindings = -1
        self._view: View | None = None

    def get(self) -> View:
        """Tables whose arrays refuse to be written but by verbs."""
        if self._view is None or self._bindings != self._tables.bindings:
            self._view = self._tables.read_only(WRITABLE_IN_VIEW)
            self._bindings = self._tables.bindings
        return self._view


class PythonFunction(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A plain Python policy function that compiled code can call."""

    def __init__(
        self,
        function: PolicyFunction,
        view: PythonView,
        stop: Callable[[], None],
        failures: list[BaseException],
        plain: bool = False,
    ) -> None:
        self._plain = plain

        def call(address: int, now: float) -> None:
            if failures:
                return
            try:
                function(view.get(), now)
            except BaseException as error:
                # An exception cannot cross compiled code: keep it and stop the caller.
                failures.append(error)
                stop()

        self._call = call
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double)(call)

    def __call__(self, view: View, now: float) -> None:
        """The same for an engine that is plain Python itself."""
        self._call(0, now)

    def __wrapper_address__(self) -> int:
        address = ctypes.cast(self._callback, ctypes.c_void_p).value
        assert address is not None
        return address

    def signature(self) -> Any:
        """numba's signature of this function."""
        return signature_of(self._plain)
