"""The list of candidates, as users write it."""

import pytest

from molokini.choosing.candidates import Family, by_overhead, candidates_of
from molokini.model.errors import BadInput
from molokini.model.policy import Rows, text_from_numbers, text_in_numbers
from molokini.policies import load_policy


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
        ("easy,edf-opr-mn", "divisible loads do not go with others"),
        ("gs:mpl=2,bgs:mpl=3", "must have the same rows"),
        ("easy,mgs", "'mgs'"),
    ],
)
def test_what_cannot_be_a_list_is_refused_in_one_line(text: str, word: str) -> None:
    with pytest.raises(BadInput, match=word) as caught:
        candidates_of(text)
    assert "\n" not in str(caught.value)


def test_the_policy_needs_and_refuses_what_its_candidates_do() -> None:
    declared = load_policy("adaptive").declaration
    found = {}
    for text in ("easy,fcfs,firstfit", "easy,conservative", "easy,gs:mpl=3", "edf-opr-mn,mwf-opr-mn"):
        values = declared.values({"candidates": text})
        asked = declared.counts(values), declared.reserves(values), declared.takes_turns(values)
        found[text] = (*asked, declared.rows(declared.vector(values)).rows)
    assert found == {
        "easy,fcfs,firstfit": (False, True, False, 0),
        "easy,conservative": (True, True, False, 0),
        "easy,gs:mpl=3": (True, False, True, 3),
        "edf-opr-mn,mwf-opr-mn": (True, False, False, 0),
    }
    assert declared.rows(declared.vector(declared.values({}))) == Rows()


def test_orders_of_loads_are_known_by_their_names() -> None:
    assert by_overhead(candidates_of("fifo-opr-mn,mwf-opr-mn,edf-opr-mn")) == (2, 1)
    assert {one.family for one in candidates_of("edf-opr-mn,mwf-opr-mn")} == {Family.LOADS}
    with pytest.raises(LookupError):
        by_overhead(candidates_of("fifo-opr-mn,edf-opr-mn"))
    with pytest.raises(BadInput, match="chooser"):
        load_policy("adaptive").declaration.values({"chooser": "overhead"})


def test_a_text_in_a_vector_is_the_same_text() -> None:
    for text in ("", "fcfs,easy:order=shortest", "é"):
        assert text_from_numbers([*text_in_numbers(text), 7.0]) == text
