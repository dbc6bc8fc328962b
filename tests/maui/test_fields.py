"""Fields of the model know their name in maui.cfg, their kind, and the section that they hold."""

from typing import Annotated

import pytest
from pydantic import ValidationError

from molokini.maui.fields import Count, Label, Section, Yes, group, kind_of, parameter, section_in, told_of
from molokini.maui.kinds import Choice, Flag, Name, Number, Whole, Word


class Colour(Word):
    RED = "RED"


class Inner(Section):
    depth: Count = parameter("DEPTH", 3, "How deep.")


class Outer(Section):
    on: Yes = parameter("ON", False, "Whether.", aliases=("ALSO",), without="nothing follows it")
    colour: Colour | None = parameter("COLOUR", None, "Which.")
    weights: dict[Label, Annotated[float, Number()]] = parameter(
        "WEIGHT", {"0": 1.0}, "How much.", array=True
    )
    inner: Inner = group("IN", Inner, "{} of the inside")
    by_name: dict[Label, Inner] = parameter("EACH", dict, "Each.")


def test_a_field_says_what_it_was_told() -> None:
    fields = Outer.model_fields
    assert told_of(fields["on"]) == {
        "name": "ON",
        "aliases": ["ALSO"],
        "without": "nothing follows it",
        "array": False,
    }
    assert told_of(fields["inner"]) == {"prefix": "IN", "without": ""}
    assert fields["on"].description == "Whether."


def test_a_kind_is_found_in_an_annotation_and_in_an_optional_word() -> None:
    fields = Outer.model_fields
    kinds = {name: type(kind_of(one)) for name, one in fields.items()}
    assert kinds == {"on": Flag, "colour": Choice, "weights": Name, "inner": type(None), "by_name": Name}
    assert isinstance(kind_of(Inner.model_fields["depth"]), Whole)
    assert [section_in(fields[name]) for name in ("on", "inner", "by_name")] == [None, Inner, Inner]


def test_a_section_has_nothing_unknown_and_never_changes() -> None:
    one = Outer()
    assert (one.on, one.colour, one.weights, one.inner.depth) == (False, None, {"0": 1.0}, 3)
    assert Outer().weights is not one.weights
    with pytest.raises(ValidationError, match="frozen"):
        one.on = True
    with pytest.raises(ValidationError, match="not permitted"):
        Outer.model_validate({"off": True})
