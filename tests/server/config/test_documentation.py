"""``docs/configuration.md`` says what the code does, and its example is one."""

import re
from pathlib import Path

from pydantic import ValidationError

from molokini.server.config.cluster import Queue
from molokini.server.config.documentation import document
from molokini.server.config.fields import described
from molokini.server.config.load import load_config
from molokini.server.config.model import Config

PAGE = Path(__file__).parents[3] / "docs" / "configuration.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == document()


def test_the_example_is_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "example.toml"
    path.write_text(document().partition("```toml\n")[2].partition("```")[0])
    path.chmod(0o644)
    assert load_config(path).nodes[0].processors == 16


def test_every_key_says_what_it_is() -> None:
    page = document()
    for name, table in Config.model_fields.items():
        assert table.description, name
    tables = [getattr(Config(), name) for name in Config.model_fields if name not in ("nodes", "queues")]
    keys = [found for table in (*tables, Queue(name="q")) for found in type(table).model_fields.items()]
    assert len(keys) > 40
    for name, field in keys:
        assert field.description is not None, name
        assert described(field)["allowed"], name
        assert f"| `{name}` |" in page


_SPANS = re.compile(r"number (?:from (?P<least>\S+) to|above (?P<above>\S+), up to) (?P<most>[\d,.e+]+)$")


def test_numbers_are_allowed_in_the_span_that_is_told_and_not_beyond() -> None:
    """Both ends of it, and what is a little outside."""
    looked_at = 0
    for table in (*(getattr(Config(), name) for name in Config.model_fields), Queue(name="q")):
        for name, field in getattr(type(table), "model_fields", {}).items():
            if (span := _SPANS.search(described(field)["allowed"])) is None:
                continue
            told = (span["least"] or span["above"], span["most"])
            low, most = (float(one.replace(",", "")) for one in told)
            whole = "whole" in described(field)["allowed"]
            step = 1 if whole else 1e-6
            for value, good in (
                (low, span["least"] is not None),
                (low - step, False),
                (low + step, True),
                (most, True),
                (most * (1 + 1e-9) + (1 if whole else 0), False),
            ):
                assert _takes(type(table), name, int(value) if whole else value) is good, f"{name} = {value}"
            looked_at += 1
    assert looked_at > 20


def _takes(table: type, name: str, value: float) -> bool:
    """Whether *table* takes *value* for the key *name*, as far as that key alone is looked at."""
    try:
        table(**{name: value})
    except ValidationError as error:
        return all(one["loc"] != (name,) for one in error.errors())
    return True
