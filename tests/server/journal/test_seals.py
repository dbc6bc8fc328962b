"""What is stored comes back as it was, or not at all: entries, and snapshots in parts."""

from dataclasses import replace

import pytest

from molokini.model.codec import Entry
from molokini.server.journal import seals
from molokini.server.journal.port import JournalError, Snapshot, StateDamaged
from molokini.server.journal.seals import check_follows, head_of, joined, opened, parts_of, sealed

BODY = bytes(range(100))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seals, "PART_BYTES", 40)


@pytest.mark.parametrize(("size", "count"), [(0, 1), (1, 1), (40, 1), (41, 2), (80, 2), (100, 3)])
def test_a_snapshot_in_parts_is_whole_again(size: int, count: int) -> None:
    snapshot = Snapshot(7, BODY[:size])
    parts = list(parts_of(snapshot))
    assert len(parts) == head_of(snapshot).parts == count
    assert joined(head_of(snapshot), parts) == snapshot


def test_a_snapshot_of_which_anything_was_changed_is_none() -> None:
    snapshot = Snapshot(7, BODY)
    head, parts = head_of(snapshot), list(parts_of(snapshot))
    assert joined(head, parts) == snapshot
    for place in range(len(BODY)):
        changed = bytearray(BODY)
        changed[place] ^= 1
        assert joined(head, list(parts_of(Snapshot(7, bytes(changed))))) is None
    for other in (parts[:-1], parts[1:], [*parts, b""], [parts[1], parts[0], parts[2]], [BODY], []):
        assert joined(head, other) is None
    for of in (replace(head, serial=8), replace(head, parts=4), replace(head, crc=head.crc ^ 1)):
        assert joined(of, parts) is None
    assert joined(replace(head, size_bytes=99), parts) is None


ENTRY = Entry(3, 1.5, "JobHeld", 2, '{"a":1}')


def test_an_entry_of_which_anything_was_changed_is_damage() -> None:
    [row] = sealed([ENTRY])
    assert opened(row, 3, "here") == ENTRY
    serial, time_s, kind, version, body, crc = row
    for other in (
        (serial, 1.25, kind, version, body, crc),
        (serial, time_s, "JobEnded", version, body, crc),
        (serial, time_s, kind, 3, body, crc),
        (serial, time_s, kind, version, '{"a":2}', crc),
        (serial, time_s, kind, version, body, crc ^ 1),
    ):
        with pytest.raises(StateDamaged, match=r"^here: entry 3 was changed"):
            opened(other, 3, "here")
    with pytest.raises(StateDamaged, match=r"^here: entry 2 is missing \(the next one there is 3\)"):
        opened(row, 2, "here")


@pytest.mark.parametrize("serials", [[1], [3], [2, 2], [2, 4], [3, 2]])
def test_entries_that_do_not_follow_are_refused(serials: list[int]) -> None:
    check_follows([replace(ENTRY, serial=number) for number in (2, 3, 4)], 1)
    with pytest.raises(JournalError, match="nothing was kept"):
        check_follows([replace(ENTRY, serial=number) for number in serials], 1)
