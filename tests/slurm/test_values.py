"""Values of slurm.conf: times round up to minutes, sizes are megabytes, ranges keep their zeros."""

import math

import pytest

from molokini.slurm.node_names import hosts, in_order, packed
from molokini.slurm.values import amounts, memory_mb, minutes_s, span_s, weights, whole, words


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("90", 90),
        ("90:30", 91),
        ("1:30:00", 90),
        ("1-0", 1440),
        ("0:40", 1),
        ("2-3:4", 3064),
        ("INFINITE", math.inf),
    ],
)
def test_time_limits_are_whole_minutes_rounded_up(text: str, minutes: float) -> None:
    """Worked case 28 of the reference."""
    assert minutes_s(text) == minutes * 60


@pytest.mark.parametrize("text", ["", "soon", "1:2:3:4", "-5"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        span_s(text, minutes=True)


def test_seven_are_minutes_and_seven_dash_zero_are_days() -> None:
    assert (span_s("7", minutes=True), span_s("7-0", minutes=True)) == (420, 7 * 86_400)


def test_sizes_and_amounts() -> None:
    assert (memory_mb("2G"), memory_mb("512"), memory_mb("UNLIMITED")) == (2048, 512, math.inf)
    assert amounts("cpu=4,mem=1T,gres/gpu=2,node=-1") == (("cpu", 4.0), ("mem", 1024.0**2), ("gres/gpu", 2.0))
    assert weights("CPU=1000,Mem=0.25G,GRES/gpu=-3") == (
        ("cpu", 1000.0),
        ("mem", 0.25 / 1024),
        ("gres/gpu", -3.0),
    )
    with pytest.raises(ValueError, match="cpu"):
        amounts("cpu")


def test_numbers_have_a_range() -> None:
    assert whole(0, 5, endless=True).read("UNLIMITED") == -1
    for text in ("6", "-2", "x", "1.5"):
        with pytest.raises(ValueError, match=r".*"):
            whole(0, 5).read(text)
    assert words("OFF", "GANG").read("gang,off") == {"gang", "off"}


def test_names_of_nodes() -> None:
    assert hosts("tux[001-003,7],io1") == ["tux001", "tux002", "tux003", "tux7", "io1"]
    assert hosts("r[1-2]n[01-02]") == ["r1n01", "r1n02", "r2n01", "r2n02"]
    assert in_order(["n10", "n2", "gpu1", "n1"]) == ["gpu1", "n1", "n2", "n10"]
    assert packed(["n01", "n02", "n03", "n07", "io"]) == "n[01-03,07],io"
    assert hosts(packed(["a1", "a2", "b5"])) == ["a1", "a2", "b5"]
