"""What was made lately is kept, what is large or was not asked for is not."""

from molokini.server.recent import LARGE_BYTES, Recent


def test_what_is_asked_for_stays_and_the_rest_goes() -> None:
    recent: Recent[int] = Recent(10)
    recent.keep(b"often", -1)
    recent.keep(b"once", -2)
    for number in range(100):
        recent.keep(str(number).encode(), number)
        assert recent.get(b"often") == -1
    assert recent.get(b"once") is None
    assert recent.get(b"99") == 99
    assert sum(recent.get(str(number).encode()) is not None for number in range(100)) <= 20


def test_a_large_key_is_not_kept() -> None:
    recent: Recent[int] = Recent()
    recent.keep(b"x" * LARGE_BYTES, 1)
    recent.keep(b"x" * (LARGE_BYTES + 1), 2)
    assert recent.get(b"x" * LARGE_BYTES) == 1
    assert recent.get(b"x" * (LARGE_BYTES + 1)) is None
