"""Tokens for others: issue, list, revoke, and rotate the keys that sign them."""

from collections.abc import Iterable

from molokini.client.calls import Caller
from molokini.proto.v1 import token_service_pb2 as wire


class TokenCalls:
    """The calls of TokenService."""

    _caller: Caller

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._token_service = caller.methods("TokenService")

    async def issue_token(
        self, user: str, role: str = "user", lifetime_s: float | None = None
    ) -> wire.IssueTokenResponse:
        """A token for *user*; without *lifetime_s* it is good for as long as the server allows."""
        request = wire.IssueTokenRequest(user=user, role=role, lifetime_s=lifetime_s or 0.0)
        return await self._caller.call(self._token_service.IssueToken, request)

    async def tokens(self, user: str = "", *, include_ended: bool = False) -> list[wire.Token]:
        """The tokens that the caller may know of, in the order in which they were issued."""
        request = wire.ListTokensRequest(user=user, include_ended=include_ended)
        answer: wire.ListTokensResponse = await self._caller.call(self._token_service.ListTokens, request)
        return list(answer.tokens)

    async def revoke_tokens(self, ids: Iterable[str] = (), *, user: str = "") -> list[wire.Token]:
        """Take tokens back: those of *ids*, or all of *user*."""
        request = wire.RevokeTokensRequest(ids=ids, user=user)
        answer: wire.RevokeTokensResponse = await self._caller.call(self._token_service.RevokeTokens, request)
        return list(answer.tokens)

    async def rotate_tokens(self) -> list[wire.Token]:
        """Sign with a new key; the tokens that ended by it."""
        answer: wire.RotateTokensResponse = await self._caller.call(
            self._token_service.RotateTokens, wire.RotateTokensRequest()
        )
        return list(answer.ended)
