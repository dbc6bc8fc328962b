"""What roles let people do, over the wire: read each other's jobs, open and close queues."""

from typing import Any

import pytest

from molokini.client import errors
from molokini.client.client import Client
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.server.security.permissions import NotAllowed
from molokini.server.security.roles import Caller, Role, covers, set_caller
from molokini.server.services.cluster_service import ClusterService
from tests.kit.live import Story
from tests.kit.serving import Served

OPERATOR = ("olga", Role.OPERATOR)
ROOT = ("root", Role.ADMINISTRATOR)


async def script_and_environment(client: Client, job: int) -> list[tuple[str, dict[str, str]]]:
    """As they are answered by a look at the job, and by a listing that asks for them."""
    one = (await client.job(job)).spec
    [listed] = [found.spec async for found in client.jobs(ids=[job], fields=["spec"])]
    return [(spec.script, dict(spec.environment)) for spec in (one, listed)]


async def test_scripts_and_environments_are_not_for_others(one: Served, ann: Client, bob: Client) -> None:
    script = "#!/bin/sh\necho hush\n"
    job = await ann.submit(script=script, environment={"TOKEN": "hush"}, estimate_s=10, name="night")
    assert await script_and_environment(ann, job) == [(script, {"TOKEN": "hush"})] * 2
    async with one.client(*OPERATOR) as olga:
        assert await script_and_environment(olga, job) == [(script, {"TOKEN": "hush"})] * 2
    assert await script_and_environment(bob, job) == [("", {})] * 2
    # Who waits for jobs wants to know how they end, and is told no more whoever it is.
    for client in (ann, bob):
        [waited] = (await client.wait([job], timeout_s=0.01)).jobs
        assert (waited.spec.name, waited.spec.script, dict(waited.spec.environment)) == ("night", "", {})
    # The rest is there to be seen, where jobs are not private.
    assert (await bob.job(job)).spec.name == "night"


async def test_operators_open_and_close_queues_and_no_more(one: Served, ann: Client, olga: Client) -> None:
    async with one.client(*ROOT) as root:
        await root.set_queue("night", max_processors=4, nodes=["n[1-2]"])
    await olga.set_queue("night", enabled=False)
    with pytest.raises(errors.ServerError, match="night"):
        await ann.submit(queue="night", estimate_s=10)
    await olga.set_queue("night", enabled=True, started=False)
    [night] = [queue for queue in await ann.queues() if queue.name == "night"]
    assert (night.enabled, night.started, night.max_processors) == (True, False, 4)
    for fields in ({"max_processors": 8}, {"enabled": False, "users": ["olga"]}):
        with pytest.raises(errors.NotAllowed, match="administrator"):
            await olga.set_queue("night", **fields)
    with pytest.raises(errors.NotAllowed):
        await olga.set_queue("own")
    with pytest.raises(errors.NotAllowed):
        await olga.remove_queue("night")
    with pytest.raises(errors.NotAllowed):
        await ann.set_queue("night", enabled=False)


@pytest.mark.parametrize(
    ("method", "wanted", "least"),
    [
        ("ChangeNodes", wire.ChangeNodesRequest(names=["n1"], state=wire.DOWN), Role.OPERATOR),
        ("SetQueue", wire.SetQueueRequest(queue=wire.Queue(name="default", started=True)), Role.OPERATOR),
        ("SetQueue", wire.SetQueueRequest(queue=wire.Queue(name="new")), Role.ADMINISTRATOR),
        ("SetQueue", wire.SetQueueRequest(queue=wire.Queue(name="default"), remove=True), Role.ADMINISTRATOR),
        ("SetPolicy", wire.SetPolicyRequest(name="easy"), Role.ADMINISTRATOR),
        ("CreateReservation", wire.CreateReservationRequest(), Role.ADMINISTRATOR),
        ("ReleaseReservation", wire.ReleaseReservationRequest(name="ours"), Role.ADMINISTRATOR),
        ("ChangeMauiParameter", wire.ChangeMauiParameterRequest(name="a", value="b"), Role.ADMINISTRATOR),
        ("TraceIteration", wire.TraceIterationRequest(), Role.ADMINISTRATOR),
        ("ShadowPolicy", wire.ShadowPolicyRequest(name="easy"), Role.ADMINISTRATOR),
        ("BookAccount", wire.BookAccountRequest(booking=wire.REFUND), Role.OPERATOR),
        ("BookAccount", wire.BookAccountRequest(booking=wire.DEPOSIT), Role.ADMINISTRATOR),
        ("BookAccount", wire.BookAccountRequest(booking=wire.WITHDRAWAL), Role.ADMINISTRATOR),
        ("ChangeClock", wire.ChangeClockRequest(advance_s=5.0), Role.ADMINISTRATOR),
    ],
)
async def test_services_check_the_role_again(story: Story, method: str, wanted: Any, least: Role) -> None:
    """A mistake in the table of methods is not enough to change a cluster."""
    before = story.journal.last_serial
    for role in (Role.USER, Role.OPERATOR, Role.NODE):
        if covers(role, least):
            continue
        set_caller(Caller("eve", role))
        answer = getattr(ClusterService(story.core), method)(wanted, None)
        with pytest.raises(NotAllowed, match=f"eve has the role {role}; .* needs the role {least}"):
            await (anext(answer) if method == "ShadowPolicy" else answer)
    assert (story.journal.last_serial, story.core.clock.now()) == (before, 0.0)


async def test_all_holds_that_the_caller_may_end(
    one: Served, ann: Client, olga: Client, root: Client
) -> None:
    job = await ann.submit(estimate_s=10, held=True)
    await olga.hold([job], hold="operator")
    await root.hold([job], hold="system")

    def holds() -> set[str]:
        return set(one.core.state.jobs[job].holds)

    everything = {"user", "operator", "system"}
    for client, wanted in (
        (ann, {"all_holds": True}),
        (ann, {"hold": "operator"}),
        (ann, {"hold": "system"}),
        (olga, {"hold": "system"}),
    ):
        with pytest.raises(errors.NotAllowed):
            await client.release([job], **wanted)
        assert holds() == everything
    await olga.release([job], all_holds=True)
    assert holds() == {"system"}
    await olga.hold([job], hold="operator")
    await root.release([job], all_holds=True)
    assert holds() == set()
