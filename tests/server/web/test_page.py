"""The page over HTTP, without a browser: files, logins, what other sites must not do, events, figures."""

import gzip
import json
import re
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from molokini.page.assets import assets
from molokini.proto.v1.jobs_pb2 import JobSpec, Resources
from molokini.server.security.roles import Role
from molokini.server.web.cookies import COOKIE, RENEWED_S, Links, Logins
from molokini.server.web.feed import KEPT
from tests.kit.waiting import eventually
from tests.kit.web import JOBS, Wire, request_of
from tests.server.web.conftest import Gatewayed, gatewayed

OWN: dict[str, Any] = {"Host": "127.0.0.1:1", "Origin": "http://127.0.0.1:1"}
BOARD = Path(__file__).parents[3] / "docker" / "grafana.json"


async def logged_in(at: Gatewayed) -> dict[str, Any]:
    """Headers of a page that is logged in."""
    code = at.gateway.page.link().partition("=")[2]
    found = await at.tcp.call("/login", {"code": code}, **OWN)
    assert found.status == 200, found.body
    cookie = found.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/"))
    return {**OWN, "Cookie": cookie.partition(";")[0]}


async def test_files_come_with_tags_and_a_policy_without_inline_scripts(at: Gatewayed) -> None:
    for path in ("/", *(f"/page/{name}" for name in assets())):
        found = await at.tcp.call(path, verb="GET", Accept_Encoding="gzip")
        asset = assets()[path.removeprefix("/page/") if path != "/" else "index.html"]
        assert (found.status, gzip.decompress(found.body)) == (200, asset.body)
        policy = found.headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        again = await at.tcp.call(path, verb="GET", If_None_Match=found.headers["etag"])
        assert (again.status, again.body) == (304, b"")
    page = assets()["index.html"].body.decode()
    assert re.findall(r"<script(?![^>]*src=)", page) == []
    assert re.findall(r"https?://", page) == []


@pytest.mark.parametrize(
    "path",
    ["/page/../index.html", "/page/..%2f..%2fassets.py", "/page//etc/passwd", "/page/%00", "/page/x.js"],
)
async def test_no_path_leads_out_of_the_files(at: Gatewayed, path: str) -> None:
    assert (await at.tcp.call(path, verb="GET")).status == 404


async def test_probes_are_open_and_say_nothing_else(at: Gatewayed) -> None:
    for path, text in (("/healthz", "alive"), ("/readyz", "ready")):
        assert (await at.tcp.call(path, verb="GET")).document == {"status": text}
    at.server.opened = False
    assert (await at.tcp.call("/readyz", verb="GET")).status == 503
    at.server.opened = True


async def test_a_login_proves_its_caller_to_every_method_and_ends(at: Gatewayed) -> None:
    assert (await at.tcp.call("/session", verb="GET")).status == 401
    headers = await logged_in(at)
    told = (await at.tcp.call("/session", verb="GET", **headers)).document
    assert (told["role"], told["cluster"]) == ("administrator", "molokini")
    assert (await at.tcp.call(JOBS + "ListJobs", {}, **headers)).status == 200
    gone = await at.tcp.call("/logout", {}, **headers)
    assert f"{COOKIE}=;" in gone.headers["set-cookie"]


async def test_a_token_that_was_typed_in_keeps_its_role_and_its_end(at: Gatewayed) -> None:
    token = at.one.token("ben")
    found = await at.tcp.call("/login", {"token": token}, **OWN)
    assert found.document["role"] == "user"
    assert f"{COOKIE}={token};" in found.headers["set-cookie"]
    wrong = await at.tcp.call("/login", {"token": "x.y.z"}, **OWN)
    assert (wrong.status, "set-cookie" in wrong.headers) == (401, False)


def test_a_link_is_good_once_and_for_a_day() -> None:
    clock = [0.0]
    links = Links(lambda: clock[0])
    who: Any = object()
    first, second = links.make(who), links.make(who)
    assert (links.use(first), links.use(first), links.use("else")) == (who, None, None)
    clock[0] = 86_401.0
    assert links.use(second) is None


def test_a_login_of_the_owner_goes_on_while_its_page_is_open_and_ends_after_half_a_day() -> None:
    clock = [0.0]
    logins = Logins(lambda: clock[0])
    logins.begin("a")
    assert logins.left_s("a") == 0.0
    clock[0] = RENEWED_S + 1
    assert logins.left_s("a") == 12 * 3600 - RENEWED_S - 1
    logins.renew("a", "b")
    clock[0] = 12 * 3600 + 1.0
    assert (logins.left_s("a"), logins.left_s("b")) == (0.0, 0.0)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": None, "Sec_Fetch_Site": "cross-site"},
        {"Origin": None, "Sec_Fetch_Site": "same-site"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
    ],
    ids=str,
)
async def test_what_another_site_sends_with_the_cookie_is_refused(
    at: Gatewayed, headers: dict[str, Any]
) -> None:
    good = await logged_in(at)
    sent = {name: value for name, value in {**good, **headers}.items() if value is not None}
    for path, verb in ((JOBS + "CancelJobs", "POST"), ("/session", "GET"), ("/events", "GET")):
        assert (await at.tcp.call(path, {} if verb == "POST" else b"", verb, **sent)).status in (401, 403)
    for path in ("/login", "/logout"):
        assert (await at.tcp.call(path, {"token": "x"}, **sent)).status == 403


async def test_a_forged_host_gets_no_file(at: Gatewayed) -> None:
    for path in ("/", "/page/main.js", "/metrics"):
        assert (await at.tcp.call(path, verb="GET", Host="evil.example")).status == 403


# Events.


async def messages(wire: Wire, count: int) -> list[tuple[str, int, Any]]:
    """The next *count* events of a stream: kind, id, data."""
    text = ""
    found: list[tuple[str, int, Any]] = []
    while len(found) < count:
        text += (await wire.chunk()).decode()
        *whole, text = text.split("\n\n")
        for one in whole:
            fields = dict(line.split(": ", 1) for line in one.split("\n") if not line.startswith(":"))
            if "event" in fields:
                found.append((fields["event"], int(fields["id"]), json.loads(fields["data"])))
    return found


async def test_events_go_on_where_the_browser_was_and_tell_one_that_was_away_too_long(at: Gatewayed) -> None:
    headers = await logged_in(at)
    async with at.one.client("ann") as client:
        before = at.core.state.serial
        first = await client.submit(JobSpec(estimate_s=10, name="one"))
        await eventually(lambda: at.core.state.tables.queue.running_count == 1)
        async with at.tcp.connected() as wire:
            await wire.send(request_of(f"/events?after={before}", b"", headers, "GET"))
            assert (await wire.head())[1]["content-type"] == "text/event-stream"
            (hello, _, _), (kind, serial, told) = await messages(wire, 2)
            assert (hello, kind) == ("hello", "changes")
            assert {"submitted", "started"} <= {one["kind"] for one in told["events"]}
            assert {one["job_id"] for one in told["events"]} == {first}
            second = await client.submit(JobSpec(estimate_s=10, name="two"))
            await eventually(lambda: at.core.state.tables.queue.running_count == 2)
            heard: list[tuple[int, str]] = []
            while len(heard) < 2:
                [(_, serial, told)] = await messages(wire, 1)
                heard += [(one["job_id"], one["kind"]) for one in told["events"]]
            assert heard == [(second, "submitted"), (second, "started")]
        async with at.tcp.connected() as wire:
            again = {**headers, "Last-Event-ID": str(before)}
            await wire.send(request_of("/events", b"", again, "GET"))
            await wire.head()
            _, (_, _, told) = await messages(wire, 2)
            assert {one["job_id"] for one in told["events"]} == {first, second}
            assert serial == at.core.state.serial
    await eventually(lambda: at.gateway.page.feed.readers == 0)
    at.core.state.serial += 2 * KEPT  # as if so much had happened
    async with at.tcp.connected() as wire:
        await wire.send(request_of("/events?after=3", b"", headers, "GET"))
        await wire.head()
        assert [kind for kind, _, _ in await messages(wire, 2)] == ["hello", "lagged"]
    at.core.state.serial -= 2 * KEPT


async def test_brief_events_say_which_jobs_have_changed(at: Gatewayed) -> None:
    headers = await logged_in(at)
    async with at.one.client("ann") as client, at.one.client("root", Role.ADMINISTRATOR) as root:
        before = at.core.state.serial
        made = [await client.submit(JobSpec(estimate_s=10)) for _ in range(5)]
        await client.cancel([made[2]])
        await root.drain(["n1"], "why")
        await eventually(lambda: at.core.state.tables.queue.running_count == 4)
        async with at.tcp.connected() as wire:
            await wire.send(request_of(f"/events?brief=1&after={before}", b"", headers, "GET"))
            await wire.head()
            _, (kind, serial, told) = await messages(wire, 2)
    assert (kind, told["jobs"], told["about"]) == ("changes", [[made[0], made[-1]]], ["nodes"])
    assert serial == at.core.state.serial


async def test_users_hear_of_their_own_jobs_alone_where_jobs_are_private(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, security__privacy=True) as at:
        before = at.core.state.serial
        async with at.one.client("ann") as ann, at.one.client("ben") as ben:
            await ann.submit(JobSpec(estimate_s=10))
            mine = await ben.submit(JobSpec(estimate_s=10))
        wire_headers = {"Authorization": f"Bearer {at.one.token('ben')}"}
        async with at.tcp.connected() as wire:
            await wire.send(request_of(f"/events?after={before}", b"", wire_headers, "GET"))
            await wire.head()
            _, (_, _, told) = await messages(wire, 2)
        assert {one["job_id"] for one in told["events"] if "job_id" in one} == {mine}


async def test_too_many_readers_are_refused_politely(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, limits__concurrent_rpcs=4) as at:
        headers = {"Authorization": f"Bearer {at.one.token('ann')}"}
        async with at.tcp.connected() as one, at.tcp.connected() as two:
            for wire in (one, two):
                await wire.send(request_of("/events", b"", headers, "GET"))
                await wire.head()
                await messages(wire, 1)
            refused = await at.tcp.call("/events", verb="GET", **headers)
            assert (refused.status, "retry-after" in refused.headers) == (503, True)


@pytest.mark.deep
async def test_ten_thousand_readers_are_refused_politely_and_the_server_goes_on(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, limits__concurrent_rpcs=100, limits__requests_per_second=1e6) as at:
        headers = {"Authorization": f"Bearer {at.one.token('ann')}"}
        async with AsyncExitStack() as stack:
            wires = [await stack.enter_async_context(at.tcp.connected()) for _ in range(50)]
            for wire in wires:
                await wire.send(request_of("/events", b"", headers, "GET"))
                await wire.head()
                await messages(wire, 1)
            async with at.tcp.connected() as one:
                for _ in range(10_000):
                    await one.send(request_of("/events", b"", headers, "GET"))
                    refused = await one.answer()
                    assert (refused.status, "retry-after" in refused.headers) == (503, True)
            assert at.gateway.page.feed.readers == 50
            async with at.one.client("ann") as client:
                made = await client.submit(JobSpec(estimate_s=10))
            for wire in wires:
                [(kind, _, told)] = await messages(wire, 1)
                assert (kind, told["events"][0]["job_id"]) == ("changes", made)
        await eventually(lambda: at.gateway.page.feed.readers == 0)


async def test_a_token_that_is_taken_back_ends_its_events(at: Gatewayed) -> None:
    token = at.one.token("ann")
    tokens = at.server.security.tokens
    assert tokens is not None
    async with at.tcp.connected() as wire:
        await wire.send(request_of("/events", b"", {"Authorization": f"Bearer {token}"}, "GET"))
        await wire.head()
        await messages(wire, 1)
        async with at.one.client("root", Role.ADMINISTRATOR) as root:
            await root.revoke_tokens(user="ann")
            await root.submit(JobSpec(estimate_s=10))
        assert (await wire.rest()).startswith(b"event: ended\n")


# Figures.


async def test_figures_are_those_of_the_cluster_and_name_no_user(at: Gatewayed) -> None:
    async with at.one.client("zoe") as client:
        await client.submit(JobSpec(estimate_s=50, resources=Resources(processors=16)))
        await client.submit(JobSpec(estimate_s=50, resources=Resources(processors=16)))
    await at.one.advance(60)
    found = await at.tcp.call("/metrics", verb="GET")
    text = found.body.decode()
    assert 'molokini_jobs{queue="default",state="running"} 1.0' in text
    assert 'molokini_processors{state="used"} 16.0' in text
    assert "slurm_queue_running 1.0" in text
    assert "slurm_nodes_alloc 4.0" in text
    assert 'molokini_job_wait_seconds_count{queue="default",size="9-64"} 2.0' in text
    assert 'molokini_job_wait_seconds_sum{queue="default",size="9-64"} 50.0' in text
    assert "zoe" not in text


async def test_the_board_asks_for_figures_that_there_are(at: Gatewayed) -> None:
    async with at.one.client("ann") as client:
        await client.submit(JobSpec(estimate_s=5))
    text = (await at.tcp.call("/metrics", verb="GET")).body.decode()
    given = set(re.findall(r"^(\w+)[{ ]", text, re.MULTILINE))
    board = yaml.safe_load(BOARD.read_text())
    asked = {
        name
        for panel in board["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\b(?:molokini|slurm)_\w+", target["expr"])
    }
    assert len(asked) > 10
    assert asked - given == set()


# Readers without a login.


async def test_without_a_login_all_may_look_where_the_configuration_says_so(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, web__anonymous=True) as at:
        async with at.one.client("ann") as client:
            spec = JobSpec(estimate_s=10, script="#!/bin/sh", environment={"A": "secret"})
            made = await client.submit(spec)
        told = (await at.tcp.call("/session", verb="GET")).document
        assert (told["anonymous"], told["role"]) == (True, "user")
        [job] = (await at.tcp.call(JOBS + "ListJobs", {"include_ended": True})).document["jobs"]
        assert (job["id"], job["user"]) == (made, "ann")
        job = (await at.tcp.call(JOBS + "GetJob", {"job": {"id": made}})).document
        assert "script" not in job["spec"]
        assert "environment" not in job["spec"]
        for method, message in (
            ("JobService/Submit", {"spec": {"estimate_s": 1}}),
            ("JobService/CancelJobs", {"jobs": [{"id": made}]}),
            ("JobService/ForecastJob", {"job": {"id": made}}),
            ("ClusterService/GetReport", {"name": "queue"}),
            ("TokenService/ListTokens", {}),
        ):
            assert (await at.tcp.call(f"/molokini.v1.{method}", message)).status == 401, method
        for path in (f"/output?job={made}",):
            assert (await at.tcp.call(path, verb="GET")).status == 401
        # Who shows something must show something good; another site's page shows nothing of its own.
        wrong = {"Authorization": "Bearer x.y.z"}
        assert (await at.tcp.call(JOBS + "ListJobs", {}, **wrong)).status == 401
        foreign = {"Origin": "http://evil.example"}
        assert (await at.tcp.call(JOBS + "ListJobs", {}, **foreign)).status == 403
        async with at.tcp.connected() as wire:
            await wire.send(request_of("/events?after=0", b"", {}, "GET"))
            await wire.head()
            (hello, _, _), (kind, _, _) = await messages(wire, 2)
            assert (hello, kind) == ("hello", "changes")


async def test_private_jobs_are_not_shown_to_readers_without_a_login(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, web__anonymous=True, security__privacy=True) as at:
        async with at.one.client("ann") as client:
            made = await client.submit(JobSpec(estimate_s=10))
        assert (await at.tcp.call(JOBS + "ListJobs", {"include_ended": True})).document.get("jobs", []) == []
        assert (await at.tcp.call(JOBS + "GetJob", {"job": {"id": made}})).status == 404
