"""Patterns in the paths of a job."""

import pytest

from molokini.supervisor.patterns import default_output, filled, values_of

VALUES = values_of(17, 4, "ann", "align", "n1")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("out", "out"),
        ("%j.%a-%u_%x@%N", "17.4-ann_align@n1"),
        ("%%j%%", "%j%"),
        ("%%%j", "%17"),
        ("%4j-%3a", "0017-004"),
        ("%b", "4"),
        ("/a/b/%j", "/a/b/17"),
        ("", ""),
    ],
)
def test_each_letter_has_its_value(pattern: str, path: str) -> None:
    assert filled(pattern, VALUES) == path


@pytest.mark.parametrize("name", ["..", ".", "/", "../../etc/passwd", "a/b"])
def test_a_value_is_one_name(name: str) -> None:
    path = filled("out/%x", values_of(1, -1, "ann", name, "n1"))
    assert path.count("/") == 1
    assert not path.endswith(("/.", "/.."))


def test_a_value_is_not_read_again() -> None:
    assert filled("%x", values_of(1, -1, "ann", "%j", "n1")) == "%j"


@pytest.mark.parametrize("pattern", ["%q", "a%", "%J", "% j"])
def test_other_letters_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="is no pattern: there are %%, %j, %a, %b, %i, %u, %x, %N"):
        filled(pattern, VALUES)


@pytest.mark.parametrize(
    ("pattern", "shown"), [("%11j", "%11j"), ("%3x", "%3x"), ("%" + "9" * 5000 + "j", "%999999999...j")]
)
def test_widths_have_an_end(pattern: str, shown: str) -> None:
    with pytest.raises(ValueError, match=rf"^{shown} is no pattern: %1 to %10 stand before j, i and a$"):
        filled(pattern, VALUES)


def test_where_a_job_writes_that_names_no_file() -> None:
    assert filled(default_output(-1), values_of(3, -1, "ann", "", "n1")) == "molokini-3.out"
    assert filled(default_output(0), values_of(3, 0, "ann", "", "n1")) == "molokini-3.0.out"
