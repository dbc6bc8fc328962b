"""The batch systems and their commands, and what becomes of each of their options:
``docs/batch-commands.md``.

``python -m molokini.compat.table > docs/batch-commands.md`` regenerates the page; a test compares.
"""

import importlib
from collections.abc import Iterator, Sequence

from molokini.compat.options import WITHOUT_EFFECT, Option
from molokini.compat.tool import SYSTEMS

_TITLES = {"pbs": "PBS and Torque", "lsf": "LSF", "slurm": "Slurm", "maui": "Maui"}
_INTRODUCTION = """\
# Commands of PBS, LSF, Slurm and Maui

`molokini shims DIR --system NAME` writes these commands into DIR under their real names. Every option that
they know stands here with what becomes of it; any other is refused as the real command refuses it. Nothing
is ignored in silence.

This page is made by `python -m molokini.compat.table`.
"""


def commands() -> dict[str, dict[str, str]]:
    """By batch system, the names of its commands and the module of each."""
    return {name: dict(importlib.import_module(f"molokini.compat.{name}").COMMANDS) for name in SYSTEMS}


def options(system: str, module: str) -> Sequence[Option]:
    """The options of the command that *module* carries out."""
    found: Sequence[Option] = importlib.import_module(f"molokini.compat.{system}.{module}").OPTIONS
    return found


def page() -> str:
    """``docs/batch-commands.md``."""
    return "\n".join([_INTRODUCTION, *_sections()]) + "\n"


def _sections() -> Iterator[str]:
    for system, names in commands().items():
        if not names:
            continue
        yield f"## {_TITLES[system]}\n"
        if remark := getattr(importlib.import_module(f"molokini.compat.{system}"), "REMARK", ""):
            yield remark
        for name, module in names.items():
            yield f"### {name}\n"
            rows = options(system, module)
            if not rows:
                yield "No options.\n"
                continue
            yield "| option | | |\n|---|---|---|"
            yield from (_row(one) for one in rows)
            yield ""


def _row(one: Option) -> str:
    takes = f" [{one.takes}]" if one.joined else f" {one.takes}" if one.takes else ""
    why = one.help or one.why
    becomes = "no effect" if one.becomes == WITHOUT_EFFECT else one.becomes
    return f"| `{', '.join(one.names)}{takes}` | {becomes} | {why} |".replace("\\|", "|").replace("||", "|")


if __name__ == "__main__":
    print(page(), end="")
