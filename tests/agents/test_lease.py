"""How long an agent may go on without a word."""

from molokini.agents.lease import Lease


def test_there_is_none_before_a_welcome() -> None:
    assert not Lease().over(1e12)


def test_it_counts_from_the_last_heartbeat_before_the_word() -> None:
    lease = Lease()
    lease.beat(100.0)
    lease.grant(30.0)
    assert not lease.over(129.9)
    lease.beat(110.0)
    assert lease.ends_s == 130.0, "a heartbeat alone proves nothing"
    lease.renew()
    assert lease.ends_s == 140.0
    assert lease.over(140.0)


def test_words_read_late_do_not_prolong_it() -> None:
    lease = Lease()
    lease.beat(100.0)
    lease.grant(30.0)
    # Stopped from 101 to 129; then words of the time before are read from a buffer.
    lease.renew()
    assert lease.over(130.0)


def test_none_is_none() -> None:
    lease = Lease()
    lease.beat(0.0)
    lease.grant(0.0)
    assert not lease.over(1e12)


def test_after_its_end_there_is_none_until_the_next_welcome() -> None:
    lease, told = Lease(), list[float]()
    lease.watch(told.append)
    lease.beat(100.0)
    assert told == [], "no word has come"
    lease.grant(30.0)
    lease.drop()
    lease.beat(200.0)
    lease.renew()
    assert not lease.over(1e12)
    lease.grant(10.0)
    assert lease.over(210.0)
    assert told == [130.0, float("inf"), 210.0]
