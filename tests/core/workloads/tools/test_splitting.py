from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.tools.merging import merge
from molokini.workloads.tools.splitting import SPLITS, SplitRequest, split
from molokini.workloads.tools.whole import WholeLog, read_whole, write_whole
from tests.core.workloads.test_real_logs import COUNTS, KTH, at_hand
from tests.core.workloads.tools.small_logs import DATED, log_of, logs

WEEK_S = 7 * 86400


@given(logs(), st.sampled_from(sorted(SPLITS)), st.integers(0, 3), st.randoms(use_true_random=False))
def test_a_log_split_and_merged_again_is_the_log(log: WholeLog, by: str, seed: int, random: object) -> None:
    try:
        parts = list(split(log, by, SplitRequest(warm_up_s=10, seed=seed)).values())
    except BadInput:
        return  # one part, or no room for a warm-up
    assert sum(map(len, parts)) == len(log)
    random.shuffle(parts)  # type: ignore[attr-defined]
    back = merge(parts)
    assert back.parts
    assert back.warnings == ()
    assert back.log.records.tobytes() == log.records.tobytes()
    assert back.log.header == log.header


def test_parts_are_those_of_the_calendar() -> None:
    # The log begins on a Monday at 14:00:31; the next week in local time begins 6 days and 9:59:29 later.
    sunday = 6 * 86400 + 9 * 3600 + 59 * 60 + 28
    log = log_of({"submit_s": 0}, {"submit_s": sunday}, {"submit_s": sunday + 1}, {"submit_s": 3 * WEEK_S})
    parts = split(log, "week", SplitRequest())
    assert {name: part.column("number").tolist() for name, part in parts.items()} == {
        "week-1": [1, 2],
        "week-2": [3],
        "week-4": [4],
    }
    assert (
        "part 2 of 3 of built, split by molokini: week 2 of 4 (Europe/Stockholm)"
        in parts["week-2"].header.lines[-1]
    )
    months = split(log, "month", SplitRequest())
    assert [len(part) for part in months.values()] == [3, 1]  # October begins in the second week


def test_warm_up_and_cool_down() -> None:
    log = log_of(*({"submit_s": submit} for submit in (0, 9, 10, 50, 90, 91, 100)))
    parts = split(log, "ends", SplitRequest(warm_up_s=10, cool_down_s=10))
    assert [part.column("submit_s").tolist() for part in parts.values()] == [[0, 9], [10, 50, 90], [91, 100]]
    with pytest.raises(BadValue, match="warm-up"):
        split(log, "ends", SplitRequest())
    with pytest.raises(BadValue, match="warm-up"):
        split(log, "ends", SplitRequest(warm_up_s=60, cool_down_s=60))


def test_users_stay_together_and_the_seed_draws_them() -> None:
    log = log_of(*({"submit_s": row, "user": row % 10} for row in range(100)))
    one, other = split(log, "users", SplitRequest(share=0.3)).values()
    assert len(set(one.column("user"))) == 3
    assert not set(one.column("user")) & set(other.column("user"))
    drawn = {
        tuple(next(iter(split(log, "users", SplitRequest(seed=seed)).values())).column("user"))
        for seed in range(9)
    }
    assert len(drawn) > 1


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0, float("nan")])
def test_a_share_is_between_nothing_and_all(share: float) -> None:
    with pytest.raises(BadValue, match="share"):
        split(log_of({}, {}), "share", SplitRequest(share=share))


def test_missing_and_repeated_parts_are_told() -> None:
    log = log_of(*({"submit_s": row * WEEK_S} for row in range(4)))
    parts = list(split(log, "week", SplitRequest()).values())
    some = merge(parts[1:3])
    assert "2 of them: 2, 3" in some.warnings[0]
    assert "parts 2, 3 of 4" in some.log.header.lines[-1]
    with pytest.raises(BadInput, match="given twice"):
        merge([parts[0], parts[0]])
    with pytest.raises(BadInput, match="two logs or more"):
        merge(parts[:1])


def test_different_logs_get_one_clock_and_numbers_of_their_own() -> None:
    one = log_of(
        {"number": 5, "submit_s": 100, "user": 1, "queue": 0},
        {"number": 9, "submit_s": 300, "user": 2, "queue": 2, "preceding": 5},
        name="one.swf",
    )
    later = [line.replace("843480031", "843480131") for line in DATED]
    two = log_of(
        {"number": 5, "submit_s": 100, "user": 1, "queue": 1},
        {"number": 6, "submit_s": 100, "user": -1, "preceding": 5},
        {"number": 7, "submit_s": 101, "user": 1, "preceding": 4},
        header=later,
        name="two.swf",
    )
    found = merge([one, two], processors=128)
    log = found.log
    assert not found.parts
    assert log.column("number").tolist() == [1, 2, 3, 4, 5]
    assert log.column("submit_s").tolist() == [100, 200, 200, 201, 300]
    assert log.column("user").tolist() == [1, 3, -1, 3, 2]
    assert log.column("queue").tolist() == [0, 3, -1, -1, 2]
    assert log.column("preceding").tolist() == [-1, -1, 2, -1, 1]
    assert log.machine == 128
    assert found.warnings == ("1 records follow a job that is in none of the logs; they follow none now",)
    assert log.header.first("UnixStartTime") == "843480031"


def test_other_clocks_and_zones_are_warned_of() -> None:
    one = log_of({"submit_s": 5})
    silent = log_of({"submit_s": 7}, header=("; MaxProcs: 8",), name="silent.swf")
    assert "silent.swf: the header does not say when second 0 was" in merge([one, silent]).warnings[0]
    abroad = [line.replace("Europe/Stockholm", "US/Pacific") for line in DATED]
    found = merge([one, log_of({"submit_s": 5}, header=abroad, name="abroad.swf")])
    assert "different time zones (built.swf Europe/Stockholm, abroad.swf US/Pacific)" in found.warnings[0]
    same_name = merge([one, log_of({"submit_s": 5}, header=abroad)])
    assert "different time zones (built.swf Europe/Stockholm, built.swf US/Pacific)" in same_name.warnings[0]
    years = [line.replace("843480031", "943480031") for line in DATED]
    far = log_of({"submit_s": 5}, header=years)
    assert "do not overlap in time: 1,157.4 days" in merge([one, far]).warnings[0]
    together = merge([one, far], align=True)
    assert [row[1] for row in together.log.records.tolist()] == [0, 0]
    assert together.warnings == ()  # it was asked for
    assert together.log.header.first("UnixStartTime") is None


def test_the_machine_is_the_sum_unless_it_is_one() -> None:
    small = log_of({}, header=("; Computer: A", "; MaxProcs: 8", "; UnixStartTime: 843480031"))
    large = log_of({}, header=("; Computer: A", "; MaxProcs: 16", "; UnixStartTime: 843480031"))
    other = log_of({}, header=("; Computer: B", "; MaxProcs: 16", "; UnixStartTime: 843480031"))
    assert merge([small, large]).log.machine == 16
    assert merge([small, other]).log.machine == 24


@pytest.mark.parametrize("name", [KTH, "NASA-iPSC-1993-3.1-cln.swf.gz"])
def test_real_logs_split_by_month_through_files(name: str, tmp_path: Path) -> None:
    log = read_whole(at_hand(name))
    parts = split(log, "month", SplitRequest())
    for part_name, part in parts.items():
        write_whole(part, tmp_path / f"{part_name}.swf")
    back = merge([read_whole(tmp_path / f"{part_name}.swf") for part_name in reversed(parts)])
    assert np.array_equal(back.log.records, log.records)
    assert back.log.header == log.header


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("name", COUNTS)
def test_real_logs_split_by_week(name: str) -> None:
    log = read_whole(at_hand(name))
    back = merge(list(split(log, "week", SplitRequest()).values()))
    assert np.array_equal(back.log.records, log.records)
    assert back.log.header == log.header
