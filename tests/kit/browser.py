"""Debian's Chromium, driven by Playwright, beside a server that runs in a thread; nothing is downloaded."""

import asyncio
import shutil
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

T = TypeVar("T")
LONGEST_S = 120.0
CHROMIUM = shutil.which("chromium")
FLAGS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")


@contextmanager
def chromium() -> Iterator["Browser"]:
    """The browser; without it, or its driver, the test is skipped by name."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (make system)")
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with driver.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def until(page: "Page", expression: str, deadline_s: float = 30.0) -> None:
    """Wait until *expression* is true in the page; it is asked from outside, where its policy has no say."""
    end_s = time.monotonic() + deadline_s
    while not page.evaluate(expression):
        assert time.monotonic() < end_s, f"never true: {expression}"
        page.wait_for_timeout(30)


class Hosted(Generic[T]):
    """What an asynchronous context gives, in a thread with a loop of its own."""

    def __init__(self, make: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._make = make
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self.one: T
        self._thread = threading.Thread(target=self._run, name="hosted")

    def __enter__(self) -> "Hosted[T]":
        self._thread.start()
        assert self._ready.wait(LONGEST_S), "it does not start"
        if self._failed is not None:
            self._thread.join(LONGEST_S)
            raise self._failed
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(LONGEST_S)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        try:
            async with self._make() as self.one:
                self._ready.set()
                await self._over.wait()
        except BaseException as error:
            self._failed = error
            self._ready.set()

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Have the loop do *work*, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(LONGEST_S)
