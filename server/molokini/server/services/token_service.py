"""TokenService: tokens for others, issued, listed, revoked; and the rotation of the keys that sign them."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from molokini.model.errors import BadValue, Conflict, MolokiniError, UnknownName
from molokini.proto.v1 import token_service_pb2 as wire
from molokini.server.journal.port import StateFull, Unwritten
from molokini.server.security.issued import IssuedToken
from molokini.server.security.permissions import Action, NotAllowed, may_grant, may_name, require
from molokini.server.security.private_files import NotWritten
from molokini.server.security.roles import Caller, Role, caller
from molokini.server.security.serving import Security
from molokini.server.security.tokens import Tokens
from molokini.server.turn.changing import NotNow
from molokini.server.turn.operating import NoteCommand
from molokini.server.turn.reactor import Reactor

log = logging.getLogger("molokini.server.access")

R = TypeVar("R")


class TokenService:
    """The servicer."""

    def __init__(self, reactor: Reactor, security: Security) -> None:
        self._reactor, self._security = reactor, security
        self._one = asyncio.Lock()

    async def IssueToken(self, request: wire.IssueTokenRequest, context: Any) -> wire.IssueTokenResponse:
        """A new token, which is in this answer alone."""
        who, tokens = caller(), self._tokens()
        require(who, Action.ISSUE_TOKENS)
        role = _role(request.role)
        made = await self._alone(
            lambda: tokens.issue(who, request.user, role, request.lifetime_s or None),
        )
        kept = made.kept
        try:
            detail = {"id": kept.id, "user": kept.name, "role": kept.role.value, "until_s": kept.until_s}
            await self._reactor.post(NoteCommand(who.name, "issue token", detail))
        except MolokiniError:
            # The caller has not got it yet. A token that is not in the audit log is not given out.
            await self._alone(lambda: tokens.issued.revoke([kept.id], who.name))
            raise
        return wire.IssueTokenResponse(token=made.text, kept=_told(tokens, kept))

    async def ListTokens(self, request: wire.ListTokensRequest, context: Any) -> wire.ListTokensResponse:
        """The tokens that the caller may know of."""
        tokens = self._tokens()
        _require_name(caller(), request.user)
        found = [
            made
            for kept in _seen(tokens, caller())
            if request.user in ("", kept.name)
            and ((made := _told(tokens, kept)).state == "good" or request.include_ended)
        ]
        return wire.ListTokensResponse(tokens=found)

    async def RevokeTokens(
        self, request: wire.RevokeTokensRequest, context: Any
    ) -> wire.RevokeTokensResponse:
        """Take tokens back; those that were ended before stay as they are."""
        who, tokens = caller(), self._tokens()
        if bool(request.ids) == bool(request.user):
            raise Conflict("ids", "give ids of tokens or a user, not both and not neither")
        _require_name(who, request.user)
        seen = {kept.id: kept for kept in _seen(tokens, who)}
        if request.ids:
            for one in request.ids:
                if one not in seen:
                    raise UnknownName("token", one[:80], seen)
            wanted = [seen[one] for one in request.ids]
        else:
            wanted = [one for one in seen.values() if one.name == request.user and one.revoked_s is None]
        for kept in wanted:
            refusal = may_grant(who, kept.name, kept.role)
            if refusal is not None:
                raise NotAllowed(refusal.text)
        ids = [kept.id for kept in wanted]
        changed = await self._alone(lambda: tokens.issued.revoke(ids, who.name))
        await self._noted(who, "revoke tokens", {"ids": ids, "user": request.user})
        return wire.RevokeTokensResponse(tokens=[_told(tokens, kept) for kept in changed])

    async def RotateTokens(
        self, request: wire.RotateTokensRequest, context: Any
    ) -> wire.RotateTokensResponse:
        """Sign with a new key."""
        who, tokens = caller(), self._tokens()
        before = [kept for kept in tokens.issued.all() if tokens.standing(kept) == "good"]
        await self._alone(self._security.rotate)
        ended = [_told(tokens, kept) for kept in before if tokens.standing(kept) != "good"]
        await self._noted(who, "rotate tokens", {"ended": len(ended)})
        return wire.RotateTokensResponse(ended=ended)

    def _tokens(self) -> Tokens:
        if self._security.tokens is None:
            raise NotNow("an open server has no tokens: no caller has to prove anything")
        return self._security.tokens

    async def _alone(self, change: Callable[[], R]) -> R:
        """Make one change of the files after the other; meanwhile others are served.

        Raises StateFull where there is no room for it, and Unwritten where a file cannot be written.
        """
        async with self._one:
            try:
                return await asyncio.to_thread(change)
            except NotWritten as error:
                # It is the server's own file, and no mistake of the caller.
                raise (StateFull if error.full else Unwritten)(str(error)) from error

    async def _noted(self, who: Caller, what: str, detail: dict[str, Any]) -> None:
        """Tell the audit log what has been done: it stays done where the journal takes nothing now."""
        try:
            await self._reactor.post(NoteCommand(who.name, what, detail))
        except MolokiniError as error:
            log.error("%s by %s is not in the journal: %s", what, who.name, error, extra=detail)


def _role(text: str) -> Role:
    try:
        return Role(text or Role.USER)
    except ValueError:
        raise BadValue("role", text[:80], "user, operator, administrator or node") from None


def _require_name(who: Caller, name: str) -> None:
    """Raise NotAllowed for the tokens of a *name* that is not the caller's; an empty one means no name."""
    refusal = may_name(who, name) if name else None
    if refusal is not None:
        raise NotAllowed(refusal.text)


def _seen(tokens: Tokens, who: Caller) -> list[IssuedToken]:
    """Users and operators know of their own tokens alone."""
    every = tokens.issued.all()
    if who.is_at_least(Role.ADMINISTRATOR):
        return every
    return [kept for kept in every if kept.name == who.name and kept.role is not Role.NODE]


def _told(tokens: Tokens, kept: IssuedToken) -> wire.Token:
    return wire.Token(
        id=kept.id,
        user=kept.name,
        role=kept.role.value,
        issued_by=kept.by,
        issued_s=kept.from_s,
        until_s=kept.until_s,
        state=tokens.standing(kept),
        revoked_by=kept.revoked_by,
    )
