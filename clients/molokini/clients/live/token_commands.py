"""``molokini token issue``, ``list``, ``revoke`` and ``rotate``."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from molokini.client.client import Client
from molokini.clients.arguments.shared import JsonArguments
from molokini.clients.arguments.tokens import IssueArguments, RevokeArguments, TokensArguments
from molokini.clients.live.connection import with_client
from molokini.clients.show.lines import Column, show_json, show_things
from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.model.instants import instant
from molokini.model.spans import seconds
from molokini.model.text import plural
from molokini.proto.v1.token_service_pb2 import IssueTokenResponse, Token

_COLUMNS = (
    Column("id", of=lambda one: one.id),
    Column("user", cut=True, of=lambda one: one.user),
    Column("role", of=lambda one: one.role),
    Column("state", of=lambda one: one.state),
    Column("issued", of=lambda one: instant(one.issued_s)),
    Column("until", of=lambda one: instant(one.until_s)),
    Column("issued by", cut=True, of=lambda one: one.issued_by),
)


def issue(arguments: IssueArguments) -> int:
    """Make a token and show it once: alone on standard output, so that it can be piped."""
    lifetime_s = None if arguments.lifetime is None else seconds("--lifetime", arguments.lifetime)
    if lifetime_s == 0:
        raise BadValue("--lifetime", arguments.lifetime, "above 0 seconds")
    if arguments.file is not None:
        _make(arguments.file)
    try:
        made = with_client(lambda client: client.issue_token(arguments.user, arguments.role, lifetime_s))
    except BaseException:
        if arguments.file is not None:
            arguments.file.unlink(missing_ok=True)
        raise
    _show(arguments, made)
    return 0


def list_tokens(arguments: TokensArguments) -> int:
    """Print the tokens that the caller may know of."""

    async def work(client: Client) -> list[Token]:
        return await client.tokens(arguments.user, include_ended=arguments.all)

    _list(with_client(work), arguments.json)
    return 0


def revoke(arguments: RevokeArguments) -> int:
    """Take tokens back."""
    if bool(arguments.ids) == bool(arguments.user):
        raise BadInput("token revoke takes ids of tokens, or --user NAME; give one of the two")

    async def work(client: Client) -> list[Token]:
        return await client.revoke_tokens(arguments.ids, user=arguments.user)

    found = with_client(work)
    if arguments.json:
        _list(found, as_json=True)
    else:
        _say(f"{plural(len(found), 'token')} revoked")
    return 0


def rotate(arguments: JsonArguments) -> int:
    """Sign with a new key."""
    ended = with_client(lambda client: client.rotate_tokens())
    if arguments.json:
        _list(ended, as_json=True)
        return 0
    _say(
        f"a new key signs from now on; {plural(len(ended), 'token')} ended. "
        "Tokens of the key before are good until the next rotation"
    )
    return 0


def _show(arguments: IssueArguments, made: IssueTokenResponse) -> None:
    if arguments.file is not None:
        arguments.file.write_text(f"{made.token}\n")
    if arguments.json:
        text = {} if arguments.file is not None else {"token": made.token}
        show_json("molokini.token/1", {**_document(made.kept), **text})
        return
    if arguments.file is None:
        sys.stdout.write(f"{made.token}\n")
    kept = made.kept
    until = f"good until {instant(kept.until_s)}; id {kept.id}"
    _say(f"a token for {kept.user} with the role {kept.role}, {until}. It is shown this once")


def _make(path: Path) -> None:
    """An empty file that only its owner can read, before there is anything to put into it."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        raise BadFile(str(path), f"cannot be made: {(error.strerror or str(error)).lower()}") from None


def _list(tokens: Sequence[Token], as_json: bool) -> None:
    if as_json:
        show_json("molokini.tokens/1", {"tokens": [_document(one) for one in tokens]}, rows="tokens")
    else:
        show_things(_COLUMNS, tokens)


def _document(one: Token) -> dict[str, Any]:
    return {
        "id": one.id,
        "user": one.user,
        "role": one.role,
        "state": one.state,
        "issued_s": one.issued_s,
        "until_s": one.until_s,
        "issued_by": one.issued_by,
        "revoked_by": one.revoked_by or None,
    }


def _say(text: str) -> None:
    """Beside what a pipe takes."""
    print(f"molokini: {text}", file=sys.stderr)
