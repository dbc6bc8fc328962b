"""What a page of another site can make a browser send is refused; what programs send is not."""

from pathlib import Path
from typing import Any

import pytest

from tests.kit.web import JOBS
from tests.server.security.kit import Town
from tests.server.web.conftest import Gatewayed, gatewayed

LIST = JOBS + "ListJobs"


async def asked(at: Gatewayed, **headers: str) -> tuple[int, str]:
    """The status, and the text of a refusal, of a call over HTTP with a good token."""
    token = at.one.token("ann")
    found = await at.tcp.with_token(token).call(LIST, {}, **headers)
    return found.status, "" if found.status == 200 else found.error["message"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Host": "localhost"},
        {"Host": "LOCALHOST:8080"},
        {"Host": "127.0.0.1:1"},
        {"Host": "[::1]:8080"},
        {"Host": "10.1.2.3"},
        {"Content_Type": "application/json; charset=utf-8"},
        {"Content_Type": "application/x-ndjson"},
        {"Host": "localhost:1", "Origin": "http://localhost:1"},
        {"Sec_Fetch_Site": "same-origin"},
        {"Sec_Fetch_Site": "none"},
    ],
    ids=str,
)
async def test_what_programs_send_is_taken(at: Gatewayed, headers: dict[str, str]) -> None:
    assert await asked(at, **headers) == (200, "")


@pytest.mark.parametrize(
    ("headers", "text"),
    [
        ({"Origin": "http://evil.example"}, "a page of another site"),
        ({"Origin": "null"}, "a page of another site"),
        ({"Origin": "http://localhost:2", "Host": "localhost:1"}, "a page of another site"),
        ({"Origin": "http://[", "Host": ""}, "a page of another site|under a name"),
        ({"Sec_Fetch_Site": "cross-site"}, "a page of another site"),
        ({"Sec_Fetch_Site": "same-site"}, "a page of another site"),
        ({"Host": "evil.example"}, "a plain connection under a name"),
        ({"Host": "localhost.evil.example"}, "a plain connection under a name"),
        ({"Host": "127.0.0.1.evil.example"}, "a plain connection under a name"),
        ({"Host": "evil@localhost.x"}, "a plain connection under a name"),
        ({"Host": "["}, "a plain connection under a name"),
        ({"Host": ""}, "a plain connection under a name"),
        ({"Origin": "http://evil.example", "Host": "evil.example"}, "a plain connection under a name"),
    ],
    ids=str,
)
async def test_what_a_page_can_send_is_refused(at: Gatewayed, headers: dict[str, str], text: str) -> None:
    status, said = await asked(at, **headers)
    assert status == 403
    assert any(part in said for part in text.split("|"))


async def test_a_page_is_told_of_no_permission(at: Gatewayed) -> None:
    """The question that a browser asks before it sends JSON for another site."""
    asked: Any = {"Origin": "http://evil.example", "Access_Control_Request_Method": "POST"}
    for verb in ("OPTIONS", "GET", "PUT", "DELETE"):
        found = await at.tcp.call(LIST, b"", verb=verb, **asked)
        assert found.status in (403, 405)
        assert not any(name.startswith("access-control") for name in found.headers)


async def test_no_page_reaches_the_socket_so_it_asks_for_less(at: Gatewayed) -> None:
    """curl says that it sends a form unless it is told otherwise."""
    found = await at.web.call(LIST, {}, Content_Type="application/x-www-form-urlencoded", Host="molokini")
    assert found.status == 200


async def test_a_certificate_speaks_for_its_name(tmp_path: Path) -> None:
    import ssl

    town = Town(tmp_path)
    async with gatewayed(tmp_path, **town.settings("tls")) as at:
        at.tcp.context = ssl.create_default_context(cadata=town.authority.pem.certificate.decode())
        assert (await asked(at, Host="head.cluster.example"))[0] == 200
        assert (await asked(at, Host="head.example", Origin="https://evil.example"))[0] == 403


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "application/jsonx",
    ],
)
async def test_a_body_that_is_not_said_to_be_json_is_not_read(at: Gatewayed, kind: str) -> None:
    wanted = "Content-Type must be application/json, or application/x-ndjson for a message a line"
    assert await asked(at, Content_Type=kind) == (415, wanted)


async def test_a_path_that_there_is_not_is_not_found_whatever_the_body_is(at: Gatewayed) -> None:
    for verb, headers in (("GET", {}), ("POST", {"Content_Type": "text/plain"})):
        found = await at.tcp.call("/nope", b"", verb=verb, **headers)
        assert found.status == 404
        assert found.error["message"].startswith("no such method; ")
    assert (await at.tcp.call(LIST, b"", verb="GET")).status == 405
