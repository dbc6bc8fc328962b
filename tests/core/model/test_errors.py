"""A value that does not go with another is not out of its range, and its message says so in a sentence."""

from molokini.model.errors import BadInput, BadValue, Conflict


def test_the_sentence_stands_behind_the_field() -> None:
    error = Conflict("queue", "queue q is disabled and takes no jobs")
    assert str(error) == "queue: queue q is disabled and takes no jobs"
    assert (error.field, error.exit_code) == ("queue", 2)
    assert isinstance(error, BadInput)


def test_a_long_field_is_cut_off() -> None:
    assert len(str(Conflict("x" * 10_000, "s"))) < 100


def test_a_long_path_does_not_hide_the_field() -> None:
    path = "/" + "deep/" * 30 + "bad.toml"
    assert str(Conflict(f"{path}: scheduling.ratio", "no")) == f"{path}: scheduling.ratio: no"
    longer = "/" + "deep/" * 90 + "bad.toml"
    told = str(BadValue(f"{longer}: job[1]: zeta", "40ms", "less"))
    assert told.startswith("...")
    assert "deep/bad.toml: job[1]: zeta: '40ms' is not allowed" in told
    assert len(told) < 300
