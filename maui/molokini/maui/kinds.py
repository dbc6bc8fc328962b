"""Kinds of values: how each is read from Maui's text and from TOML, and written to both.

A kind stands in the annotation of a field, ``Annotated[int, Whole()]``. pydantic validates by it,
``maui.cfg`` is read and written by it, and what a refused value should have been is its ``allowed``.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, StrEnum
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from molokini.maui.limits import Limit, read_limit, write_limit
from molokini.maui.times import INFINITY_S, read_duration, unusual, write_duration
from molokini.maui.unfit import Unfit
from molokini.model.banks import MOST_AMOUNT, UNLIMITED
from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.words import Word as NumberedWord

Chosen = TypeVar("Chosen", bound=Enum)

LARGEST = 2**53
"""Whole numbers above this are not exact as double numbers, which is what the tables hold."""

SEPARATORS = re.compile(r"[\s,:|]+")
"""What stands between the members of a list."""


class Kind(ABC):
    """One kind of value."""

    allowed: str
    """What a value may be, in words that go behind "it must be"."""
    values: ClassVar[type | tuple[()]] = ()
    """The class of values that are taken as they are, if there is one."""
    empty: bool = False
    """Whether nothing at all is a value."""
    between: ClassVar[str] = ""
    """What joins a list of texts to the text that is read; empty: a list is no value."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """The value of *text* in ``maui.cfg``. Raises ValueError, with a cause where there is more to say."""

    def remark(self, text: str, value: Any) -> str:
        """What is odd in *text*, from which *value* was read; empty: nothing."""
        return ""

    def write(self, value: Any) -> str:
        """The text of *value* in ``maui.cfg``, without quotes."""
        return str(value)

    def take(self, value: Any) -> Any:
        """The value of what TOML or a program gave. Raises ValueError."""
        if isinstance(value, self.values):
            return value
        if self.between and isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            value = self.between.join(value)
        if isinstance(value, str):
            return self.read(value)
        raise ValueError

    def plain(self, value: Any) -> Any:
        """*value* in TOML's types."""
        return self.write(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """How pydantic validates a field of this kind, and serializes it."""
        return core_schema.no_info_plain_validator_function(
            self.take, serialization=core_schema.plain_serializer_function_ser_schema(self.plain)
        )


class Number(Kind):
    """A number from *least* to *most*."""

    def __init__(self, least: float = -1e12, most: float = 1e12) -> None:
        self.least, self.most = least, most
        self.allowed = _range("a number", least, most, 1e12)

    def read(self, text: str) -> float:
        if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", text, re.ASCII):
            raise ValueError
        return self.take(float(text))

    def take(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError
        _bounded(value, self.least, self.most)
        return float(value)

    def write(self, value: float) -> str:
        return shortest(value)

    def plain(self, value: float) -> Any:
        return int(value) if value == int(value) else value


class Whole(Kind):
    """A whole number from *least* to *most*."""

    def __init__(self, least: int = 0, most: int = LARGEST) -> None:
        self.least, self.most = least, most
        self.allowed = _range("a whole number", least, most, LARGEST)

    def read(self, text: str) -> int:
        if not re.fullmatch(r"[-+]?\d{1,400}", text, re.ASCII):
            raise ValueError
        return self.take(int(text))

    def take(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError
        _bounded(value, self.least, self.most)
        return value

    def plain(self, value: int) -> Any:
        return value


class Amount(Whole):
    """Processor-seconds of an account; without end is ``UNLIMITED``."""

    def __init__(self) -> None:
        super().__init__(UNLIMITED, MOST_AMOUNT)
        self.allowed = f"a whole number from 0 to {MOST_AMOUNT:,}, or INFINITY"

    def read(self, text: str) -> int:
        return UNLIMITED if text.upper() == "INFINITY" else super().read(text.replace("-", "?"))

    def take(self, value: Any) -> int:
        return self.read(value) if isinstance(value, str) else super().take(value)

    def write(self, value: int) -> str:
        return "INFINITY" if value == UNLIMITED else str(value)

    def plain(self, value: int) -> Any:
        return self.write(value) if value == UNLIMITED else value


class Flag(Kind):
    """Yes or no."""

    allowed = "TRUE or FALSE (also ON, OFF, YES, NO, 1, 0)"
    _WORDS: Mapping[str, bool] = {
        **dict.fromkeys(("true", "on", "yes", "1"), True),
        **dict.fromkeys(("false", "off", "no", "0"), False),
    }

    def read(self, text: str) -> bool:
        if text.casefold() not in self._WORDS:
            raise ValueError
        return self._WORDS[text.casefold()]

    def take(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value

    def write(self, value: bool) -> str:
        return "TRUE" if value else "FALSE"

    def plain(self, value: bool) -> Any:
        return value


class Duration(Kind):
    """Seconds, written as ``[[[DD:]HH:]MM:]SS``; negative ones only where they mean "none"."""

    def __init__(self, least: int = 0) -> None:
        self.least = least
        negative = ", or -1 for none" if least < 0 else ""
        self.allowed = f"a time [[[DD:]HH:]MM:]SS, INFINITY{negative}"

    def read(self, text: str) -> int:
        return self.take(read_duration(text))

    def take(self, value: Any) -> int:
        if isinstance(value, str):
            return self.read(value)
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= INFINITY_S:
            raise ValueError
        return value

    def remark(self, text: str, value: int) -> str:
        return f"read as {write_duration(value)}" if unusual(text) else ""

    def write(self, value: int) -> str:
        return write_duration(value)


class Text(Kind):
    """Any text on one line."""

    allowed = "a text"

    def read(self, text: str) -> str:
        if not text or not text.isprintable() or len(text) > 4096 or {'"', "'"} <= set(text):
            raise ValueError
        return text


class Name(Text):
    """A name: no spaces, no commas, nothing that separates."""

    allowed = "a name without spaces, brackets, commas, quotes or #"

    def read(self, text: str) -> str:
        if not is_name(text):
            raise ValueError
        return text


class Names(Kind):
    """A list of names."""

    def __init__(self, separators: re.Pattern[str] = SEPARATORS, name: Callable[[str], str] | None = None):
        self.separators = separators
        self.name = name or _member
        self.allowed = "a list of names with commas between them"

    def read(self, text: str) -> tuple[str, ...]:
        return self.take([part for part in self.separators.split(text) if part])

    def take(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            return self.read(value)
        if not isinstance(value, list | tuple) or not value or not all(isinstance(one, str) for one in value):
            raise ValueError
        return tuple(dict.fromkeys(self.name(one) for one in value))

    def write(self, value: tuple[str, ...]) -> str:
        return ",".join(value)

    def plain(self, value: tuple[str, ...]) -> Any:
        return list(value)


class Word(StrEnum):
    """A word out of a few; in ``maui.cfg`` and TOML, large and small letters are alike."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """As of a kind."""
        return Choice(cls).__get_pydantic_core_schema__(source, handler)


class Choice(Kind, Generic[Chosen]):
    """One of the words of *words*, or another spelling of one."""

    def __init__(self, words: Iterable[Chosen], aliases: Mapping[str, str] | None = None) -> None:
        """*words* in the order in which messages have them."""
        self.words, self.aliases = {written(one): one for one in words}, aliases or {}
        self.allowed = "one of " + ", ".join(self.words)

    def read(self, text: str) -> Chosen:
        folded = text.upper()
        word = self.words.get(self.aliases.get(folded, folded))
        if word is None:
            raise ValueError
        return word

    def take(self, value: Any) -> Chosen:
        for one in self.words.values():
            if one is value:
                return one
        return super().take(value)  # type: ignore[no-any-return]

    def write(self, value: Enum) -> str:
        return written(value)


class Limits(Kind):
    """A soft and a hard limit, of numbers or times."""

    def __init__(self, number: Kind, unit: str) -> None:
        self.number = number
        self.allowed = f"[SOFT,]HARD {unit}, 0 for no limit, soft not above hard"

    def read(self, text: str) -> Limit:
        return read_limit(text, self.number.read)

    def take(self, value: Any) -> Limit:
        if isinstance(value, Limit):
            return value
        if isinstance(value, list | tuple) and len(value) == 2:
            return Limit(*(self.number.take(one) for one in value))
        if isinstance(value, str) and "," in value:
            return self.read(value)
        return Limit(*(self.number.take(value),) * 2)

    def remark(self, text: str, value: Limit) -> str:
        odd = isinstance(self.number, Duration) and any(map(unusual, text.split(",")))
        return f"read as {self.write(value)}" if odd else ""

    def write(self, value: Limit) -> str:
        return write_limit(value, lambda one: self.number.write(self.number.take(_natural(one))))

    def plain(self, value: Limit) -> Any:
        soft, hard = (self.number.plain(self.number.take(_natural(one))) for one in (value.soft, value.hard))
        return hard if value.soft == value.hard else [soft, hard]


class HardLimit(Limits):
    """A limit of which Maui looks at the hard part alone; a soft part is read and dropped."""

    def read(self, text: str) -> Limit:
        hard = super().read(text).hard
        return Limit(hard, hard)

    def take(self, value: Any) -> Limit:
        hard = super().take(value).hard
        return Limit(hard, hard)


def written(word: Enum) -> str:
    """*word* as a maui.cfg has it."""
    if word is CredentialType.QUEUE:
        return "CLASS"
    return str(word) if isinstance(word, str | NumberedWord) else word.name.replace("_", "")


def is_name(text: str) -> bool:
    """Whether *text* can be the name of a user, a node, a reservation."""
    return 0 < len(text) <= 256 and text.isprintable() and not set(text) & set(" []{}\"',=#|;")


def _member(text: str) -> str:
    # A colon parts members of a list.
    if not is_name(text) or ":" in text:
        raise ValueError
    return text


def shortest(value: float) -> str:
    """A number without a fraction that is none."""
    return str(int(value)) if value == int(value) else repr(value)


def _natural(value: float) -> float:
    return int(value) if value == int(value) else value


def _bounded(value: float, least: float, most: float) -> None:
    """Raises Unfit, with the bound, for a number outside of the two."""
    if value > most:
        raise Unfit(f"larger than {most:,.0f}" if most == int(most) else f"larger than {most:,}")
    if value < least:
        raise Unfit(f"less than {least:,.0f}" if least == int(least) else f"less than {least:,}")


def _range(what: str, least: float, most: float, unbounded: float) -> str:
    if least <= -unbounded and most >= unbounded:
        return what
    if most >= unbounded:
        return f"{what} from {least:,}"
    return f"{what} from {least:,} to {most:,}"
