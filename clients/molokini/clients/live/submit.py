"""``molokini submit``."""

import uuid
from typing import TYPE_CHECKING

from molokini.clients.arguments.submit import SubmitArguments
from molokini.clients.live.connection import with_client, with_job_client
from molokini.clients.live.instants import clock_of, need_clock, placed
from molokini.clients.live.submit_fields import instants, submitted
from molokini.model.dates import Clock
from molokini.model.errors import BadValue

if TYPE_CHECKING:
    from molokini.client.client import Client
    from molokini.client.submitting import Submitting
    from molokini.proto.v1.job_service_pb2 import SubmitResponse

LONGEST_KEY = 128


def submit(arguments: SubmitArguments) -> int:
    """Submit one job and print its id, and what a divisible one was promised; 1 where that was refused."""
    if arguments.whatif:
        from molokini.clients.live.alternatives import submit_whatif

        return submit_whatif(arguments)
    fields, times = submitted(arguments), instants(arguments)
    from_clock = need_clock(times)
    key = arguments.key if arguments.key is not None else uuid.uuid4().hex
    if not 1 <= len(key) <= LONGEST_KEY:
        raise BadValue("--key", key, f"1 to {LONGEST_KEY} characters")
    from molokini.client.errors import Busy, Unavailable
    from molokini.client.specs import job_spec
    from molokini.clients.live.emulation import told_emulated
    from molokini.clients.live.promises import promise_document, promise_text
    from molokini.clients.show.lines import show_json
    from molokini.proto.v1.jobs_pb2 import Promise

    spec = job_spec(fields)

    def done() -> "SubmitResponse":
        if not from_clock:
            return with_job_client(lambda client: submitted_at(client, Clock()))
        # The clock is asked for: that takes the client with all calls.
        return with_client(after_asking)

    async def after_asking(client: "Client") -> "SubmitResponse":
        return await submitted_at(client, await clock_of(client))

    async def submitted_at(client: "Submitting", clock: Clock) -> "SubmitResponse":
        for name, value in placed(times, clock).items():
            setattr(spec, name, value)
        return await client.submit_response(spec, key)

    try:
        answer = done()
    except Busy:
        raise
    except Unavailable as error:
        error.args = (f"{error}; submit again with --key {key}, and there will be one job",)
        raise
    told_emulated(spec, answer.emulated)
    promise = answer.promise if spec.HasField("divisible") else None
    if arguments.json:
        told: dict[str, object] = {} if promise is None else {"promise": promise_document(promise)}
        told["emulated"] = answer.emulated
        show_json("molokini.submit/1", {"id": answer.job_id, "submission_key": key, **told})
    else:
        print(answer.job_id)
        if promise is not None:
            print(promise_text(promise))
    return 1 if promise is not None and promise.verdict == Promise.REFUSED else 0
