"""A value that does not go with another is not out of its range, and its message says so in a sentence."""

from molokini.model.errors import BadInput, Conflict


def test_the_sentence_stands_behind_the_field() -> None:
    error = Conflict("queue", "queue q is disabled and takes no jobs")
    assert str(error) == "queue: queue q is disabled and takes no jobs"
    assert (error.field, error.exit_code) == ("queue", 2)
    assert isinstance(error, BadInput)


def test_a_long_field_is_cut_off() -> None:
    assert len(str(Conflict("x" * 10_000, "s"))) < 100
