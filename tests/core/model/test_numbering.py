"""Numbers of names: a new one has that of no other."""

from molokini.model.numbering import Numbering


def test_a_new_name_gets_no_number_that_another_has() -> None:
    # Numbers of a log begin with 1, and some of its names may have no job.
    numbers = Numbering([("batch", 1), ("low", 4)])
    assert [numbers.of(name) for name in ("high", "batch", "other", "high")] == [5, 1, 6, 5]
    assert Numbering([("batch", 1)], least=9).of("low") == 9
    assert Numbering().of("first") == 0
