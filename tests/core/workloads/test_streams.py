import pytest

from molokini.model.errors import BadValue
from molokini.workloads.streams import Streams


def test_a_stream_depends_on_the_seed_and_its_name_alone() -> None:
    streams = Streams(3)
    first = streams.of("sizes").random(5)
    streams.of("runs").random(1000)
    assert (streams.of("sizes").random(5) == first).all()
    assert (Streams(3).of("sizes").random(5) == first).all()
    assert (Streams(4).of("sizes").random(5) != first).all()
    assert (streams.of("runs").random(5) != first).all()


def test_the_bits_are_those_of_any_machine() -> None:
    """What numpy guarantees: the bits of Philox and of its seeds."""
    assert Streams(1).of("gaps").bit_generator.random_raw(2).tolist() == [
        *(12150142464397627144, 10060842667419212794)
    ]


def test_a_seed_below_zero_is_refused() -> None:
    with pytest.raises(BadValue, match="seed"):
        Streams(-1)


def test_streams_of_a_part_are_others() -> None:
    streams = Streams(3)
    part = streams.under("bursts")
    assert (part.of("gaps").random(5) == Streams(3).under("bursts").of("gaps").random(5)).all()
    assert (part.of("gaps").random(5) != streams.of("gaps").random(5)).all()
    assert (part.under("more").of("gaps").random(5) != part.of("gaps").random(5)).all()
