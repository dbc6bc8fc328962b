"""Words, and the places of rows: no two are the same number."""

from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pkgutil import walk_packages

import pytest

from molokini.policies import maui


def enumerations() -> Iterator[type[Enum]]:
    """All that this policy makes, wherever it stands."""
    for found in walk_packages(maui.__path__, f"{maui.__name__}."):
        for one in vars(import_module(found.name)).values():
            if isinstance(one, type) and issubclass(one, Enum) and one.__module__ == found.name and len(one):
                yield one


@pytest.mark.parametrize("kind", list(enumerations()), ids=lambda kind: kind.__name__)
def test_each_name_has_a_number_and_a_word_of_its_own(kind: type[Enum]) -> None:
    """A second name of a number is no member: what is said by it is taken for the first."""
    assert list(kind.__members__) == [member.name for member in kind]
    assert len({str(member) for member in kind}) == len(kind)
