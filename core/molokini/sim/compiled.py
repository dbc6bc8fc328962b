"""The engine and policies as machine code, compiled once a process and kept on disk."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from numba.core import types
from numba.core.errors import NumbaError, UnsupportedBytecodeError

from molokini.model.errors import BadInput
from molokini.policies import LoadedPolicy
from molokini.scheduling.compilation import compile_entry, interpreted
from molokini.scheduling.ports import PolicyFunction
from molokini.scheduling.tables import WRITABLE_IN_VIEW, Tables, View
from molokini.sim.agenda import Agenda
from molokini.sim.engine import ENGINE_SIGNATURE, POLICY_SIGNATURE, run


class PolicyError(BadInput):
    """A policy failed, or did what no policy may; the replay has stopped."""

    def __init__(self, origin: str, cause: str, line: int | None = None) -> None:
        place = f"{origin}:{line}" if line else f"policy {origin}"
        super().__init__(f"{place}: {cause}")


@cache
def compiled_engine() -> Callable[[Agenda, Tables, Any, Any], int]:
    """``engine.run``, compiled (or as it is when numba is switched off)."""
    engine: Callable[[Agenda, Tables, Any, Any], int] = (
        run if interpreted() else compile_entry(run, ENGINE_SIGNATURE)
    )
    return engine


@cache
def compiled_function(function: PolicyFunction) -> Any:
    """A policy's function for the compiled engine; NumbaError where it is not compilable."""
    return function if interpreted() else compile_entry(function, POLICY_SIGNATURE)


def nothing(view: View, now: float) -> None:
    """The ``begin`` of a policy that has none."""


def functions_of(
    policy: LoadedPolicy, agenda: Agenda, tables: Tables
) -> tuple[Any, Any, list[BaseException]]:
    """(begin, schedule, failures) of *policy* for the compiled engine.

    A policy that numba cannot compile runs as plain Python, called back from the engine; what it
    raises is put into *failures* and stops the engine.
    """
    failures: list[BaseException] = []
    begin = policy.begin or nothing
    try:
        return compiled_function(begin), compiled_function(policy.schedule), failures
    except (NumbaError, UnsupportedBytecodeError):
        view = PythonView(tables)
        return (
            PythonFunction(begin, view, agenda, failures),
            PythonFunction(policy.schedule, view, agenda, failures),
            failures,
        )


class PythonView:
    """The view for interpreted policies, made anew whenever the tables have grown."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._rows = -1
        self._view: View | None = None

    def get(self) -> View:
        """Tables whose arrays refuse to be written but by verbs."""
        if self._view is None or self._rows != self._tables.job_state.size:
            self._view = self._tables.read_only(WRITABLE_IN_VIEW)
            self._rows = self._tables.job_state.size
        return self._view


class PythonFunction(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A plain Python policy function that compiled code can call."""

    def __init__(
        self, function: PolicyFunction, view: PythonView, agenda: Agenda, failures: list[BaseException]
    ) -> None:
        def call(address: int, now: float) -> None:
            if failures:
                return
            try:
                function(view.get(), now)
            except BaseException as error:
                # An exception cannot cross compiled code: keep it and stop the engine.
                failures.append(error)
                agenda.abort = 1

        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double)(call)

    def __wrapper_address__(self) -> int:
        address = ctypes.cast(self._callback, ctypes.c_void_p).value
        assert address is not None
        return address

    def signature(self) -> Any:
        """numba's signature of a policy function."""
        return POLICY_SIGNATURE
