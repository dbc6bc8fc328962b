"""The recorded runs of the real Slurm are replayed as near as promised; and how distances are judged."""

from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from benchmarks.fidelity.__main__ import RUNS, judged, ours_of, together_of
from benchmarks.fidelity.judging import Distance, is_near, most_relative, starts_are_near
from benchmarks.fidelity.recording import all_ranked
from benchmarks.fidelity.replaying import known_phases, replayed
from benchmarks.fidelity.stream import stream
from molokini.experiments import simulate

PAIR, EARLY, BUSY = (
    [RUNS / f"{name}-{place}.tar.gz" for place in (1, 2)] for name in ("fidelity", "early", "busy")
)
CALM = [*PAIR, *EARLY, RUNS / "logged.tar.gz"]
REAL = Distance("real", 300, 100.0, 101.0, -5.0, 0.0, 5.0, 0.99, 0.98)
PROMPT: dict[str, object] = {"end_pass": "at_once", "completing_s": 0.0}


def test_a_recorded_pair_is_replayed_as_near_as_promised() -> None:
    found = judged(PAIR)
    assert [one.jobs for one in (found.real, *found.ours)] == [300, 300, 300]
    assert found.near, [one.row for one in (found.real, *found.ours)]
    assert found.real.within == pytest.approx(0.853, abs=0.001)
    assert all(one.within > found.real.within - 0.03 for one in found.ours)
    assert all(one.tau > 0.96 for one in found.ours)


def test_all_runs_of_a_stream_together_are_as_near_as_slurm_to_itself() -> None:
    """One run is a draw of chance, in the real one as here: five of them say more of a few percent."""
    ours = ours_of(CALM)
    found = together_of(CALM, ours)
    assert abs(found.relative) < 0.035, [one.row for one in ours]
    assert found.real_relative == pytest.approx((0.011, 0.076, 0.167), abs=0.001)
    assert abs(found.relative) < found.real_relative[1] / 2
    assert found.real_within == pytest.approx(0.887, abs=0.001)
    assert found.within > found.real_within - 0.03
    assert fmean(one.tau for one in ours) > 0.97


@pytest.mark.parametrize("pack", BUSY, ids=["busy-1", "busy-2"])
def test_a_stream_that_is_always_late_lies_between_queued_passes_and_passes_at_once(pack: Path) -> None:
    """Its machine had a load of 20: how many ends were reported, and followed at once, no log tells."""
    (queued,) = ours_of([pack])
    at_once = simulate(str(pack), policy="slurm", set=PROMPT).document["fidelity"]["mean_wait_s"]
    assert at_once["simulated"] < at_once["recorded"] == queued.wait_s < queued.other_wait_s


def test_the_log_tells_the_phases_of_timers() -> None:
    """The pair began right after a calculation, the early runs 50 s before the first one with users."""
    assert known_phases(PAIR[0]) == {"backfill_phase_s": -9.5, "priority_phase_s": 0.0}
    assert known_phases(PAIR[1]) == {"backfill_phase_s": -8.5, "priority_phase_s": 0.0}
    assert known_phases(EARLY[1])["priority_phase_s"] == 50.0


def test_priorities_of_submissions_are_those_of_the_log() -> None:
    for pack in (*PAIR, CALM[-1]):
        told = replayed(pack, 1)["priorities"]
        assert told["jobs"] > 200
        assert told["equal_share"] > 0.9


@pytest.mark.parametrize(
    ("real", "wait_s", "near"),
    [
        (REAL, 102.9, True),
        (REAL, 96.9, False),
        (replace(REAL, other_wait_s=96.0), 105.9, True),
        (replace(REAL, other_wait_s=96.0), 106.1, False),
    ],
)
def test_near_is_three_percent_or_half_as_much_again_as_the_real_one(
    real: Distance, wait_s: float, near: bool
) -> None:
    assert is_near(replace(REAL, other_wait_s=wait_s), real) is near
    assert most_relative(real) >= 0.03


def test_nine_tenths_of_starts_are_near() -> None:
    assert starts_are_near(replace(REAL, within=0.9))
    assert not starts_are_near(replace(REAL, within=0.89))


def test_a_stream_begins_when_every_user_has_a_factor() -> None:
    """The user root is there from the start of the cluster, and has one a minute before the others."""
    others = ("daemon", "bin", "sys", "games", "man", "lp")
    early = "root|1.000000\n|\n" + "".join(f"  {user}|0.000000\n" for user in others)
    assert not all_ranked(early)
    assert not all_ranked("root|1.000000\n  daemon|1.000000\n")
    assert all_ranked(early.replace("0.000000", "0.714286"))


def test_the_stream_is_of_its_seed() -> None:
    acts = stream()
    assert acts == stream()
    assert acts != stream(seed=1)
    assert [act.at_s for act in acts] == sorted(act.at_s for act in acts)
    elements = [word for act in acts for word in act.command if word.startswith("--array=1-")]
    plain = sum(act.command[0] == "sbatch" for act in acts) - len(elements)
    assert plain + sum(int(word.removeprefix("--array=1-")) for word in elements) == 300
