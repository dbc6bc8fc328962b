"""Rebuilds the records of finished jobs from the journal where their table is damaged."""

import asyncio
from collections.abc import AsyncIterator

from molokini.model.codec import decode
from molokini.model.facts import JobsRetired
from molokini.server.journal.port import Finished, Journal, Runs
from molokini.server.state.applying import apply
from molokini.server.state.past import records_of
from molokini.server.state.state import State

FACTS_A_BREATH = 250
"""Facts after which others get a word in."""


async def records_anew(journal: Journal) -> AsyncIterator[Finished | Runs]:
    """The records of all jobs that have left the memory, from the first fact on.

    They leave this state as they left the other, so it takes no more memory than that did.
    """
    state = State()
    async for entry in journal.read(0):
        fact = decode(entry)
        if isinstance(fact, JobsRetired):
            for number in fact.jobs:
                for record in records_of(state.jobs[number], state.machine):
                    yield record
        apply(state, fact, entry.serial, entry.time_s)
        state.events.clear()
        if entry.serial % FACTS_A_BREATH == 0:
            await asyncio.sleep(0)
