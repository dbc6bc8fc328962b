"""A day and a time that a shell has parted."""

import pytest

from molokini.clients.parted_words import joined


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("whatif --drain n1 --from fri 18:00 --for 12h", ["--from", "fri 18:00", "--for"]),
        ("whatif --from Friday 8:00:00", ["--from", "Friday 8:00:00"]),
        ("whatif --from fri --for 12h", ["--from", "fri", "--for"]),
        ("submit --start +1:00:00 script", ["--start", "+1:00:00", "script"]),
        ("submit --processors 1 -- echo --from fri 18:00", ["--from", "fri", "18:00"]),
        ("log show fri 18:00", ["fri", "18:00"]),
        ("whatif --from", ["--from"]),
    ],
)
def test_only_a_day_and_a_time_behind_an_option_are_one(given: str, found: list[str]) -> None:
    words = joined(given.split())
    assert " ".join(words).split() == given.split()
    at = words.index(found[0])
    assert words[at : at + len(found)] == found
