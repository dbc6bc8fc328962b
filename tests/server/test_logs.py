"""The log: fields, one line a record, and no secret whichever way it comes in."""

import grp
import io
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from molokini.model.errors import BadFile, BadValue
from molokini.server.config.sections import Log
from molokini.server.logs import logging_to, set_level
from molokini.server.security.certificates import Authority
from molokini.server.security.issued import IssuedTokens
from molokini.server.security.roles import Role
from molokini.server.security.tokens import KeyRing, Tokens

CANARY = "canary-7f3a9"
LOG = logging.getLogger("molokini.server.test")


def told(form: str, *texts: object, **fields: object) -> str:
    stream = io.StringIO()
    with logging_to(Log(format=form), stream):  # type: ignore[arg-type]
        LOG.info(*texts, extra=fields)
    return stream.getvalue()


def test_json_has_the_fields() -> None:
    line = told("json", "job %d started", 7, caller="alice", seconds=1.5, peer="ipv4:1")
    found = json.loads(line)
    assert found["text"] == "job 7 started"
    assert (found["caller"], found["seconds"], found["level"], found["logger"]) == (
        "alice",
        1.5,
        "info",
        "test",
    )
    assert found["time"].endswith("Z")


def test_text_has_the_fields() -> None:
    line = told("text", "job %d started", 7, caller="alice")
    assert line.rstrip().endswith("Z info test: job 7 started caller=alice")


def test_a_field_does_not_hide_what_the_record_is() -> None:
    assert json.loads(told("json", "x", level="none", text="none"))["level"] == "info"


@pytest.mark.parametrize("form", ["json", "text"])
def test_one_record_is_one_line(form: str) -> None:
    out = told(form, "name %s", "a\n2026 info test: forged\r\x1b[31m\u2028", caller="b\nc")
    assert len(out.splitlines()) == 1
    assert "\x1b" not in out


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {CANARY}",
        f"(('authorization', 'Bearer {CANARY}'), ('x', 'y'))",
        f"postgresql://me:{CANARY}@host/db cannot be reached",
        f"{{'password': '{CANARY}'}}",
        f"password={CANARY} host=db",
        f"token = {CANARY}",
    ],
)
def test_texts_that_look_like_secrets_are_blacked_out(form: str, text: str) -> None:
    for out in (told(form, text), told(form, "%s", text), told(form, "x", cause=text)):
        assert CANARY not in out
        assert "[secret]" in out


@pytest.mark.parametrize("form", ["json", "text"])
def test_fields_with_names_of_secrets_are_blacked_out(form: str) -> None:
    fields = {"token": CANARY, "db_password": CANARY, "Authorization": CANARY, "environment": {"A": CANARY}}
    out = told(form, "x", **fields)
    assert CANARY not in out
    assert out.count("[secret]") == 4


@pytest.mark.parametrize("form", ["json", "text"])
def test_real_tokens_and_keys_are_blacked_out(form: str, tmp_path: Path) -> None:
    issued = IssuedTokens(tmp_path / "issued", lambda: 1e9)
    tokens = Tokens("garden", KeyRing(tmp_path / "keys"), issued, 900, 60, lambda: 1e9)
    token = tokens.local("alice", Role.USER)
    assert token.split(".")[2] not in told(form, f"got {token!r} from alice")
    key = Authority.made("x", 60).pem.key.decode()
    assert key.splitlines()[1] not in told(form, key)
    assert "after" in told(form, key + "after")


@pytest.mark.parametrize("form", ["json", "text"])
def test_tracebacks_are_blacked_out(form: str) -> None:
    stream = io.StringIO()
    with logging_to(Log(format=form), stream):  # type: ignore[arg-type]
        try:
            raise ValueError(f"postgresql://me:{CANARY}@host/db")
        except ValueError:
            LOG.exception("internal error 1")
    assert CANARY not in stream.getvalue()
    assert "ValueError" in stream.getvalue()
    assert "test_logs.py" in stream.getvalue()


def test_a_file_that_is_moved_away_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with logging_to(Log(file=path)):
        LOG.info("one")
        path.rename(tmp_path / "log.1")
        LOG.info("two")
    assert "one" in (tmp_path / "log.1").read_text()
    assert "two" in path.read_text()
    with pytest.raises(BadFile, match="no such file"), logging_to(Log(file=tmp_path / "none" / "log")):
        pass


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def any_mask() -> Iterator[None]:
    """No mask of this process takes a bit away."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("any_mask")
def test_its_owner_alone_reads_the_file(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with logging_to(Log(file=path)):
        LOG.info("one")
        assert mode_of(path) == 0o600
        path.rename(tmp_path / "log.1")
        LOG.info("two")
        assert (mode_of(path), mode_of(tmp_path / "log.1")) == (0o600, 0o600)
        # As logrotate does with "create 0644", and as an earlier release has left it.
        path.rename(tmp_path / "log.2")
        path.touch(0o644)
        LOG.info("three")
        assert mode_of(path) == 0o600
    path.chmod(0o644)
    with logging_to(Log(file=path)):
        assert mode_of(path) == 0o600
    assert "three" in path.read_text()


@pytest.mark.usefixtures("any_mask")
def test_a_group_that_is_named_reads_the_file(tmp_path: Path) -> None:
    # As root any group, else one of this process's own.
    group = grp.getgrgid(max([os.getegid(), *os.getgroups()])) if os.geteuid() else grp.getgrnam("daemon")
    path = tmp_path / "log"
    with logging_to(Log(file=path, group=group.gr_name)):
        for later in (tmp_path / "log.1", tmp_path / "log.2"):
            LOG.info("one")
            assert (mode_of(path), path.stat().st_gid) == (0o640, group.gr_gid)
            path.rename(later)
    with (
        pytest.raises(
            BadValue, match=r"log.group: 'no-such-group' is not allowed; it must be a group of this"
        ),
        logging_to(Log(file=path, group="no-such-group")),
    ):
        pass


def test_a_log_whose_folder_is_away_loses_lines_and_stops_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    with logging_to(Log(file=folder / "log")):
        LOG.info("one")
        folder.rename(tmp_path / "away")
        LOG.info("two")
        LOG.info("three")
        (tmp_path / "away").rename(folder)
        LOG.info("four")
    assert [line.split()[-1] for line in (folder / "log").read_text().splitlines()] == ["one", "four"]


def test_a_full_disk_under_the_log_is_not_the_servers_end(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(Log(file=Path("/dev/full"))) as root:
        for _ in range(3):
            LOG.info("x")
        handler = root.handlers[-1]
        assert getattr(handler, "lost") == 3  # noqa: B009
    assert capsys.readouterr().err == ""


def test_levels_change_at_a_reload() -> None:
    stream = io.StringIO()
    with logging_to(Log(level="warning"), stream):
        LOG.info("quiet")
        set_level(Log(level="info"))
        LOG.info("loud")
    assert "quiet" not in stream.getvalue()
    assert "loud" in stream.getvalue()
