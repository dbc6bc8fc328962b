"""Work in a thread beside the event loop; unlike one of a pool it does not hold up the end of the process."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context


async def aside(work: Callable[[], None], name: str) -> None:
    """Have a thread called *name* do *work*; what it raises is raised here."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()

    def settle(error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def run() -> None:
        failed: BaseException | None = None
        try:
            work()
        except BaseException as error:
            failed = error
        # The loop may have ended meanwhile: then no caller waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, failed)

    context = copy_context()
    threading.Thread(target=lambda: context.run(run), name=name, daemon=True).start()
    await done
