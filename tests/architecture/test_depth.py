"""The division into a quick and a deep suite: nothing is in neither, and no part is left out."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.depth import (
    LEAST_EXAMPLES,
    QUICK_SHARE,
    VARIABLE,
    Part,
    deep,
    examples,
    part_of,
    without_group,
)

ROOT = Path(__file__).parents[2]


@given(st.text(min_size=1), st.integers(1, 12))
def test_each_test_is_in_exactly_one_part(test: str, of: int) -> None:
    assert sum(Part(number, of).has(test) for number in range(1, of + 1)) == 1


@pytest.mark.parametrize("text", ["", "3", "0/8", "9/8", "1/0", "x/8", "1/8/8", "-1/8"])
def test_a_part_that_there_is_not_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(pytest.UsageError, match="such as 3/8"):
        part_of(text)


def test_a_part_is_read() -> None:
    assert part_of("3/8") == Part(3, 8)


@pytest.mark.parametrize(
    ("test", "plain"),
    [
        ("a.py::b", "a.py::b"),
        ("a.py::b@gang", "a.py::b"),
        ("a.py::b[x@y]", "a.py::b[x@y]"),
        ("a.py::b[x@y]@g", "a.py::b[x@y]"),
    ],
)
def test_the_group_of_a_test_is_no_part_of_its_name(test: str, plain: str) -> None:
    assert without_group(test) == plain


@pytest.mark.parametrize("stated", [1, 4, 5, 19, 20, 100, 2000])
def test_the_quick_suite_runs_a_share_of_the_examples(stated: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert examples(stated) == max(stated // QUICK_SHARE, min(stated, LEAST_EXAMPLES))
    monkeypatch.setenv(VARIABLE, "1")
    assert examples(stated) == stated


@given(st.integers())
def test_a_property_runs_the_examples_of_its_suite(number: int) -> None:
    """Its settings are those that ``examples`` says, and what it states is kept beside them."""
    function = test_a_property_runs_the_examples_of_its_suite
    settings = function._hypothesis_internal_use_settings  # type: ignore[attr-defined]
    assert settings.max_examples == examples(function.examples_stated)  # type: ignore[attr-defined]


@pytest.mark.quick("kept")
@pytest.mark.parametrize("case", ["kept", "left"])
def test_a_case_that_the_quick_mark_does_not_name_is_deep(case: str, request: pytest.FixtureRequest) -> None:
    is_deep = request.node.get_closest_marker("deep") is not None
    assert is_deep == (case == "left")
    assert case == "kept" or deep()


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("case", range(7))
def test_every_third_case_is_quick(case: int, request: pytest.FixtureRequest) -> None:
    assert (request.node.get_closest_marker("deep") is None) == (case % 3 == 0)


def test_ci_runs_the_quick_suite_and_one_part_of_as_many_as_the_makefile_says() -> None:
    script, makefile = ((ROOT / name).read_text() for name in (".ci/run", "Makefile"))
    assert "make test\n" in script
    assert "% 8 + 1))/8" in script
    assert "PART ?= 1/8" in makefile
