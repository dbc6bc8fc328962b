"""What is written as records is read as the same records, whatever users put into names and comments."""

from hypothesis import given
from hypothesis import strategies as st

from molokini.server.wiki.answers import Answer, read_answer
from molokini.server.wiki.messages import records

_TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12)
_FIELDS = st.dictionaries(st.sampled_from(["NAME", "COMMENT", "STATE", "CAT"]), _TEXTS, max_size=4)


@given(st.dictionaries(_TEXTS, _FIELDS, max_size=4))
def test_records_are_read_as_they_were_written(found: dict[str, dict[str, str]]) -> None:
    text = records([(name, list(said.items())) for name, said in found.items()])
    assert read_answer(text) == Answer(0, "", found)


def test_a_quotation_mark_in_a_name_hides_no_neighbour() -> None:
    text = records([("1", [("NAME", 'a"b')]), ("2", [("NAME", "c")]), ("3", [("NAME", 'd"e')])])
    assert {name: said["NAME"] for name, said in read_answer(text).records.items()} == {
        "1": 'a"b',
        "2": "c",
        "3": 'd"e',
    }
