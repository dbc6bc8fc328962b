"""Declared columns: how long each is, how long its contents last, and what new elements hold.

``per`` stands at the declaration of every array of the tables. Sizes, growth, snapshots and the views of
interpreted policies follow from it, so that a new column is one line in one file.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache, lru_cache, reduce
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.lowering import LINE_WORDS
from molokini.compiled.struct_types import ColumnType
from molokini.compiled.structs import Struct


class Axis(Enum):
    """What a row, or a column, of an array is about."""

    JOB = auto()
    COMPONENT = auto()
    """Components of requests: there is room for as many as for jobs."""
    STEP = auto()
    """Steps of a profile of availability."""
    NODE = auto()
    CLUSTER = auto()
    ENTRY = auto()
    """Entries of allocations."""
    CREDENTIAL = auto()
    MEMBER = auto()
    """Credentials that scopes and usage have room for."""
    SCOPE = auto()
    ACCOUNT = auto()
    SHAPE = auto()
    APPLICATION = auto()
    RESERVATION = auto()
    ADMISSION = auto()
    """Elements of the access lists of reservations."""
    HOST = auto()
    """Nodes of reservations."""
    PARAMETER = auto()
    """Parameters of the policy."""
    ROW = auto()
    """Rows of the matrix: time slices."""
    WORD = auto()
    """Numbers that hold the bits of the columns of the matrix."""
    PAGE = auto()
    """Numbers that hold the bits of rows of the matrix."""
    BLOCK = auto()
    """Blocks of columns: the nodes of a tree, the root is the first and 0 is none."""

    # Sizes are looked up by axis some hundred times for each world; the hash of an Enum is made of its name.
    __hash__ = object.__hash__


class Nature(Enum):
    """What changes an array, and how long its contents last."""

    TRUTH = auto()
    """Facts change it, snapshots keep it, policies read it."""
    TENTATIVE = auto()
    """Truth between two passes; what the verbs of a pass write to it is taken back at the end of the pass."""
    WORK = auto()
    """What policies have found out or planned: carried over when rows grow, and not kept."""
    PASS = auto()
    """Means nothing after the pass: neither carried over nor kept."""


class _Unread:
    """No element is read before it was written, so the system need not provide memory for the others."""


UNREAD = _Unread()
Sizes = Mapping[Axis, int]


@dataclass(frozen=True)
class Column:
    """The declaration of one array."""

    axis: Axis | int
    """A number: so many elements, whatever the tables hold."""
    by: Axis | int | None
    nature: Nature | None
    """None: that of its struct."""
    times: int
    plus: int
    used: str | tuple[str, str]
    blank: float | _Unread

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        """Its shape where the axes have these sizes."""
        axis, by = self.axis, self.by
        rows = self.times * (axis if isinstance(axis, int) else sizes[axis]) + self.plus
        return (rows,) if by is None else (rows, max(1, by if isinstance(by, int) else sizes[by]))

    def is_along(self, axes: Collection[object]) -> bool:
        """Whether its shape follows from one of these."""
        return self.axis in axes or self.by in axes


def per(
    axis: Axis | int,
    by: Axis | int | None = None,
    nature: Nature | None = None,
    *,
    times: int = 1,
    plus: int = 0,
    used: str | tuple[str, str] = "",
    blank: float | _Unread = 0.0,
) -> Any:
    """An array with ``times`` * *axis* + *plus* rows, and columns by *by* where it is a table.

    *used*: the field beside it that says how many elements, from the first on, hold something (or the two
    fields that say from which to which); other elements are neither carried over nor kept.
    """
    return Column(axis, by, nature, times, plus, used, blank)


class Leaf(NamedTuple):
    """One array of a struct or of a struct inside."""

    struct: tuple[str, ...]
    """The way to the struct that has it."""
    name: str
    column: Column
    kind: ColumnType

    @property
    def path(self) -> str:
        """Its name from the outermost struct on, with dots."""
        return ".".join((*self.struct, self.name))

    def of(self, struct: Struct) -> NDArray[Any]:
        """This array of *struct*."""
        found: NDArray[Any] = getattr(self.owner(struct), self.name)
        return found

    def owner(self, struct: Struct) -> "Declared":
        """The struct inside *struct* that has it."""
        owner = reduce(getattr, self.struct, struct)
        assert isinstance(owner, Declared)
        return owner

    @property
    def is_kept(self) -> bool:
        """Whether a snapshot keeps it beside the record."""
        return not self.kind.recorded and self.column.nature in (Nature.TRUTH, Nature.TENTATIVE)


class Declared(Struct):
    """A struct of declared arrays; its numbers, and arrays declared without a nature, have its own nature."""

    declared: ClassVar[dict[str, Column]]
    nature: ClassVar[Nature]

    def __init_subclass__(cls, nature: Nature = Nature.TRUTH) -> None:
        cls.nature = nature
        said = {name: value for name, value in vars(cls).items() if isinstance(value, Column)}
        cls.declared = {name: replace(one, nature=one.nature or nature) for name, one in said.items()}
        for name in cls.declared:
            delattr(cls, name)
        super().__init_subclass__()
        missing = cls.columns().keys() - cls.declared.keys()
        assert not missing, f"{cls.__name__}: say per(...) of {sorted(missing)}"

    @classmethod
    def leaves(cls, way: tuple[str, ...] = ()) -> Iterator[Leaf]:
        """Every array, here and inside, in the order of declaration."""
        kinds = cls.columns()
        for name in cls.layout:
            if name in cls.children:
                inside = cls.children[name]
                assert issubclass(inside, Declared)
                yield from inside.leaves((*way, name))
            elif name in kinds:
                yield Leaf(way, name, cls.declared[name], kinds[name])

    @classmethod
    @cache
    def along(cls, axes: frozenset[Axis]) -> tuple[Leaf, ...]:
        """Those whose shape follows from one of *axes*."""
        return tuple(leaf for leaf in cls.leaves() if leaf.column.is_along(axes))

    @classmethod
    def sized(cls, sizes: Sizes) -> Self:
        """A struct with nothing in it, whose arrays are as long as *sizes* say."""
        made = object.__new__(cls)
        made._lie_in(np.zeros(cls.words, dtype=np.int64))
        made._make_arrays(sizes)
        return made

    @classmethod
    def unwritten(cls, sizes: Sizes) -> Self:
        """The same, whose records are still to be written: it costs little until it is written to."""
        made = object.__new__(cls)
        made._lie_in(np.zeros(cls.words, dtype=np.int64))
        made._make_arrays(sizes, _Memory(cls._long_words(sizes)))
        return made

    @classmethod
    def _long_words(cls, sizes: Sizes) -> int:
        """How many words the long arrays and the records take, here and inside; not more than that."""
        found = sum(
            _Memory.words_of(math.prod(column.shape(sizes)))
            for name, column in cls.declared.items()
            if not cls.columns()[name].recorded
        )
        if cls.record_words:
            found += _Memory.words_of(cls._record_rows(sizes) * cls.record_words)
        return found + sum(child._long_words(sizes) for child in cls._declared_children())

    @classmethod
    def _declared_children(cls) -> Iterator[type["Declared"]]:
        for child in cls.children.values():
            assert issubclass(child, Declared)
            yield child

    @classmethod
    @cache
    def _made(cls) -> tuple[dict[str, Column], dict[str, float]]:
        """The arrays of its own that are no columns of the record, and what fills those that are not zero."""
        made = {name: one for name, one in cls.declared.items() if not cls.columns()[name].recorded}
        blanks = {name: _number(column.blank) for name, column in made.items()}
        return made, {name: blank for name, blank in blanks.items() if blank}

    @classmethod
    @lru_cache(maxsize=1024)
    def _shapes(cls, sizes: tuple[tuple[Axis, int], ...]) -> dict[str, tuple[int, ...]]:
        """The shapes of these arrays."""
        by_axis, (made, _) = dict(sizes), cls._made()
        return {name: column.shape(by_axis) for name, column in made.items()}

    def _make_arrays(self, sizes: Sizes, memory: "_Memory | None" = None) -> None:
        made, filled = self._made()
        long = self.bind_together(self._shapes(tuple(sizes.items())))
        for name in long:
            if memory is not None and name not in filled:
                self.bind(name, memory.take(made[name].shape(sizes), self.columns()[name].of_ints))
            else:
                self.bind(name, new_array(made[name], self.columns()[name], sizes))
        for name, blank in filled.items():
            if name not in long:
                self.__dict__[name].fill(blank)
        if memory is None:
            self.lengthen_own_record(sizes)
        elif self.record_words:
            rows = self._record_rows(sizes)
            self._have_record(memory.take((rows, self.record_words), True))
        for _, child in self.each_child():
            assert isinstance(child, Declared)
            child._make_arrays(sizes, memory)

    @classmethod
    def _record_rows(cls, sizes: Sizes) -> int:
        recorded = (cls.declared[name] for name, kind in cls.columns().items() if kind.recorded)
        ((rows,),) = {column.shape(sizes) for column in recorded}
        return rows

    def lengthen_own_record(self, sizes: Sizes) -> None:
        """Give the record, if there is one, as many rows as its columns say; new ones are blank."""
        if not self.record_words:
            return
        recorded = {name: self.declared[name] for name, kind in self.columns().items() if kind.recorded}
        rows = self._record_rows(sizes)
        if rows != len(self.record):
            self.lengthen_record(rows, **{name: _number(column.blank) for name, column in recorded.items()})

    def grow(self, axes: frozenset[Axis], sizes: Sizes) -> None:
        """Make the arrays along any of *axes* as long as *sizes* say; their contents stay.

        The contents of arrays of a pass do not stay: to copy them would write to memory never used before.
        """
        for leaf in self.along(axes):
            owner, column = leaf.owner(self), leaf.column
            old = owner.__dict__[leaf.name]
            if leaf.kind.recorded:
                owner.lengthen_own_record(sizes)
            elif column.shape(sizes) != old.shape:
                new = new_array(column, leaf.kind, sizes)
                if column.nature is not Nature.PASS:
                    _carry_over(old, new, owner.in_use(leaf.name), column.blank)
                owner.bind(leaf.name, new)

    def renew(self, axes: frozenset[Axis], sizes: Sizes) -> None:
        """Give the arrays along *axes* these *sizes*; an array whose shape changes becomes blank."""
        for leaf in self.along(axes):
            owner = leaf.owner(self)
            if leaf.column.shape(sizes) != owner.__dict__[leaf.name].shape:
                owner.bind(leaf.name, new_array(leaf.column, leaf.kind, sizes))

    def in_use(self, name: str) -> slice:
        """Which elements of the array *name* hold something."""
        used = self.declared[name].used
        if not used:
            return slice(None)
        if isinstance(used, str):
            return slice(getattr(self, used))
        return slice(getattr(self, used[0]), getattr(self, used[1]))


class _Memory:
    """One piece of memory for many long arrays, full of zeros.

    So large a piece comes from the system, which provides what is written to; smaller ones would be taken
    from what was used before, and be made zero.
    """

    def __init__(self, words: int) -> None:
        self._words = np.zeros(words + LINE_WORDS, dtype=np.int64)
        self._used = -(self._words.ctypes.data // 8) % LINE_WORDS

    @staticmethod
    def words_of(size: int) -> int:
        """What an array of so many elements takes: it begins with a line of the cache."""
        return -(-size // LINE_WORDS) * LINE_WORDS

    def take(self, shape: tuple[int, ...], of_ints: bool) -> NDArray[Any]:
        """An array of it."""
        size = math.prod(shape)
        part = self._words[self._used : self._used + size]
        self._used += self.words_of(size)
        return (part if of_ints else part.view(np.float64)).reshape(shape)


def _number(blank: float | _Unread) -> float:
    return 0.0 if isinstance(blank, _Unread) else blank


def new_array(column: Column, kind: ColumnType, sizes: Sizes) -> NDArray[Any]:
    """The array of *column* with nothing in it."""
    shape, dtype = column.shape(sizes), np.dtype(str(kind.dtype))
    if isinstance(column.blank, _Unread):
        return np.empty(shape, dtype=dtype)
    return np.zeros(shape, dtype=dtype) if not column.blank else np.full(shape, column.blank, dtype=dtype)


def _carry_over(old: NDArray[Any], new: NDArray[Any], used: slice, blank: float | _Unread) -> None:
    part = old[used]
    # Zeros need not be written over zeros: the system provides memory at the first write to it.
    if blank != 0.0 or part.any():
        first = used.start or 0
        new[first : first + len(part), *map(slice, old.shape[1:])] = part
