"""The state in the folder of a server that is stopped, for those who look at what may come of it."""

import asyncio
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from molokini.model.errors import BadInput
from molokini.server.journal.sqlite import SqliteJournal
from molokini.server.persistence.recovery import recovered
from molokini.server.queries.present_state import present_of
from molokini.server.turn.running_policy import RunningPolicy
from molokini.whatif.present import Present

JOURNAL = "journal.sqlite"


def present_in(folder: Path) -> Present:
    """The state that the journal in *folder* holds; the folder stays as it is.

    Raises BadInput where there is no journal, and where a server has the folder.
    """
    if not (folder / JOURNAL).is_file():
        raise BadInput(f"{folder}: it holds no state of a server; {JOURNAL} is missing")
    with TemporaryDirectory() as place:
        # A process that opens a journal leaves a mark in it.
        copied = shutil.copytree(folder, Path(place) / "state", symlinks=True, ignore=_sockets)
        return asyncio.run(_present(copied))


def _sockets(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if not (path := Path(folder, name)).is_dir() and not path.is_file()}


async def _present(folder: Path) -> Present:
    journal = await SqliteJournal.open(folder, new=False)
    try:
        state = await recovered(journal)
    finally:
        await journal.close()
    if state.policy is None:
        raise BadInput(f"{folder}: its journal says no policy yet; start a server on it first")
    name, parameters = state.policy
    # A journal holds what the policy was given, and not the numbers that are made of it.
    RunningPolicy(name, parameters).take_over(state)
    return present_of(state, state.now, name, parameters)
