"""B17: whatever is wrong with a configuration is one line with the key, the line and what would be right."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from molokini.model.errors import BadFile, BadInput, BadValue, UnknownName
from molokini.server.config import Config, load_config


def written(folder: Path, text: str, mode: int = 0o644) -> Path:
    path = folder / "molokini.toml"
    path.write_text(text)
    path.chmod(mode)
    return path


def refusal(folder: Path, text: str) -> BadFile:
    with pytest.raises(BadFile) as caught:
        load_config(written(folder, text))
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    return caught.value


def outcome(path: Path) -> str:
    try:
        return load_config(path).server.name
    except BadInput as error:
        return str(error)


def test_without_a_file_everything_has_its_default() -> None:
    assert load_config() == Config()
    assert load_config().server.listen == "127.0.0.1:7077"
    assert [queue.name for queue in load_config().queues] == ["default"]


def test_every_table_is_read(tmp_path: Path) -> None:
    config = load_config(
        written(
            tmp_path,
            """
            [server]
            name = "garden"
            listen = "[::1]:0"
            [clock]
            kind = "scaled"
            rate = 60
            [policy]
            name = "easy-depth"
            parameters = {depth = 4}
            [[nodes]]
            names = "node[001-064]"
            processors = 16
            generic = {gpu = 2}
            features = ["ib"]
            [[queues]]
            name = "short"
            max_estimate_s = 3600
            users = ["alice"]
            [[queues]]
            name = "long"
            [limits]
            array_elements = 1000
            [security]
            mode = "open"
            users = {alice = "operator"}
            [agents]
            heartbeat_s = 1
            [stop]
            bound_s = 3
            [log]
            format = "json"
            """,
        )
    )
    assert (config.server.name, config.clock.rate, config.policy.parameters) == ("garden", 60.0, {"depth": 4})
    assert config.nodes[0].generic == {"gpu": 2}
    assert config.nodes[0].features == ("ib",)
    assert [queue.name for queue in config.queues] == ["short", "long"]
    assert config.queues[0].users == ("alice",)
    assert (config.security.users, config.log.format) == ({"alice": "operator"}, "json")


@pytest.mark.parametrize(
    ("text", "line", "cause"),
    [
        ("[server]\nlisten_on = 1", 2, "no key in [server] named 'listen_on'; did you mean 'listen'?"),
        ("# c\n[sever]\nname='x'", 2, "no key named 'sever'; did you mean 'server'?"),
        ("[[queues]]\nname='a'\n[[queues]]\nname='b'\nprioritty=1", 5, "did you mean 'priority'?"),
        ("[clock]\nrate = '10'", 2, "clock.rate: '10' is not allowed; it must be a number from 0.001"),
        ("[stop]\nbound_s = -1.5", 2, "stop.bound_s: -1.5 is not allowed; it must be a number from 0.0"),
        ("[stop]\n\nbound_s = nan", 3, "stop.bound_s: nan is not allowed"),
        ("[stop]\nbound_s = 1e400", 2, "stop.bound_s: inf is not allowed"),
        ("[server]\nnew = 1", 2, "server.new: 1 is not allowed; it must be true or false"),
        ("[limits]\nmessage_bytes = 4.5", 2, "limits.message_bytes: 4.5 is not allowed; it must be a whole"),
        ("[limits]\nburst = true", 2, "limits.burst: True is not allowed"),
        ("[limits]\narray_elements = 9223372036854775807", 2, "from 1 to 1,000,000"),
        ("[security]\nmode = 'none'", 2, "it must be token, tls, mtls or open"),
        ("[security]\nusers = {alice = 'root'}", 2, "security.users.alice: 'root' is not allowed"),
        ("[security]\nusers = {'a b' = 'user'}", 2, "security.users"),
        ("[security]\nrevoked = ['xyz']", 2, "a hexadecimal number"),
        ("[security]\nmode = 'mtls'", 1, "security.certificate: it is missing; it must be given where"),
        ("[server]\nlisten = '0.0.0.0:7077'", 2, "a loopback address while security.mode is 'token'"),
        ("[server]\nlisten = 'head:7077'\n[security]\nmode='open'", 2, "a loopback address while"),
        ("[server]\nlisten = '127.0.0.1:99999'", 2, "it must be HOST:PORT"),
        ("[server]\nlisten = '127.0.0.1'", 2, "it must be HOST:PORT"),
        ("[[nodes]]\nnames = 'node[1-'", 2, "it must be a name or a pattern"),
        ("[[nodes]]\nnames = 'node[1-9999999]'", 2, "it must be a name or a pattern"),
        ("[[nodes]]\nprocessors = 4", 1, "nodes[1].names: it is missing; it must be given"),
        (
            "[[nodes]]\nnames='n[1-3]'\n[[nodes]]\nnames='n2'",
            4,
            "nodes[2].names: 'n2' is not allowed; it must be names that no other node has",
        ),
        ("[[queues]]\nname='a'\n[[queues]]\nname='a'", 4, "a name that no other queue has"),
        ("queues = []", 1, "queues: [] is not allowed; it must be at least one table [[queues]]"),
        ("server = 3", 1, "server: 3 is not allowed; it must be a table [server]"),
        ("[agents]\nheartbeat_s = 10\nlease_s = 15", 3, "at least twice agents.heartbeat_s (10)"),
        ("[security]\nmode='mtls'\ncertificate='c'\nkey='k'", 1, "security.ca: it is missing"),
        ("[clock]\nrate = 2", 2, "left out where clock.kind is 'real'"),
        ("[server]\nname = 'a'\nname = 'b'", 3, "server.name is given twice"),
        ("[server]\nname = 'a'\n[clock]\n[server]\n", 4, "server is given twice"),
        ("[server]\nname = \n", 2, "invalid value"),
        ("[server\nname = 1", 1, "expected"),
        ("x = " + "[" * 5000, None, ""),
        ("[server]\nname = 'a\x00b'", 2, "character"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, line: int | None, cause: str) -> None:
    error = refusal(tmp_path, text)
    assert error.line == line, error
    assert cause in str(error)


def test_the_first_mistake_is_the_unknown_key(tmp_path: Path) -> None:
    """A key that is spelled wrongly explains why another one is missing."""
    assert "did you mean 'names'" in str(refusal(tmp_path, "[[nodes]]\nnammes = 'n'"))


def test_a_password_is_not_repeated(tmp_path: Path) -> None:
    text = "[server]\njournal = 'postgresql://me:canary@host/db'\nnam = 1"
    assert "canary" not in str(refusal(tmp_path, text))
    with pytest.raises(BadInput) as caught:
        load_config(None, {"server.name": "postgresql://me:canary@host/db"})
    assert "canary" not in str(caught.value)


def test_the_file_must_be_one_that_only_its_owner_writes(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="every user may write it"):
        load_config(written(tmp_path, "", 0o666))
    with pytest.raises(BadFile, match="is a directory"):
        load_config(tmp_path)
    with pytest.raises(BadFile, match="no such file"):
        load_config(tmp_path / "missing.toml")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadFile, match="not a file"):
        load_config(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    os.chown(path, 12345, -1)
    with pytest.raises(BadFile, match="belongs to another user"):
        load_config(path)


@pytest.mark.parametrize(("body", "line"), [(b"\xff", 1), (b"\n\xff", 2), (b"[server]\n# \xff\xfe\n", 2)])
def test_what_is_no_text_is_refused(tmp_path: Path, body: bytes, line: int) -> None:
    path = tmp_path / "molokini.toml"
    path.write_bytes(body)
    with pytest.raises(BadFile, match=f"toml:{line}: not UTF-8 text"):
        load_config(path)


def test_what_is_too_long_for_a_configuration_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "molokini.toml"
    path.write_bytes(b"#" * (9 * 2**20))
    with pytest.raises(BadFile, match="larger than"):
        load_config(path)


def test_paths_in_the_file_are_looked_for_beside_it(tmp_path: Path) -> None:
    text = "[server]\njournal='state'\n[log]\nfile='log/m'\n[security]\ncertificate='/etc/c.pem'"
    config = load_config(written(tmp_path, text), {"policy.folder": "mine"})
    assert config.server.journal == str(tmp_path / "state")
    assert config.log.file == tmp_path / "log/m"
    assert config.security.certificate == Path("/etc/c.pem")
    assert config.policy.folder == Path("mine")
    url = load_config(written(tmp_path, "[server]\njournal='postgresql://me@host/db'"))
    assert url.server.journal == "postgresql://me@host/db"


def test_overrides_go_first_and_are_checked_alike(tmp_path: Path) -> None:
    path = written(tmp_path, "[policy]\nname = 'fcfs'\n")
    config = load_config(path, {"policy.name": "easy", "nodes": [{"names": "n[1-4]", "processors": 2}]})
    assert (config.policy.name, config.nodes[0].processors) == ("easy", 2)
    with pytest.raises(BadValue, match=r"clock\.kind: 'fast' is not allowed"):
        load_config(path, {"clock.kind": "fast"})
    with pytest.raises(UnknownName, match=r"no key in \[clock\] named 'knd'; did you mean 'kind'"):
        load_config(path, {"clock.knd": "real"})
    with pytest.raises(BadValue, match="it must be a table"):
        load_config(path, {"policy.name.deeper": 1})


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # the same file is written over
@given(st.binary(max_size=200) | st.text(alphabet="[]=\n.,{}'\"abserv 12x_#-", max_size=120).map(str.encode))
def test_any_bytes_are_a_configuration_or_one_line(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "fuzzed.toml"
    path.write_bytes(body)
    assert "\n" not in outcome(path)


def test_a_lease_of_two_heartbeats_is_long_enough(tmp_path: Path) -> None:
    path = tmp_path / "molokini.toml"
    path.write_text("[agents]\nheartbeat_s = 10\nlease_s = 20\n")
    assert load_config(path).agents.lease_s == 20.0
