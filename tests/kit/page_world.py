"""A small cluster in which something of everything has happened, for the page to show."""

import random
from contextlib import AsyncExitStack

from molokini.proto.v1.jobs_pb2 import JobSpec, Outcome, Resources
from molokini.server.security.roles import Role
from tests.kit.serving import Served

USERS = ("ann", "ben", "cleo", "dora", "emil")
NAMES = ("align", "render", "md-run", "train", "sweep", "post")
PROCESSORS = (1, 4, 8, 16, 32, 96, 160)


async def fill(one: Served, jobs: int = 220, seed: int = 4) -> None:
    """Some hours of work: jobs that have ended, well and badly, that run, that wait, that are held."""
    drawn = random.Random(seed)
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(one.client(user)) for user in USERS]
        for number in range(jobs):
            await clients[number % len(USERS)].submit(_spec(drawn))
            if number % 4 == 3:
                await one.advance(drawn.uniform(60, 420))
        await clients[0].submit(JobSpec(estimate_s=600, name="later", held=True))
        root = await stack.enter_async_context(one.client("root", Role.ADMINISTRATOR))
        await root.drain(["node007"], "a fan is loud")
        await root.down(["node012"], "does not boot")


def _spec(drawn: random.Random) -> JobSpec:
    estimate_s = drawn.choice((900, 1800, 3600, 7200))
    fails = drawn.random() < 0.08
    return JobSpec(
        name=drawn.choice(NAMES),
        resources=Resources(processors=drawn.choice(PROCESSORS)),
        estimate_s=estimate_s,
        account=drawn.choice(("physics", "biology", "")),
        outcome=Outcome(run_s=estimate_s * drawn.uniform(0.2, 1.15), exit_code=3 if fails else 0),
    )
