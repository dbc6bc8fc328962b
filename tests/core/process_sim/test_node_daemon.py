"""The daemon of a real node decides by the simulated hook; a recorded stream gives the same decisions."""

from random import Random

import pytest

from molokini.compiled.compilation import interpreted
from molokini.process_sim.node_daemon import Asked, NodeDaemon, serve_again
from molokini.process_sim.policies import message_driven
from molokini.process_sim.replaying import engine_parts
from molokini.process_sim.scenario import S
from molokini.process_sim.scheduler_daemon import Answer


def test_h14_of_a_real_node() -> None:
    daemon = NodeDaemon()
    assert daemon.register("1", 11, 0) is Answer.SCHEDULED
    assert daemon.register("2", 21, 0) is Answer.DONE
    assert (daemon.share("1"), daemon.share("2")) == (99, 1)
    assert daemon.schedule("2", 21, 3 * S) is Answer.DISCARDED
    assert daemon.schedule("2", 21, 6 * S) is Answer.SCHEDULED
    assert (daemon.share("1"), daemon.share("2")) == (1, 99)
    assert daemon.schedule("1", 11, 8 * S) is Answer.DISCARDED
    assert daemon.switch(15 * S, {"1": 6_030_000_000, "2": 8_970_000_000}) is Answer.SCHEDULED
    assert daemon.scheduled == "1"
    assert daemon.schedule("2", 21, 20 * S - 1) is Answer.DISCARDED
    assert daemon.schedule("2", 21, 20 * S) is Answer.SCHEDULED
    assert daemon.leave("2", 21, 25 * S, {"1": 1, "2": 2}) is Answer.SCHEDULED
    assert (daemon.scheduled, daemon.jobs, daemon.share("1")) == ("1", ["1"], 100)


def test_who_is_not_registered_and_who_is_one_too_many_is_refused() -> None:
    daemon = NodeDaemon()
    assert daemon.schedule("1", 11, 0) is Answer.REFUSED
    found = [daemon.register(str(k), k, k) for k in range(101)]
    assert found[:100] == [Answer.SCHEDULED, *[Answer.DONE] * 99]
    assert found[100] is Answer.REFUSED
    assert daemon.share("0") == 1
    assert daemon.leave("99", 99, 200, {}) is Answer.DONE
    assert daemon.register("100", 100, 201) is Answer.DONE


def recorded(seed: int) -> list[Asked]:
    """A stream of requests by chance, as a node with a few jobs sees it."""
    dice, daemon, found = Random(seed), NodeDaemon(), list[Asked]()
    daemon.record = found.append
    at, spent = 0, dict.fromkeys("abc", 0)
    alive: dict[int, str] = {}
    for process in range(400):
        at += dice.randrange(S)
        for job in spent:
            spent[job] += dice.randrange(S)
        kind = dice.choice(("register", "leave", "schedule", "schedule", "schedule", "switch"))
        if kind == "register" or not alive:
            alive[process] = dice.choice("abc")
            daemon.register(alive[process], process, at)
            continue
        one = dice.choice(sorted(alive))
        if kind == "leave":
            daemon.leave(alive.pop(one), one, at, dict(spent))
        elif kind == "schedule":
            daemon.schedule(alive[one], one, at)
        else:
            daemon.switch(at, dict(spent))
    return found


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_a_recorded_stream_gives_the_same_decisions(compiled: bool) -> None:
    if compiled and interpreted():
        pytest.skip("nothing is compiled")
    policy = engine_parts(message_driven.policy, stamped=True)[3] if compiled else message_driven.policy
    stream = recorded(5)
    assert {one.answer for one in stream} >= {"done", "scheduled", "discarded", "present"}
    assert serve_again(stream, policy=policy) == stream
