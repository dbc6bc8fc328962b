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

    user: Annotated[str, argument(metavar="NAME", help="Name of the user or the node agent.")]
    role: Annotated[
        str, option(metavar="ROLE", help="Role: user (default), operator, administrator or node.")
    ] = "user"
    lifetime: Annotated[
        str | None,
        option(
            metavar="TIME",
            help="Seconds or H:MM:SS (default: the maximum, security.token_lifetime_s).",
        ),
    ] = None
    file: Annotated[
        Path | None, option(metavar="FILE", help="Write the token to this new file, with mode 0600.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class TokensArguments(JsonArguments):
    """``molokini token list``."""

    user: Annotated[str, option(metavar="NAME", help="Only tokens of this user.")] = ""
    all: Annotated[bool, option(help="Include tokens that expired within the last day.")] = False


@dataclass(frozen=True, kw_only=True)
class RevokeArguments(JsonArguments):
    """``molokini token revoke``."""

    ids: Annotated[Sequence[str], argument(metavar="ID", help="Token ids, as in 'molokini token list'.")] = ()
    user: Annotated[str, option(metavar="NAME", help="Revoke all tokens of this user, instead of ids.")] = ""
