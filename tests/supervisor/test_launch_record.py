"""What is to be run, as it is written and read, and which supervisor may run it."""

import fcntl
import json
import os
from pathlib import Path

import pytest

from molokini.supervisor import kernel, launch_record, records
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.lifetime import keep
from molokini.supervisor.records import LAUNCH, LAUNCH_DRAFT, LOCK, SCRIPT, VOID
from tests.kit.supervisors import wish


def test_what_was_written_is_read_where_a_longer_one_was_before(tmp_path: Path) -> None:
    for name in ("a" * 5000, "b" * 100, "c"):
        made = wish(tmp_path, "sleep", "1000", name=name)
        # A draft that was left of one before, and longer than this.
        (tmp_path / LAUNCH_DRAFT).write_text("x" * 9000)
        launch_record.write(str(tmp_path), made, "")
        assert launch_record.read(str(tmp_path)).__dict__ == json.loads(json.dumps(made.__dict__))
        assert not (tmp_path / LAUNCH_DRAFT).exists()
        assert not (tmp_path / SCRIPT).exists()


def test_scripts_and_variables_are_for_their_user_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        launch_record.write(str(tmp_path), wish(tmp_path, "x", script=True), "#!/bin/sh\r\necho hush\n")
    finally:
        os.umask(old)
    assert (tmp_path / LAUNCH).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / SCRIPT).stat().st_mode & 0o777 == 0o500
    assert (tmp_path / SCRIPT).read_bytes() == b"#!/bin/sh\r\necho hush\n"


@pytest.mark.parametrize("environment", [{}, {"SECRET": 'canary \u00fc "}', "A": ""}, {"LONG": "x" * 9000}])
def test_a_wiped_record_has_all_but_script_and_variables(tmp_path: Path, environment: dict[str, str]) -> None:
    made = wish(tmp_path, "x", script=True, environment=environment)
    launch_record.write(str(tmp_path), made, "#!/bin/sh\necho canary\n")
    assert launch_record.read(str(tmp_path)).environment == environment
    folder = os.open(tmp_path, os.O_RDONLY)
    launch_record.wipe(folder, made)
    os.close(folder)
    assert [path.name for path in tmp_path.iterdir()] == [LAUNCH]
    assert launch_record.read(str(tmp_path)).__dict__ == json.loads(
        json.dumps({**made.__dict__, "environment": {}})
    )
    text = (tmp_path / LAUNCH).read_text()
    assert not any(value and value in text for value in (*environment, *environment.values()))


def test_a_power_cut_while_variables_are_wiped_leaves_a_wish(tmp_path: Path) -> None:
    made = wish(tmp_path, "x", environment={"SECRET": "canary"})
    launch_record.write(str(tmp_path), made, "")
    whole = (tmp_path / LAUNCH).read_bytes()
    # The disk has the block with the beginning of what was overwritten, and not the one behind it.
    at = whole.index(b'{"SECRET"')
    (tmp_path / LAUNCH).write_bytes(whole[:at] + b"{}}" + whole[at + 3 :])
    assert launch_record.read(str(tmp_path)).environment == {}


def test_a_wish_with_a_field_more_or_less_is_none(tmp_path: Path) -> None:
    values = dict(wish(tmp_path, "x").__dict__)
    for other in ({**values, "more": 1}, {name: values[name] for name in values if name != "limit_s"}):
        with pytest.raises(ValueError, match="a launch record has other fields"):
            launch_record.LaunchRecord(**other)


@pytest.fixture(autouse=True)
def no_orphans(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is that of the tests, which is to adopt none."""
    monkeypatch.setattr(kernel, "adopt_orphans", lambda: None)


@pytest.mark.parametrize(("index", "label"), [(-1, "7-2"), (0, "7.0-2"), (31, "7.31-2")])
def test_an_attempt_has_a_name_of_its_own(tmp_path: Path, index: int, label: str) -> None:
    assert wish(tmp_path, "x", job=7, index=index, attempt=2).label == label


@pytest.mark.parametrize("why", ["another supervisor has it", "none may begin", "it has begun before"])
def test_an_attempt_is_begun_by_one_supervisor_once(tmp_path: Path, why: str) -> None:
    """A second start would run the job twice. There is no FIFO here, so a supervisor that begins fails."""
    made = wish(tmp_path, "true")
    launch_record.write(str(tmp_path), made, "")
    (tmp_path / LOCK).write_bytes(b"12345678901234567890")
    holder = os.open(tmp_path / LOCK, os.O_RDWR)
    if why == "another supervisor has it":
        fcntl.flock(holder, fcntl.LOCK_EX)
    elif why == "none may begin":
        (tmp_path / VOID).touch()
    else:
        place = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
        records.append(place, made.label, "started", synced=False, pid=1)
        os.close(place)
    before = records.read(str(tmp_path), made.label).started
    assert keep(str(tmp_path))
    assert records.read(str(tmp_path), made.label).started == before
    # Who has the folder is named by the lock, and nobody else is.
    number = b"12345678901234567890" if why == "another supervisor has it" else b"%d" % os.getpid()
    assert (tmp_path / LOCK).read_bytes() == number
    os.close(holder)


def test_what_another_attempt_has_begun_in_the_folder_does_not_count(tmp_path: Path) -> None:
    place = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    records.append(place, "7-1", "started", synced=False, pid=1)
    os.close(place)
    launch_record.write(str(tmp_path), wish(tmp_path, "true", job=7, index=-1, attempt=2), "")
    # It goes on to where it needs its FIFO.
    with pytest.raises(FileNotFoundError, match="control"):
        keep(str(tmp_path))


def test_a_lease_file_is_kept_by_who_opens_it_again_and_made_anew_where_it_is_none(tmp_path: Path) -> None:
    path = str(tmp_path / "lease")
    LeaseFile(path, writes=True).ends_s = 12.5
    assert LeaseFile(path, writes=True).ends_s == LeaseFile(path).ends_s == 12.5
    (tmp_path / "lease").write_bytes(b"half")
    assert LeaseFile(path, writes=True).ends_s == float("inf")
    (tmp_path / "lease").write_bytes(bytes(20))
    assert LeaseFile(path, writes=True).ends_s == float("inf")
    assert (tmp_path / "lease").stat().st_size == 8
