"""One server and one browser for each file of these tests."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from molokini.proto.v1.agent_service_pb2 import NodeOffer
from tests.kit.browser import Hosted, chromium
from tests.kit.page_world import fill
from tests.kit.serving import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NODES = NodeOffer(names="node[001-060]", processors=8)


class At:
    """A server with a page, and the browser that looks at it."""

    def __init__(self, hosted: Hosted[Served], browser: "Browser") -> None:
        self.hosted, self.browser = hosted, browser
        self.one = hosted.one
        assert self.one.server.gateway is not None
        self.gateway = self.one.server.gateway
        self.origin = f"http://127.0.0.1:{self.gateway.port}"

    def link(self) -> str:
        """The address that logs the owner in."""
        return f"{self.origin}/{self.gateway.page.link()}"

    def page(self, width: int = 1400, scheme: Any = "light") -> "Page":
        """A page of a new browser's profile; what it logs as an error fails the test at its end."""
        context = self.browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        made = context.new_page()
        made.set_default_timeout(20_000)
        made.on("pageerror", lambda error: self.errors.append(str(error)))
        made.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        return made

    def logged_in(self, view: str = "now", **more: Any) -> "Page":
        """A page that its owner looks at, all jobs loaded."""
        made = self.page(**more)
        made.goto(self.link())
        made.wait_for_selector("body[data-complete=true]")
        made.goto(f"{self.origin}/#/{view}")
        return made

    errors: list[str]

    def call(self, method: str, message: dict[str, Any] | None = None) -> Any:
        """What the gateway answers to the server's owner."""
        from tests.kit.web import Web

        token = self.one.server.security.token_file
        assert token is not None
        web = Web(port=self.gateway.port).with_token(token.read_text().strip())
        return self.hosted.do(web.call(f"/molokini.v1.{method}", message or {})).document


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[Served]:
    """The server."""
    async with served(folder, policy="easy", offers=[NODES], web__listen="127.0.0.1:0") as one:
        await fill(one)
        yield one


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[At]:
    with chromium() as browser, Hosted(lambda: world(tmp_path_factory.mktemp("page"))) as hosted:
        yield At(hosted, browser)


@pytest.fixture
def at(shared: At) -> Iterator[At]:
    shared.errors = []
    yield shared
    for context in shared.browser.contexts:
        context.close()
    assert shared.errors == []
