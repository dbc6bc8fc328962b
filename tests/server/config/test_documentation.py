"""``docs/configuration.md`` says what the code does, and its example is one."""

from pathlib import Path

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
