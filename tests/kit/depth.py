"""How deep the tests go: ``make test`` in minutes, ``make deep`` in eight parts of some ten minutes each.

Marks divide the tests: ``deep`` runs only in the deep suite; of a parametrised test, ``quick("a", "b")``
leaves the named cases in the quick suite, ``quick(one_in=5)`` every fifth; the others are deep. Properties
run in both: with a part of their examples in the quick suite, with all of them in the deep one.
"""

import hashlib
import os
from collections import Counter
from dataclasses import dataclass
from typing import Final

import pytest
from hypothesis import is_hypothesis_test, settings

VARIABLE: Final = "MOLOKINI_DEEP"
"""Set to 1 in the environment of the deep suite."""
QUICK_SHARE: Final = 8
"""A property's examples are divided by this in the quick suite, ..."""
LEAST_EXAMPLES: Final = 5
"""but there are at least so many. The deep suite runs all that the property states."""
_SETTINGS: Final = "_hypothesis_internal_use_settings"
"""Where hypothesis keeps a test's settings; there is no public way to change them after the decorator."""
_STATED: Final = "examples_stated"
"""Where we keep what the test states itself."""


def deep() -> bool:
    """Whether this is the deep suite."""
    return os.environ.get(VARIABLE) == "1"


def examples(stated: int) -> int:
    """How many examples a property that states *stated* runs in this suite."""
    if deep():
        return stated
    return min(stated, max(LEAST_EXAMPLES, stated // QUICK_SHARE))


@dataclass(frozen=True)
class Part:
    """One part of the deep suite: the *number*-th of *of*, from 1."""

    number: int
    of: int

    def has(self, test: str) -> bool:
        """Whether the test of this node id runs in this part; each test runs in exactly one."""
        return int(hashlib.sha256(test.encode()).hexdigest(), 16) % self.of == self.number - 1


def part_of(text: str) -> Part:
    """The part that ``3/8`` names; ``pytest.UsageError`` where it names none."""
    number, slash, of = text.partition("/")
    if slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of):
        return Part(int(number), int(of))
    raise pytest.UsageError(f"--part {text}: it has to be K/N with 1 <= K <= N, such as 3/8")


def without_group(test: str) -> str:
    """A node id without the group that pytest-xdist appends to it, as in ``test_a.py::test_b[c]@group``."""
    before, at, group = test.rpartition("@")
    return before if at and not set(group) & set("[]:/") else test


def mark_depths(items: list[pytest.Item]) -> None:
    """Mark each of *items* as deep if its mark ``quick`` leaves it out; scale its examples."""
    cases: Counter[str] = Counter()
    for item in items:
        function = item.nodeid.partition("[")[0]
        _mark_depth(item, cases[function])
        cases[function] += 1


def _mark_depth(item: pytest.Item, case: int) -> None:
    """*case*: how many cases of the same function come before it.

    Tests that wait rather than compute form a group of pytest-xdist's, which one worker runs; so do those of
    a file, whose fixtures are made once then, and whose policies are loaded once.
    """
    quick = item.get_closest_marker("quick")
    if quick is not None and not _is_quick(item, case, quick):
        item.add_marker("deep")
    if item.get_closest_marker("waits") is not None:
        item.add_marker(pytest.mark.xdist_group("waits"))
    elif item.get_closest_marker("xdist_group") is None:
        item.add_marker(pytest.mark.xdist_group(_group(item.nodeid)))
    test = getattr(item, "obj", None)
    if test is not None and is_hypothesis_test(test):
        _scale_examples(test)


def _group(test: str) -> str:
    """A name for the file of *test* which ``without_group`` takes away again."""
    return test.partition("::")[0].removesuffix(".py").replace("/", ".")


def _is_quick(item: pytest.Item, case: int, quick: pytest.Mark) -> bool:
    one_in: int | None = quick.kwargs.get("one_in")
    if one_in is not None:
        return case % one_in == 0
    callspec = getattr(item, "callspec", None)
    return callspec is not None and callspec.id in quick.args


def _scale_examples(test: object) -> None:
    """Run the share of *test*'s examples that this suite runs; once, though many cases share the function."""
    function = getattr(test, "__func__", test)
    stated = getattr(function, _SETTINGS, None) or settings.default
    if stated is not None and not hasattr(function, _STATED):
        setattr(function, _STATED, stated.max_examples)
        setattr(function, _SETTINGS, settings(stated, max_examples=examples(stated.max_examples)))
