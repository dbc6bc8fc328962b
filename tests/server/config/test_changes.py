"""F42: what a reload changes, what waits for a restart, and that every key says which."""

import pytest
from pydantic import ValidationError

from molokini.server.config import Changes, Config, changed, load_config


def test_nothing_has_changed() -> None:
    assert changed(Config(), Config()) == Changes()
    assert not changed(Config(), Config())


def test_keys_are_told_apart() -> None:
    new = load_config(
        None,
        {
            "policy.name": "fcfs",
            "limits.burst": 5,
            "limits.message_bytes": 100_000,
            "server.name": "other",
            "security.users.alice": "operator",
            "nodes": [{"names": "n[1-2]"}],
            "queues": [{"name": "default", "priority": 3}],
        },
    )
    found = changed(Config(), new)
    assert set(found.reload) == {"policy.name", "limits.burst", "security.users", "nodes", "queues"}
    assert set(found.restart) == {"limits.message_bytes", "server.name"}


def test_nodes_may_go_at_a_reload() -> None:
    old = load_config(None, {"nodes": [{"names": "n1"}]})
    assert changed(old, Config()) == Changes(reload=("nodes",))


def test_a_configuration_does_not_change_in_place() -> None:
    config = Config()
    with pytest.raises(ValidationError):
        config.server.name = "x"
