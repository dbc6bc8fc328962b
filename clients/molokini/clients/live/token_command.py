"""The commands ``molokini token``: what each is called, and what starts it."""

import typer

from molokini.clients.live.arguments import (
    IssueArguments,
    RevokeArguments,
    RotateArguments,
    TokensArguments,
)
from molokini.clients.taking import taking

token_app = typer.Typer(
    help="Tokens for other users and for node agents: issue, list, take back.", rich_markup_mode=None
)


@token_app.command()
@taking(IssueArguments)
def issue(arguments: IssueArguments) -> int:
    """Make a token for a user or a node agent, and print it once.

    The server keeps no copy. Show it as MOLOKINI_TOKEN, or keep it in
    a file that MOLOKINI_TOKEN_FILE names.
    """
    from molokini.clients.live.tokens import issue as run

    return run(arguments)


@token_app.command("list")
@taking(TokensArguments)
def list_tokens(arguments: TokensArguments) -> int:
    """List tokens: users their own, operators all."""
    from molokini.clients.live.tokens import list_tokens as run

    return run(arguments)


@token_app.command()
@taking(RevokeArguments)
def revoke(arguments: RevokeArguments) -> int:
    """Take tokens back, at once and for good."""
    from molokini.clients.live.tokens import revoke as run

    return run(arguments)


@token_app.command()
@taking(RotateArguments)
def rotate(arguments: RotateArguments) -> int:
    """Sign tokens with a new key from now on.

    Tokens of the key before stay good until the next rotation; all
    tokens of older keys end.
    """
    from molokini.clients.live.tokens import rotate as run

    return run(arguments)
