"""The order of names in reports."""

from molokini.reports.snapshot import in_order


def test_numbers_stand_by_their_size_and_before_words() -> None:
    assert sorted(["b", "10", "9", "a1", "2"], key=in_order) == ["2", "9", "10", "a1", "b"]
    assert in_order(None) == in_order("")
