"""The flavours and their commands, and what becomes of each of their options: ``docs/flavours.md``.

``python -m molokini.flavours.table > docs/flavours.md`` writes it anew; a test compares.
"""

import importlib
from collections.abc import Iterator, Sequence

from molokini.flavours.options import WITHOUT_EFFECT, Option
from molokini.flavours.tool import FLAVOURS

_TITLES = {"pbs": "PBS and Torque", "lsf": "LSF", "slurm": "Slurm", "maui": "Maui"}
_INTRODUCTION = """\
# Commands of PBS, LSF, Slurm and Maui

`molokini shims DIR --flavour NAME` writes these commands into DIR under their real names. Every option that
they know stands here with what becomes of it; any other is refused as the real command refuses it. Nothing
is ignored in silence.

This page is made by `python -m molokini.flavours.table`.
"""


def commands() -> dict[str, dict[str, str]]:
    """By flavour, the names of its commands and the module of each."""
    return {name: dict(importlib.import_module(f"molokini.flavours.{name}").COMMANDS) for name in FLAVOURS}


def options(flavour: str, module: str) -> Sequence[Option]:
    """The options of the command that *module* carries out."""
    found: Sequence[Option] = importlib.import_module(f"molokini.flavours.{flavour}.{module}").OPTIONS
    return found


def page() -> str:
    """``docs/flavours.md``."""
    return "\n".join([_INTRODUCTION, *_sections()]) + "\n"


def _sections() -> Iterator[str]:
    for flavour, names in commands().items():
        if not names:
            continue
        yield f"## {_TITLES[flavour]}\n"
        if remark := getattr(importlib.import_module(f"molokini.flavours.{flavour}"), "REMARK", ""):
            yield remark
        for name, module in names.items():
            yield f"### {name}\n"
            rows = options(flavour, module)
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
