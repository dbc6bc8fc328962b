"""How Typer reads the command line of one command: nothing that was given is ignored."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperOption

from molokini.clients.commands import COMMAND_LINE
from molokini.clients.optional_values import with_values
from molokini.model.errors import BadInput

_ONE_RUN = frozenset({"simulate", "capacity"})
_SEVERAL = frozenset({"policy", "maui_config", "slurm_conf"})
"""What those take once, and ``compare`` as often as it is given."""


class _Reader(TyperCommand):
    """A command that refuses an option of one value that is given twice."""

    kind: ClassVar[type]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words = _with_command_line(self.kind, with_values(args, self.kind))
        with _at(ctx):
            _, _, given = self.make_parser(ctx).parse_args(list(words))
            if not ctx.resilient_parsing:  # as for completion, which takes what there is
                for param, times in Counter(given).items():
                    if times > 1 and isinstance(param, TyperOption) and not param.multiple:
                        _refuse_twice(ctx, param)
            return super().parse_args(ctx, words)


@contextlib.contextmanager
def _at(ctx: Any) -> Iterator[None]:
    """Inside, errors know the command whose help tells more."""
    try:
        yield
    except Exception as error:
        if getattr(error, "ctx", ctx) is None:
            error.ctx = ctx  # type: ignore[attr-defined]
        raise


def _refuse_twice(ctx: Any, param: TyperOption) -> None:
    """Raise BadInput for an option that is given twice; a flag that says the same again loses nothing."""
    if param.is_flag and not param.secondary_opts:
        return
    name = param.opts[0]
    if param.is_flag:
        text = f"{name} and {param.secondary_opts[0]}: {ctx.info_name} takes one of them, once"
    else:
        how = f", as {param.metavar}" if "," in (param.metavar or "") else ""
        text = f"{name} is given more than once; {ctx.info_name} takes it once{how}"
    if ctx.info_name in _ONE_RUN and param.name in _SEVERAL:
        text += "; compare takes several"
    raise BadInput(f"{text} (see '{ctx.command_path} --help')")


def reader_of(kind: type) -> type[TyperCommand]:
    """What reads the command line of a command that takes *kind*."""
    return type("_ReaderOf", (_Reader,), {"kind": kind})


def _with_command_line(kind: type, words: list[str]) -> list[str]:
    """*words*, where what stands behind ``--`` is taken as it is, if the command takes a command line."""
    if COMMAND_LINE not in getattr(kind, "__dataclass_fields__", ()) or "--" not in words:
        return words
    at = words.index("--")
    return [*words[:at], *(part for word in words[at + 1 :] for part in (f"--{COMMAND_LINE}", word))]
