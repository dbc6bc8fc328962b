"""What a call over HTTP knows of itself, in the words in which the door and the servicers ask."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn, Protocol

import grpc


class CallFailed(Exception):
    """The call ends with this status, and with these entries beside it."""

    def __init__(
        self,
        code: grpc.StatusCode,
        text: str,
        trailing: Iterable[tuple[str, str]] = (),
        status: int = 0,
    ) -> None:
        """*status* is HTTP's, where it is not the usual one for *code*."""
        super().__init__(text)
        self.code, self.text, self.trailing, self.status = code, text, dict(trailing), status


class OtherEnd(Protocol):
    """What a connection knows of the other end."""

    user_id: int | None
    peer: str
    proof: Mapping[str, Iterable[bytes]]


class WebCall:
    """One request. Over a Unix socket *user_id* is the caller's, as the kernel says; else None."""

    def __init__(self, headers: Iterable[tuple[str, str]], end: OtherEnd) -> None:
        self._headers = [(name.lower(), value) for name, value in headers]
        self._end = end
        self.user_id = end.user_id

    def with_token(self, token: str) -> "WebCall":
        """The same call, with this token and no other as its proof."""
        headers = [(name, value) for name, value in self._headers if name != "authorization"]
        return WebCall([*headers, ("authorization", f"Bearer {token}")], self._end)

    @property
    def shows_token(self) -> bool:
        """Whether it brings a proof in its own headers."""
        return any(name == "authorization" for name, _ in self._headers)

    def invocation_metadata(self) -> Sequence[tuple[str, str]]:
        """The headers."""
        return self._headers

    def peer(self) -> str:
        """Where the call comes from, as gRPC writes it; behind ``unix:`` the number of the user."""
        return self._end.peer

    def auth_context(self) -> Mapping[str, Iterable[bytes]]:
        """The certificate that the caller has shown, if there was one."""
        return self._end.proof

    async def abort(
        self, code: grpc.StatusCode, details: str = "", trailing_metadata: Iterable[tuple[str, str]] = ()
    ) -> NoReturn:
        """End the call."""
        raise CallFailed(code, details, trailing_metadata)
