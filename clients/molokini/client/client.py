"""The Python client: everything that ``molokini.v1`` offers, on asyncio, over one channel.

async with Client.connect() as client:
    job = await client.submit(argv=["sleep", "5"], processors=2, estimate_s=60)
    print(await client.wait([job]))
"""

from molokini.client.agent_calls import AgentCalls
from molokini.client.calls import Caller
from molokini.client.cluster_calls import ClusterCalls
from molokini.client.connected import Connected
from molokini.client.job_calls import JobCalls
from molokini.client.submitting import Submitting
from molokini.client.token_calls import TokenCalls
from molokini.client.watching import Watching


class Client(Connected, Submitting, JobCalls, Watching, ClusterCalls, AgentCalls, TokenCalls):
    """A connection to one server; all calls of it share one channel, which finds a server that comes back.

    What calls raise stands in ``errors.py``; each has a deadline, and those that may be made twice are
    repeated after a lost answer (see ``Patience``).
    """

    def __init__(self, caller: Caller) -> None:
        for part in (Connected, Submitting, JobCalls, Watching, ClusterCalls, AgentCalls, TokenCalls):
            part.__init__(self, caller)
