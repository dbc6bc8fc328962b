"""The list of candidates, as users write it."""

import pytest

from molokini.choosing.candidates import candidates_of, counts
from molokini.model.errors import BadInput
from molokini.model.policy import text_from_numbers, text_in_numbers


def test_a_list_with_parameters() -> None:
    found = candidates_of("fcfs, easy:order=shortest,easy-depth:depth=3")
    assert [one.text for one in found] == ["fcfs", "easy:order=shortest", "easy-depth:depth=3"]
    assert found[1].values["order"] == "shortest"
    assert found[1].vector.tolist() != candidates_of("fcfs,easy")[1].vector.tolist()
    assert found[2].values["depth"] == 3


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "candidates"),
        ("easy", "candidates"),
        ("easy,easy", "candidates"),
        (",".join(f"easy-depth:depth={k}" for k in range(1, 30)), "candidates"),
        ("easy,esay", "'esay'"),
        ("easy,srpt", "'srpt'"),
        ("easy,fcfs:order", "candidates"),
        ("easy,fcfs:order=queue", "order"),
        ("fcfs,easy:order=longest", "order"),
    ],
)
def test_what_cannot_be_a_list_is_refused_in_one_line(text: str, word: str) -> None:
    with pytest.raises(BadInput, match=word) as caught:
        candidates_of(text)
    assert "\n" not in str(caught.value)


def test_one_that_counts_processors_makes_all_count() -> None:
    assert counts("easy,conservative")
    assert not counts("easy,fcfs,firstfit")


def test_a_text_in_a_vector_is_the_same_text() -> None:
    for text in ("", "fcfs,easy:order=shortest", "é"):
        assert text_from_numbers([*text_in_numbers(text), 7.0]) == text
