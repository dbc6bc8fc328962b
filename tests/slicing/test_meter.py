"""How long threads have computed and waited: this process looks at itself."""

import os
import threading
import time
from collections.abc import Iterator

import pytest

from molokini.slicing.meter import MOST_THREADS, Meter

NS = 1_000_000_000


@pytest.fixture
def meter() -> Iterator[Meter]:
    made = Meter()
    yield made
    made.close()


def compute(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_what_was_computed_since_the_last_look(meter: Meter) -> None:
    meter.follow([os.getpid()])
    began, computed = time.monotonic(), time.process_time()
    compute(0.05)
    spent = meter.spent()
    elapsed_s, computed_s = time.monotonic() - began, time.process_time() - computed
    assert 0.05 - 0.01 <= spent.ran_most / NS <= computed_s + 0.01
    assert spent.ran_most <= spent.ran
    assert 0 <= spent.waited_most / NS <= elapsed_s + 0.01
    # What a thread has waited is no part of what it has computed.
    assert (spent.ran_most + spent.waited_most) / NS <= elapsed_s + 0.01
    assert meter.spent().ran / NS <= time.process_time() - computed - 0.04


def test_threads_that_end_and_begin(meter: Meter) -> None:
    over = threading.Event()
    meter.follow([os.getpid()])
    before = len(meter._files)
    thread = threading.Thread(target=over.wait)
    thread.start()
    meter.follow([os.getpid()])
    assert len(meter._files) == before + 1
    over.set()
    thread.join()
    while os.path.exists(f"/proc/{os.getpid()}/task/{thread.native_id}"):
        time.sleep(0.001)
    meter.follow([os.getpid()])
    assert len(meter._files) == before
    assert before <= MOST_THREADS


def test_a_process_that_has_gone_has_spent_nothing(meter: Meter) -> None:
    meter.follow([2**22 + 1])
    assert (meter.spent().ran, meter.spent().ran_most, meter.spent().waited_most) == (0, 0, 0)
