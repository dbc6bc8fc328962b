"""The declaration of a policy: name, promise, source, parameters.

A policy file holds one ``POLICY`` and the functions ``schedule(view, now)`` and, where it plans ahead,
``begin(view, now)``. Parameters reach it as one vector of floats, in the order declared.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from molokini.model.errors import BadValue, UnknownName

COUNTED_MOST = 2**16
"""Processors of the largest machine on which a policy may plan each processor by itself."""

Value = float | int | str | tuple[float, ...]
"""What a parameter may be: a number, a word, several numbers."""


class Kind(StrEnum):
    """Types of parameters."""

    INTEGER = "integer"
    NUMBER = "number"
    CHOICE = "choice"
    LIST = "list of numbers"
    SHARES = "shares"
    """A share for each of some names, which add up to 1: ``one:0.25,other:0.75``; one name alone has all."""
    TEXT = "text"
    """Any text, which its owner reads: a file's name, pairs of numbers, names of policies. In the vector of a
    policy it is its length and the numbers of its characters, and it comes last."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: what it means, its unit, its range, where it comes from."""

    name: str
    default: Value
    meaning: str
    kind: Kind = Kind.NUMBER
    unit: str = ""
    low: float = float("-inf")
    high: float = float("inf")
    choices: tuple[str, ...] = ()
    most: int = 60
    """Numbers that a list may hold."""
    source: str = ""
    alias: str = ""
    """Its name in a site's configuration."""
    within_machine: bool = False
    """A number of processors: the machine must have as many."""
    counted: str = ""
    """A choice that works only on machines of counted processors, ``COUNTED_MOST`` at most."""
    read: Callable[[str], object] | None = None
    """What its owner makes of a text; it raises BadInput for a text that means nothing."""
    rare: bool = False
    """It matters on few machines: what a run is described by has its value only where that is given."""

    @property
    def allowed(self) -> str:
        """The range in words."""
        if self.kind is Kind.CHOICE:
            return "one of " + ", ".join(self.choices)
        if self.kind is Kind.SHARES:
            return f"NAME:SHARE,NAME:SHARE with shares that add up to 1, of {', '.join(self.choices)}"
        if self.kind is Kind.TEXT:
            return "a text"
        bounds = f"from {self.low:,.15g} to {self.high:,.15g}"
        noun = {Kind.INTEGER: "a whole number", Kind.NUMBER: "a number", Kind.LIST: "rising numbers"}[
            self.kind
        ]
        return f"{noun} {bounds}" + (
            f", at most {self.most}, separated by commas" if self.kind is Kind.LIST else ""
        )

    def parse(self, text: str) -> Value:
        """The value that *text* spells, checked; ``BadValue`` names field, value and range."""
        if self.kind is Kind.CHOICE:
            return self._chosen(text)
        if self.kind is Kind.SHARES:
            self.shares(text)
        if self.kind is Kind.TEXT and self.read is not None:
            self.read(text)
        if self.kind in (Kind.SHARES, Kind.TEXT):
            return text
        try:
            numbers = tuple(float(part) for part in text.split(",")) if text else ()
        except ValueError:
            raise BadValue(self.name, text, self.allowed) from None
        if not all(self.low <= number <= self.high for number in numbers):
            raise BadValue(self.name, text, self.allowed)
        if self.kind is Kind.LIST:
            if len(numbers) > self.most or any(b <= a for a, b in pairwise(numbers)):
                raise BadValue(self.name, text, self.allowed)
            return numbers
        if len(numbers) != 1 or (self.kind is Kind.INTEGER and numbers[0] != int(numbers[0])):
            raise BadValue(self.name, text, self.allowed)
        return int(numbers[0]) if self.kind is Kind.INTEGER else numbers[0]

    def _chosen(self, text: str) -> str:
        """The choice that *text* names; in capitals, too, as configurations have words."""
        if text in self.choices:
            return text
        alike = [one for one in self.choices if one.lower() == text.lower()]
        if len(alike) != 1:
            raise BadValue(self.name, text, self.allowed)
        return alike[0]

    def shares(self, text: str) -> dict[str, float]:
        """The share of each choice that *text* spells; ``BadValue`` where they do not add up to 1."""
        shares = dict.fromkeys(self.choices, 0.0)
        parts = text.split(",")
        for part in parts:
            name, colon, share = part.partition(":")
            if name not in shares or not (colon or len(parts) == 1):
                raise BadValue(self.name, text, self.allowed)
            try:
                shares[name] += float(share) if colon else 1.0
            except ValueError:
                raise BadValue(self.name, text, self.allowed) from None
        # Written so that a share that is not a number is refused too.
        if not (min(shares.values()) >= 0 and abs(sum(shares.values()) - 1) < 1e-9):
            raise BadValue(self.name, text, self.allowed)
        return shares

    def encode(self, value: Value) -> list[float]:
        """The value as the floats that the policy's vector holds."""
        if isinstance(value, str):
            if self.kind is Kind.SHARES:
                return list(self.shares(value).values())
            if self.kind is Kind.TEXT:
                return text_in_numbers(value)
            return [float(self.choices.index(value))]
        return [float(number) for number in value] if isinstance(value, tuple) else [float(value)]


IN_ROWS = ("mpl", "quantum_s", "context_switch", "mode", "switch")
"""The parameters by which a policy of rows says what ``Rows`` are."""


PACKING, MEMORY_GB = "packing", "memory_gb"
"""Parameters of the same that a policy of rows may lack: by what rows are chosen, the memory of a row."""
KB_A_GB = 1024.0**2


SLOTS = "slots"
"""The parameter that says how many there may be where only rows in use take turns."""
ANY_QUANTUM_S = 1.0
"""Evenly shared, without a context switch, quanta mean nothing."""


def text_in_numbers(text: str) -> list[float]:
    """*text* as the floats that a policy's vector holds."""
    return [float(len(text)), *map(float, map(ord, text))]


def text_from_numbers(numbers: Sequence[float]) -> str:
    """The text that stands at the beginning of *numbers*."""
    return "".join(chr(int(number)) for number in numbers[1 : 1 + int(numbers[0])])


class Rows(NamedTuple):
    """The matrix of a policy: time slices are rows, processors are columns."""

    rows: int = 0
    """0: the policy has no matrix."""
    quantum_s: float = 0.0
    switch: float = 0.0
    """The part of a quantum that is lost to the context switch."""
    exact: bool = False
    varying: bool = False
    """Whether only those take turns that are in use, and jobs have blocks of columns."""
    changed: bool = False
    """Whether a context switch costs something only where other jobs had the columns before."""
    by_memory: bool = False
    """Whether a job gets the row with the least memory, and not the one that it fits best."""
    memory_kb: float = 0.0
    """Memory that the jobs of a row may have in all; 0: any."""


@dataclass(frozen=True)
class Policy:
    """The declaration of one policy."""

    name: str
    summary: str
    promise: str
    source: str
    parameters: tuple[Parameter, ...] = ()
    counted_only: bool = False
    """True: jobs that wish for nodes, memory or features are refused (``NEEDS_NODES``)."""
    counted_unless: tuple[str, str] | None = None
    """A parameter, and the value of it with which the policy itself refuses those that it cannot plan."""
    others: "Callable[[Mapping[str, Value]], Sequence[tuple[Policy, Mapping[str, Value]]]] | None" = None
    """Of a policy that lets others decide, which its last parameter lists: those, with their values. What one
    of them refuses or needs, it refuses or needs."""
    by_node: bool = False
    """Whether its plans are of nodes by name where there are any: a replay on counted processors is then of
    another machine than the same number of nodes."""
    by_array: bool = False
    """Whether it goes by which jobs are elements of one array."""
    reservable: bool = True
    """Whether it can keep jobs out of what an administrator has reserved for other jobs."""
    only_shares: bool = False
    """Whether each of its jobs shares processors from its start to its end, and none is stopped meanwhile:
    in a simulation ``share_all`` is then one decision about all of them."""
    shares_with: str = ""
    """A parameter with which, where it is not empty, jobs share processors, so that it is not reservable."""
    computed: str = ""
    """A list that a simulation computes from its workload where it is empty (``experiments.computed``)."""
    moves: bool = False
    """Whether what it has stopped, or what runs, may go on elsewhere: jobs of real processes cannot."""
    moves_with: tuple[str, str] | None = None
    """A parameter, and the value of it with which it does."""
    tells: bool = False
    """Whether it says by which of its passes each start came, and the job's priority (``tell_start``)."""
    in_order: bool = False
    """True: no job overtakes another, and time alone changes nothing. While the head of the queue waits, a
    simulation has no pass for jobs that join behind it, as the policy would start none."""
    family: str = ""
    """Under which heading a list shows it; empty: among the other policies."""
    one_of: tuple[str, str] | None = None
    """How its name is composed, and of which parts, where a list shows its whole family in one line."""
    fixed: tuple[float, ...] = ()
    """Numbers before the parameters in the vector: which member of a family of policies this is."""
    fixed_last: tuple[float, ...] = ()
    """Numbers after them: parameters of the policy that this is under another name."""

    remark: Callable[[Mapping[str, Value], int], str] | None = None
    """What the user of a result should know, by the parameters' values and the processors; empty: nothing."""

    ceiling_name: Callable[[int], str] = str
    """The name of a ceiling of jobs by its number, as refusals have it."""
    configurations: str = ""
    """The module that makes sites of configurations (``model.site.Configurations``); empty: it has none."""
    charging: tuple[str, str] | None = None
    """Parameters that say what active jobs are charged a second, and how long a window of usage is (s)."""
    in_rows: bool = False
    """Whether jobs stand in the rows of a matrix, as the parameters ``IN_ROWS`` say."""
    in_blocks: bool = False
    """Of a policy of rows: jobs get blocks of columns, of a power of two each, and only rows that are in use
    take turns, up to ``SLOTS``."""
    together: Callable[[Mapping[str, Value]], None] | None = None
    """Raises BadValue where values that are allowed by themselves do not go together."""

    def charged(self, vector: Sequence[float]) -> tuple[int, float]:
        """What active jobs are charged, and the length of a window, as *vector* says; (0, 1) for nothing."""
        if self.charging is None:
            return 0, 1.0
        places, place = {}, 0
        for parameter in self.parameters:
            places[parameter.name] = place
            place += len(parameter.encode(parameter.default))
        charge, interval_s = (vector[places[name]] for name in self.charging)
        return int(charge), float(interval_s)

    def rows(self, vector: Sequence[float]) -> Rows:
        """The matrix that *vector* asks for."""
        if self.others is not None:
            *before, listed = self.parameters
            place = len(self.fixed) + sum(len(one.encode(one.default)) for one in before)
            others = self.others({listed.name: text_from_numbers(vector[place:])})
            return next((one.rows(one.vector(own)) for one, own in others if one.in_rows), Rows())
        if not self.in_rows:
            return Rows()
        place, found = len(self.fixed), {}
        for parameter in self.parameters:
            found[parameter.name] = vector[place]
            place += len(parameter.encode(parameter.default))
        if self.in_blocks:
            return Rows(int(found[SLOTS]), ANY_QUANTUM_S, 0.0, False, True)
        count, quantum_s, switch, mode, when = (found[name] for name in IN_ROWS)
        by_memory = found.get(PACKING, 0.0) == 1.0
        memory_kb = found.get(MEMORY_GB, 0.0) * KB_A_GB if by_memory else 0.0
        return Rows(int(count), quantum_s, switch, mode == 1.0, False, when == 1.0, by_memory, memory_kb)

    def values(self, given: Mapping[str, str]) -> dict[str, Value]:
        """Every parameter's value: as *given* (in text), else its default, unless it is ``rare``."""
        values = values_of(f"policy {self.name}", self.parameters, given)
        if self.together is not None:
            self.together(values)
        return values

    def check_machine(self, values: Mapping[str, Value], processors: int, nodes: int) -> None:
        """Raise BadValue where a parameter needs what a machine of so many processors and *nodes* lacks.

        *nodes* is 0 where processors are only counted.
        """
        if self.in_blocks and processors & (processors - 1):
            raise BadValue(
                "processors", processors, f"a power of two under {self.name}, such as {_near(processors)}"
            )
        for other, own in self._others(values):
            other.check_machine(own, processors, nodes)
        for parameter in self.parameters:
            value = values.get(parameter.name, parameter.default)
            if parameter.counted and value == parameter.counted and (nodes or processors > COUNTED_MOST):
                allowed = f"used where processors are counted (no nodes), {COUNTED_MOST:,} at most"
                raise BadValue(parameter.name, value, allowed)
            if parameter.within_machine and isinstance(value, int | float) and value > processors:
                raise BadValue(parameter.name, value, f"at most the machine's {processors:,}")

    def vector(self, values: Mapping[str, Value]) -> Sequence[float]:
        """The vector that the policy's functions read."""
        given = [number for p in self.parameters for number in p.encode(values.get(p.name, p.default))]
        return [*self.fixed, *given, *self.fixed_last]

    def moves_jobs(self, values: Mapping[str, Value]) -> bool:
        """Whether jobs may be moved between nodes with these values of its parameters."""
        found = self.moves_with
        others = any(other.moves_jobs(own) for other, own in self._others(values))
        return others or self.moves or (found is not None and values.get(found[0]) == found[1])

    def takes_turns(self, values: Mapping[str, Value]) -> bool:
        """Whether jobs stand in the rows of a matrix with these values of its parameters."""
        return self.in_rows or any(other.in_rows for other, _ in self._others(values))

    def reserves(self, values: Mapping[str, Value]) -> bool:
        """Whether jobs are kept out of what is reserved for others with these values of its parameters."""
        if not all(other.reserves(own) for other, own in self._others(values)):
            return False
        return self.reservable and not (self.shares_with and values.get(self.shares_with))

    def counts(self, values: Mapping[str, Value]) -> bool:
        """Whether jobs that wish for nodes are refused with these values of its parameters."""
        if self.others is not None:
            return any(other.counts(own) for other, own in self._others(values))
        unless = self.counted_unless
        return self.counted_only and (unless is None or values.get(unless[0]) != unless[1])

    def _others(self, values: Mapping[str, Value]) -> "Sequence[tuple[Policy, Mapping[str, Value]]]":
        """Those that it lets decide."""
        return self.others(values) if self.others is not None else ()


def _near(processors: int) -> str:
    """The powers of two around a number that is none."""
    above = 1 << processors.bit_length()
    return f"{above // 2:,} or {above:,}"


def values_of(owner: str, parameters: Sequence[Parameter], given: Mapping[str, str]) -> dict[str, Value]:
    """The values of *owner*'s parameters: as *given* (in text), else the default unless one is ``rare``.

    Raises UnknownName for any other name, BadValue for a value out of its range.
    """
    known = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in known:
            raise UnknownName(f"parameter of {owner}", name, known)
    wanted = {name: one for name, one in known.items() if name in given or not one.rare}
    return {n: p.parse(given[n]) if n in given else p.default for n, p in wanted.items()}
