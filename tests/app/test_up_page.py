"""``molokini up`` says where the page is, and its link logs in."""

import re
from pathlib import Path

from molokini.app.up import page_of
from tests.kit.serving import served
from tests.kit.web import Web


async def test_the_address_of_the_page_has_a_code_that_logs_its_owner_in(tmp_path: Path) -> None:
    async with served(tmp_path, web__listen="127.0.0.1:0") as one:
        found = re.fullmatch(r"(http://127\.0\.0\.1:(\d+))/#login=([\w-]{32})", page_of(one.server))
        assert found is not None
        web = Web(port=int(found[2]))
        headers = {"Host": found[1].removeprefix("http://"), "Origin": found[1]}
        answered = await web.call("/login", {"code": found[3]}, **headers)
        assert answered.document["role"] == "administrator"


async def test_an_open_server_needs_no_code_and_one_without_http_has_no_page(tmp_path: Path) -> None:
    async with served(tmp_path / "a", web__listen="127.0.0.1:0", security__mode="open") as one:
        assert page_of(one.server).endswith("/")
        gateway = one.server.gateway
        assert gateway is not None
        told = (await Web(port=gateway.port).call("/session", verb="GET")).document
        assert told["role"] == "administrator"
    async with served(tmp_path / "b") as one:
        assert page_of(one.server) == ""
