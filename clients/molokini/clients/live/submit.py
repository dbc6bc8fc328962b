"""``molokini submit``."""

import uuid

from molokini.clients.live.arguments import SubmitArguments
from molokini.clients.live.running import with_client
from molokini.clients.live.wishes import instants, placed, submitted
from molokini.model.errors import BadValue

LONGEST_KEY = 128


def submit(arguments: SubmitArguments) -> int:
    """Submit one job and print its id."""
    fields, times = submitted(arguments), instants(arguments)
    key = arguments.key if arguments.key is not None else uuid.uuid4().hex
    if not 1 <= len(key) <= LONGEST_KEY:
        raise BadValue("--key", key, f"1 to {LONGEST_KEY} characters")
    from molokini.clients.live.client import Client
    from molokini.clients.live.errors import Busy, Unavailable
    from molokini.clients.live.lines import show_json
    from molokini.clients.live.specs import job_spec

    spec = job_spec(fields)

    async def work(client: Client) -> int:
        relative = any(from_now for _, from_now in times.values())
        now_s = (await client.clock()).now_s if relative else 0.0
        for name, value in placed(times, now_s).items():
            setattr(spec, name, value)
        return await client.submit(spec, key=key)

    try:
        job = with_client(work)
    except Busy:
        raise
    except Unavailable as error:
        error.args = (f"{error}; submit again with --key {key}, and there will be one job",)
        raise
    if arguments.json:
        show_json("molokini.submit/1", {"id": job, "submission_key": key})
    else:
        print(job)
    return 0
