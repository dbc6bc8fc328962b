"""What ``molokini token`` takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments
from molokini.model.declared import argument, option


@dataclass(frozen=True, kw_only=True)
class IssueArguments(JsonArguments):
    """``molokini token issue``."""

    user: Annotated[str, argument(metavar="NAME", help="The user, or the node agent.")]
    role: Annotated[str, option(metavar="ROLE", help="user (default), operator, administrator or node.")] = (
        "user"
    )
    lifetime: Annotated[
        str | None,
        option(
            metavar="TIME",
            help="Seconds or H:MM:SS; default: the longest that security.token_lifetime_s allows.",
        ),
    ] = None
    file: Annotated[
        Path | None, option(metavar="FILE", help="A new file for the token, for your eyes alone (mode 0600).")
    ] = None


@dataclass(frozen=True, kw_only=True)
class TokensArguments(JsonArguments):
    """``molokini token list``."""

    user: Annotated[str, option(metavar="NAME", help="Only those of this user.")] = ""
    all: Annotated[bool, option(help="Those that ended within the last day, too.")] = False


@dataclass(frozen=True, kw_only=True)
class RevokeArguments(JsonArguments):
    """``molokini token revoke``."""

    ids: Annotated[
        Sequence[str], argument(metavar="ID", help="Tokens, by their ids in 'molokini token list'.")
    ] = ()
    user: Annotated[str, option(metavar="NAME", help="Instead of ids: all tokens of this user.")] = ""
