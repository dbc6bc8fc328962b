"""A process that appends until it dies: ``python -m tests.server.journal.writer URL [SEED] [STEP]``.

It prints ``open EPOCH LAST``, then the last serial of each batch as soon as that is acknowledged, each line
with one write. An error of the journal is printed as ``failed CLASS: TEXT``; then it tries the same once
more, prints that too, and dies without any clean-up. With *STEP* it waits for a line on standard input before
each further so many entries.
"""

import asyncio
import os
import random
import sys

from molokini.server.journal.opening import open_journal
from molokini.server.journal.port import Journal, JournalError, Snapshot
from tests.server.journal.lines import lines

SNAPSHOT_EVERY = 40
MOST = 20
"""The longest batch."""


def say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


async def write(journal: Journal, dice: random.Random, step: int) -> None:
    """Append for ever."""
    batches = 0
    while True:
        if step:
            sys.stdin.readline()
        goal = journal.last_serial + (step or 1000)
        while journal.last_serial < goal:
            last = journal.last_serial
            await journal.append(lines(last + 1, min(goal, last + dice.randint(1, MOST))))
            say(str(journal.last_serial))
            batches += 1
            if batches % SNAPSHOT_EVERY == 0:
                serial = journal.last_serial
                await journal.keep_snapshot(Snapshot(serial, str(serial).encode() * 10_000))


async def main(url: str, seed: int, step: int) -> None:
    try:
        journal = await open_journal(url, True)
    except JournalError as error:
        say(f"failed {type(error).__name__}: {error}")
        os._exit(4)
    say(f"open {journal.epoch} {journal.last_serial}")
    for _ in range(2):
        try:
            await write(journal, random.Random(seed), step)
        except JournalError as error:
            say(f"failed {type(error).__name__}: {error}")
            step = 0
    os._exit(3)


if __name__ == "__main__":
    given = sys.argv[1:]
    asyncio.run(main(given[0], *(int(one) for one in [*given[1:], "0", "0"][:2])))
