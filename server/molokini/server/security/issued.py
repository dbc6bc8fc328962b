"""Which tokens were issued and which of them were taken back: one file beside the keys that sign them.

A token that is not in the file proves nothing, so that a file that is lost ends tokens and revives none. What
proves a token is not in it.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from molokini.model.errors import BadFile, MolokiniError, UnknownName
from molokini.server.security import private_files
from molokini.server.security.roles import Role

FORMAT = "molokini.tokens/1"
MOST = 2000
"""Most tokens that are valid at a time; the whole file is written again for each."""
KEPT_S = 86_400.0
"""Seconds for which a token is listed after its end."""


class TooManyTokens(MolokiniError):
    """So many tokens are good that another one is not kept."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """What is kept of a token. Instants are seconds since 1970, on the wall clock."""

    id: str
    name: str
    role: Role
    by: str
    from_s: float
    until_s: float
    key: str
    revoked_s: float | None = None
    revoked_by: str = ""

    def ended_s(self) -> float:
        """When it ended or will end."""
        return self.until_s if self.revoked_s is None else min(self.revoked_s, self.until_s)


class IssuedTokens:
    """The file, and what is in it. A change is on disk before it is in effect."""

    def __init__(self, path: Path, wall: Callable[[], float]) -> None:
        """Read *path*; BadFile where it is damaged. There is none before the first token."""
        self._path, self._wall = path, wall
        self._tokens = _read(path) if path.exists() else {}

    def all(self) -> list[IssuedToken]:
        """In the order in which they were issued."""
        return list(self._tokens.values())

    def find(self, token_id: str) -> IssuedToken | None:
        """The token of this id."""
        return self._tokens.get(token_id)

    def add(self, token: IssuedToken) -> None:
        """Keep *token*; TooManyTokens where there is no room."""
        kept = self._recent()
        now = self._wall()
        if sum(one.ended_s() > now for one in kept) >= MOST:
            raise TooManyTokens(
                f"{MOST:,} tokens are valid, and the server keeps no more: revoke some of them"
            )
        # Those that have ended are there to be looked at alone, so the oldest of them make room.
        ended = [one for one in kept if one.ended_s() <= now]
        for one in ended[: max(0, len(kept) - MOST + 1)]:
            kept.remove(one)
        self._keep([*kept, token])

    def revoke(self, token_ids: Iterable[str], by: str) -> list[IssuedToken]:
        """Take tokens back, all of them or (UnknownName) none; as they are then."""
        now, wanted = self._wall(), list(dict.fromkeys(token_ids))
        for one in wanted:
            if one not in self._tokens:
                raise UnknownName("token", one, self._tokens)
        changed = {
            one: replace(self._tokens[one], revoked_s=now, revoked_by=by)
            for one in wanted
            if self._tokens[one].revoked_s is None
        }
        if changed:
            # Those just revoked stay in the list, whatever their age.
            self._keep([changed.get(one.id, one) for one in self._recent(changed)])
        return [changed.get(one) or self._tokens[one] for one in wanted]

    def _recent(self, keep: Iterable[str] = ()) -> list[IssuedToken]:
        """All but those that ended long ago."""
        now, kept = self._wall(), set(keep)
        return [one for one in self._tokens.values() if one.id in kept or one.ended_s() > now - KEPT_S]

    def _keep(self, tokens: Iterable[IssuedToken]) -> None:
        made = {one.id: one for one in tokens}
        body = json.dumps({"format": FORMAT, "tokens": [asdict(one) for one in made.values()]}).encode()
        # Replacing makes the file, too, where there is none.
        private_files.replace(self._path, body + b"\n")
        self._tokens = made


def _read(path: Path) -> dict[str, IssuedToken]:
    try:
        found = json.loads(private_files.read(path))
        if found["format"] != FORMAT:
            raise ValueError(found["format"])
        tokens = [IssuedToken(**{**row, "role": Role(row["role"])}) for row in found["tokens"]]
        return {one.id: one for one in tokens}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadFile(
            str(path), "does not hold a list of tokens; remove it, and all issued tokens end"
        ) from error
