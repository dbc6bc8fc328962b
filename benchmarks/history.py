"""Whether a long history makes a server slow: submissions beside 200,000 finished jobs, and beside 2,000.

Both servers live at the same time and are measured in turn, so that what else the machine does meets both.

The history is one that a server has lived: all but the last finished jobs have left its memory, their
records are in the table beside the journal, and a graceful stop has left a snapshot. A journal that was
written at one go is another matter: its server has 190,000 jobs to let go and a snapshot of all of them to
write beside what it is asked; that takes some minutes, and throughput meanwhile.
"""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from benchmarks import live
from molokini.model.codec import encode
from molokini.model.facts import (
    NO_INDEX,
    Ending,
    Fact,
    JobEnded,
    JobsRetired,
    JobsSubmitted,
    JobStarted,
)
from molokini.model.written_specs import WrittenSpec
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.server.journal.port import Finished, Journal
from molokini.server.journal.sqlite import SqliteJournal
from molokini.server.server import Settings, recovered
from molokini.server.state.applying import apply
from molokini.server.state.past import records_of
from molokini.server.state.state import State

SHORT, LONG = 2_000, 200_000
AT_ONCE = 1_000
"""Jobs of one processor that run at the same time on the 1,024 of the machine."""
ROUNDS, ROUND_S = 10, 1.0


def rows() -> list[dict[str, Any]]:
    """Throughput beside a long history over that beside a short one, unary and in batches."""
    return asyncio.run(_rows(SHORT, 20_000 if live.QUICK else LONG))


async def _rows(short: int, long: int) -> list[dict[str, Any]]:
    async with AsyncExitStack() as stack:
        few, began = await stack.enter_async_context(_with_history(short)), time.perf_counter()
        many = await stack.enter_async_context(_with_history(long))
        took_s = time.perf_counter() - began
        unary = await _ratio(few.unary, many.unary)
        batched = await _ratio(few.batched, many.batched)
    what = f"{long:,} finished jobs in the journal against {short:,}"
    return [
        live.row(f"throughput with {what}: unary, 32 clients", unary, "", 0.9),
        live.row("the same, submit-many", batched, "", 0.9),
        live.row("making and reading that history", took_s, "s", None),
    ]


async def _ratio(few: Callable[[], Awaitable[float]], many: Callable[[], Awaitable[float]]) -> float:
    """Median of the ratios of neighbours in time, of which each is the first in every other round.

    Which comes first matters: two servers with the same short history differ by 14% of processor time so.
    """
    await few(), await many()
    ratios = []
    for turn in range(ROUNDS):
        if turn % 2:
            of_many, of_few = await many(), await few()
        else:
            of_few, of_many = await few(), await many()
        ratios.append(of_many / of_few)
    return statistics.median(ratios)


class _Load:
    def __init__(self, stub: Any, meta: Any) -> None:
        self._stub, self._meta = stub, meta
        self._request = wire.SubmitRequest(spec=live.spec())

    async def unary(self) -> float:
        """Submissions a second of 32 clients."""
        return await live.rate_of(lambda: self._stub.Submit(self._request, metadata=self._meta), 32, ROUND_S)

    async def batched(self) -> float:
        """Jobs a second in batches of 500."""
        return await live.batched(self._stub, self._meta, 20_000)


@asynccontextmanager
async def _with_history(jobs: int) -> AsyncIterator[_Load]:
    """A server in whose journal *jobs* jobs have ended."""
    with tempfile.TemporaryDirectory() as folder:
        async with live.server(Path(folder), "live"):
            pass
        await _end(Path(folder), jobs)
        async with live.server(Path(folder), "live"):
            # Its stop leaves a snapshot.
            pass
        async with (
            live.server(Path(folder), "live") as (address, token, _pid),
            grpc.aio.insecure_channel(address) as channel,
        ):
            yield _Load(live.job_stub(channel), (("authorization", f"Bearer {token}"),))


async def _end(folder: Path, jobs: int) -> None:
    """Let *jobs* jobs have been submitted, started and ended, in the journal of a server that is down."""
    journal = await SqliteJournal.open(folder, new=False)
    try:
        state = await recovered(journal)
        nodes = state.machine.nodes
        spec = WrittenSpec(
            {"name": "bench", "queue": "default", "estimate_s": 3600.0, "resources": {"processors": 1}}
        )
        for first in range(1, jobs + 1, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, jobs + 1))
            facts: list[Fact] = [JobsSubmitted(first, "root", (spec,) * len(numbers))]
            facts += [
                JobStarted(number, NO_INDEX, 1, ((number % AT_ONCE // nodes[0].processors, 1, 0),))
                for number in numbers
            ]
            facts += [JobEnded(number, NO_INDEX, 1, Ending.COMPLETED, state.now) for number in numbers]
            await _happen(journal, state, facts)
        here = list(state.finished)[: -Settings().finished_jobs]
        for first in range(0, len(here), AT_ONCE):
            gone = here[first : first + AT_ONCE]
            records = [one for number in gone for one in records_of(state.jobs[number], state.machine)]
            await journal.keep_finished([one for one in records if isinstance(one, Finished)], [])
            await _happen(journal, state, [JobsRetired(tuple(gone))])
    finally:
        await journal.close()


async def _happen(journal: Journal, state: State, facts: Sequence[Fact]) -> None:
    serial = journal.last_serial + 1
    await journal.append([encode(fact, serial + k, state.now) for k, fact in enumerate(facts)])
    for k, fact in enumerate(facts):
        apply(state, fact, serial + k, state.now)


if __name__ == "__main__":
    print(json.dumps(rows(), indent=1))
