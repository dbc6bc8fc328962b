"""``docs/configuration.md``, made of what the keys say of themselves.

``python -m molokini.server.config.documentation > docs/configuration.md`` writes it again; a test compares.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from molokini.server.config.fields import described
from molokini.server.config.model import Config

_INTRODUCTION = """\
# Configuration

`molokini serve --config FILE` and `molokini up --config FILE` read one TOML file. Every key may be left out,
but where its default says "required"; without a file everything has its default. What the command line says
goes first.

- An unknown key, a key given twice, a wrong type or a value out of its range is refused with the file, the
  line and the nearest name or the allowed range; the server does not start (exit code 2).
- The file must belong to the server's user or to root, and not every user may write it. Files of keys and
  tokens must be readable by the server's user alone.
- Relative paths are looked for beside the file.
- Keys marked *reload* take effect when the running server reads its configuration again; the others wait for
  a restart. A file with a mistake changes nothing: the server says what is wrong and goes on as before.

This page is made by `python -m molokini.server.config.documentation`.
"""

_EXAMPLE = """\
## Example

```toml
[server]
name = "garden"
listen = "0.0.0.0:7077"
journal = "/var/lib/molokini"

[policy]
name = "easy"

[security]
mode = "mtls"
certificate = "certs/server.pem"
key = "certs/server.key"
ca = "certs/ca.pem"
users = {alice = "operator"}

[[nodes]]
names = "node[001-064]"
processors = 16

[[queues]]
name = "short"
max_estimate_s = 3600
```
"""


def document() -> str:
    """The page."""
    parts = [_INTRODUCTION, _EXAMPLE]
    for name, field in Config.model_fields.items():
        arguments = get_args(field.annotation)
        repeated, section = bool(arguments), arguments[0] if arguments else field.annotation
        header = f"## `[[{name}]]`" if repeated else f"## `[{name}]`"
        rows = _table(cast(type[BaseModel], section))
        parts.append("\n".join([header, "", field.description or "", "", *rows, ""]))
    return "\n".join(parts)


def _table(section: type[BaseModel]) -> Iterator[str]:
    yield "| key | default | may be | changes at | meaning |"
    yield "|---|---|---|---|---|"
    for name, field in section.model_fields.items():
        told = described(field)
        when = "reload" if told["reload"] else "restart"
        yield f"| `{name}` | {_default(field)} | {told['allowed']} | {when} | {field.description} |"


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "empty"
    return "required" if field.default is PydanticUndefined else _shown(field.default)


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str | Path):
        return f'`"{value}"`'
    return "empty" if value == () else f"`{value}`"


if __name__ == "__main__":
    print(document(), end="")
