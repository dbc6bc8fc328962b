"""The types that annotations of the batch commands name; type checkers alone know what they are.

No annotation is evaluated while a command runs, so each name is a stand-in then, and neither ``typing`` nor a
module is loaded for it: a command has some forty milliseconds.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, NoReturn, TextIO, TypeAlias, TypeVar

    from molokini.compat.columns import Column
    from molokini.compat.failures import TransportError
    from molokini.compat.job import Job
    from molokini.compat.lsf.changing import Target
    from molokini.compat.lsf.formats import Format
    from molokini.compat.lsf.looking import View as LsfView
    from molokini.compat.lsf.programs import Program
    from molokini.compat.lsf.selecting import Wish
    from molokini.compat.options import Option, Values
    from molokini.compat.pbs.ids import JobId
    from molokini.compat.pbs.remembered import Remembered
    from molokini.compat.pbs.resources import ResourceRequest
    from molokini.compat.slurm.cluster import Clock
    from molokini.compat.slurm.jobs import View as JobView
    from molokini.compat.slurm.sacct_fields import Row
    from molokini.compat.slurm.sinfo_fields import Group
    from molokini.compat.tool import Invocation
    from molokini.compat.transport import Transport

    T = TypeVar("T")
    Node: TypeAlias = dict[str, Any]
    Queue: TypeAlias = dict[str, Any]
    Found: TypeAlias = dict[str, Any]
    """What the server answers, as JSON has it."""
    JobRef: TypeAlias = dict[str, int]
    """A job, or one element of an array, as calls name it."""
    Attributes: TypeAlias = dict[str, Any]
    """What PBS shows: texts, whole numbers, or resources by their names."""

    __all__ = [
        "Any",
        "Attributes",
        "Callable",
        "Clock",
        "Column",
        "Format",
        "Found",
        "Group",
        "Invocation",
        "Iterable",
        "Iterator",
        "Job",
        "JobId",
        "JobRef",
        "JobView",
        "LsfView",
        "Mapping",
        "NoReturn",
        "Node",
        "Option",
        "Program",
        "Queue",
        "Remembered",
        "ResourceRequest",
        "Row",
        "Sequence",
        "T",
        "Target",
        "TextIO",
        "Transport",
        "TransportError",
        "Values",
        "Wish",
    ]
else:

    def __getattr__(name: str) -> type:
        """The stand-in of *name*."""
        if name.startswith("__"):
            raise AttributeError(name)
        return object
