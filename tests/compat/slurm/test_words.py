"""What Slurm's users write, and what is shown to them: times, sizes, nodes, numbers, arrays."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.compat.columns import line
from molokini.compat.job import Job
from molokini.compat.slurm import arrays, dependencies, hosts, ids, sizes, states, times
from molokini.compat.slurm.formats import lettered, named
from molokini.compat.slurm.patterns import batch_path, replaced
from molokini.compat.slurm.signals import number_of
from molokini.supervisor.batch_variables import compressed as compressed_by_nodes
from molokini.supervisor.batch_variables import system_variables
from molokini.supervisor.patterns import filled, values_of


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5", 300),
        ("0:5:0", 300),
        ("90:30", 5430),
        ("00:05:00", 300),
        ("1-2", 93600),
        ("1-2:30", 95400),
        ("1-02:03:04", 93784),
        ("0", times.INFINITE_S),
        ("UNLIMITED", times.INFINITE_S),
        ("infinite", times.INFINITE_S),
    ],
)
def test_a_time_limit_is_minutes_or_a_clock(text: str, seconds: float) -> None:
    assert times.limit_s(text) == seconds


@pytest.mark.parametrize("text", ["", "x", "-5", "1:2:3:4", "1-", "-1-2", "1.5", "1-2:x", "٣"])
def test_what_is_no_time_limit(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        times.limit_s(text)


@pytest.mark.parametrize(
    ("seconds", "short", "long"),
    [
        (0, "0:00", "00:00:00"),
        (65, "1:05", "00:01:05"),
        (3725, "1:02:05", "01:02:05"),
        (90061, "1-01:01:01", "1-01:01:01"),
    ],
)
def test_how_durations_are_shown(seconds: float, short: str, long: str) -> None:
    assert (times.duration(seconds), times.long_duration(seconds)) == (short, long)


def test_processor_time_has_thousandths_below_an_hour() -> None:
    assert times.processor_time(61.5) == "01:01.500"
    assert times.processor_time(3661) == "01:01:01"


@pytest.mark.parametrize(
    ("text", "away"),
    [("now", 0), ("now+1hour", 3600), ("now-2days", -172800), ("now+30", 30), ("now + 5minutes", 300)],
)
def test_instants_from_now(text: str, away: float) -> None:
    assert times.instant(text, 1e9) == 1e9 + away


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-11-18T10:00", "2026-11-18T10:00:00"),
        ("2026-11-18T10:00:07", "2026-11-18T10:00:07"),
        ("2026-11-18", "2026-11-18T00:00:00"),
        ("111826", "2026-11-18T00:00:00"),
        ("11/18/26", "2026-11-18T00:00:00"),
        ("11/18/26-10:00", None),
        ("2026-02-30", None),
        ("2026-13-01", None),
        ("25:00", None),
        ("now+1parsec", None),
        ("yesterday", None),
    ],
)
def test_instants_by_date(text: str, shown: str | None) -> None:
    if shown is None:
        with pytest.raises(ValueError, match=r".*"):
            times.instant(text, 1e9)
    else:
        assert times.shown(times.instant(text, 1e9)) == shown


def test_a_time_of_day_that_has_passed_is_tomorrows_where_it_lies_ahead() -> None:
    noon = time.mktime((2026, 11, 18, 12, 0, 0, 0, 0, -1))
    assert times.instant("11:00", noon) == noon - 3600
    assert times.instant("11:00", noon, ahead=True) == noon + 23 * 3600
    assert times.instant("today", noon) == noon - 12 * 3600


def test_times_are_shown_as_the_environment_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    at_s = time.mktime((2026, 11, 18, 12, 0, 0, 0, 0, -1))
    assert times.shown(None, "Unknown") == "Unknown"
    monkeypatch.setenv("SLURM_TIME_FORMAT", "%d.%m.%y")
    assert times.shown(at_s) == "18.11.26"
    monkeypatch.setenv("SLURM_TIME_FORMAT", "relative")
    assert times.shown(at_s) == "18 Nov 12:00"


@pytest.mark.parametrize(
    ("text", "kb"),
    [
        ("100", 102400),
        ("62K", 62),
        ("382M", 391168),
        ("0.2GB", 209716),
        ("200MB", 204800),
        ("1G", 1048576),
        ("4g", 4194304),
        ("0", 0),
        ("1T", 1 << 30),
    ],
)
def test_sizes_are_megabytes_unless_they_say(text: str, kb: int) -> None:
    assert sizes.kilobytes(text) == kb


@pytest.mark.parametrize("text", ["", "G", "-1", "1X", "1.5.2", "10 G B", "1e9", "NaN", "1" * 20])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        sizes.kilobytes(text)


@pytest.mark.parametrize(
    ("kb", "text"), [(0, "0"), (62, "62K"), (391168, "382M"), (1 << 20, "1G"), (3 << 19, "1.50G")]
)
def test_sizes_have_the_unit_that_fits(kb: int, text: str) -> None:
    assert sizes.shown(kb) == text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3,007]", ["n1", "n2", "n3", "n007"]),
        ("n[01-02]x[1,3],login", ["n01x1", "n01x3", "n02x1", "n02x3", "login"]),
    ],
)
def test_lists_of_hosts(text: str, names: list[str]) -> None:
    assert hosts.expanded(text) == names


@pytest.mark.parametrize("text", ["n[1-3", "n[a]", "n[1-]", "n[1-99999999]"])
def test_what_is_no_list_of_hosts(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        hosts.expanded(text)


@given(st.lists(st.sampled_from([f"n{k:03}" for k in range(40)] + ["login", "gpu7"]), unique=True))
def test_lists_of_hosts_can_be_read_again(names: list[str]) -> None:
    names.sort()
    assert sorted(hosts.expanded(hosts.compressed(names))) == names
    assert hosts.compressed(names) == compressed_by_nodes(names)


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("12", [{"id": 12}]),
        ("12_3,14", [{"id": 12, "array_index": 3}, {"id": 14}]),
        ("12_[1-2,5%2]", [{"id": 12, "array_index": k} for k in (1, 2, 5)]),
        ("12_*", [{"id": 12}]),
        ("12.batch", [{"id": 12}]),
        ("12_3.0", [{"id": 12, "array_index": 3}]),
    ],
)
def test_numbers_of_jobs(text: str, refs: list[dict[str, int]]) -> None:
    assert ids.refs(text) == refs


@pytest.mark.parametrize("text", ["x", "0", "-1", "12_x", "12_[1-", "1 2", "12_"])
def test_what_is_no_number_of_a_job(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        ids.refs(text)


@given(st.integers(1, 10**9 - 1), st.integers(0, 2**31 - 1))
def test_an_element_has_a_number_of_its_own(number: int, index: int) -> None:
    raw = ids.raw(number, index)
    # Launchers make ports of the last digits.
    assert raw % 10_000 != ids.raw(number, index + 1) % 10_000
    assert ids.refs(str(raw)) == [{"id": number, "array_index": index}]


def test_nodes_and_commands_agree_on_the_number_of_an_element() -> None:
    class Wish:
        job, index, name, user, queue, attempt, processors = 12, 3, "a", "ann", "batch", 1, 1
        nodes, node = [("n1", 1)], 0
        environment = {"MOLOKINI_FLAVOUR": "slurm", "MOLOKINI_JOB_NUMBER": "77"}  # noqa: RUF012

    wish: Any = Wish()
    told = system_variables(wish, "/none")
    assert told["SLURM_JOB_ID"] == "77"
    path = filled(batch_path("%j", True), values_of(12, 3, "ann", "a", "n1", "77"))
    assert path == told["SLURM_JOB_ID"]
    wish.environment.pop("MOLOKINI_JOB_NUMBER")
    assert system_variables(wish, "/none")["SLURM_JOB_ID"] == str(ids.raw(12, 3))


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("0-5%3", {"first": 0, "last": 5, "step": 1, "running_limit": 3}),
        ("1-4", {"first": 1, "last": 4, "step": 1}),
        ("0-15:4", {"first": 0, "last": 15, "step": 4}),
        ("7", {"first": 7, "last": 7, "step": 1}),
        ("1,3,5", {"first": 1, "last": 5, "step": 2}),
        ("1-2,3-4", {"first": 1, "last": 4, "step": 1}),
        ("0-999999999", {"first": 0, "last": 999999999, "step": 1}),
    ],
)
def test_arrays(text: str, spec: dict[str, int]) -> None:
    assert arrays.asked(text) == spec


@pytest.mark.parametrize(
    "text", ["5-1", "1-10:0", "1-2-3", "1,,2", "x", "", "1-3%x", "1-", "-1", "1,0-999999999"]
)
def test_what_is_no_array(text: str) -> None:
    with pytest.raises(ValueError, match=r"indices|per cent"):
        arrays.asked(text)


def test_elements_that_wait_are_shown_together() -> None:
    def left(array: dict[str, int], started: list[int]) -> str:
        return arrays.waiting(Job({"spec": {"array": array}}), started)

    assert left({"first": 0, "last": 5, "running_limit": 2}, [0, 1]) == "2-5%2"
    assert left({"first": 0, "last": 12, "step": 4}, [0]) == "4,8,12"
    assert left({"last": 4}, [2]) == "0-1,3-4"
    assert left({"last": 1}, [0, 1]) == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("afterok:12", [("AFTER_OK", 12)]),
        ("afterok:1,2", [("AFTER_OK", 1), ("AFTER_OK", 2)]),
        ("afterany:1:2,afternotok:3", [("AFTER_ANY", 1), ("AFTER_ANY", 2), ("AFTER_NOT_OK", 3)]),
        ("after:4,singleton", [("AFTER", 4), ("SINGLETON", None)]),
    ],
)
def test_dependencies(text: str, found: list[tuple[str, int | None]]) -> None:
    assert [(one["kind"], one.get("job_id")) for one in dependencies.asked(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "afterok",
        "afterok:",
        "afterok:x",
        "aftercorr",
        "afterok:1?afterok:2,afterok:3",
        "after:1+x",
        "afterok:1_",
        "afterok:12345678901",
        "expand:1",
        "12",
    ],
)
def test_what_is_no_dependency_here(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        dependencies.asked(text)


def test_dependencies_with_delays_elements_and_alternatives() -> None:
    found = dependencies.asked("after:1+5:2,aftercorr:3,afterok:4_7")
    assert found == [
        {"kind": "AFTER", "job_id": 1, "delay_s": 300.0},
        {"kind": "AFTER", "job_id": 2},
        {"kind": "AFTER_OK", "job_id": 3, "elementwise": True},
        {"kind": "AFTER_OK", "job_id": 4, "array_index": 7},
    ]
    words = "after:1+5(unfulfilled),after:2(unfulfilled),aftercorr:3_*(unfulfilled),afterok:4_7(unfulfilled)"
    assert dependencies.shown(found, True, {3}.__contains__) == words
    either = dependencies.asked("afterok:1?afternotok:2?singleton")
    assert [one["group"] for one in either] == [1, 1, 1]
    assert (
        dependencies.shown(either[:2], False, {3}.__contains__)
        == "afterok:1(fulfilled)?afternotok:2(fulfilled)"
    )


def test_lists_of_indices() -> None:
    assert arrays.asked("1,3,5-7%2") == {"indices": [1, 3, 5, 6, 7], "running_limit": 2}
    assert arrays.asked("5,1,3") == {"first": 1, "last": 5, "step": 2}
    assert waiting_of({"indices": [1, 3, 7]}) == "1,3,7"


def waiting_of(array: dict[str, Any]) -> str:
    return arrays.waiting(Job({"id": 1, "spec": {"array": array}}), ())


FIELDS: dict[str, Any] = {"i": ("JOBID", lambda v: v[0]), "j": ("NAME", lambda v: v[1])}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("%i %j", "12 a long name"),
        ("%.5i|%.4j|", "   12|a lo|"),
        ("%5i%6j", "12   a long"),
        ("<%i^^^%j>", "<12^^^a long name>"),
        ("no columns", "no columns"),
    ],
)
def test_columns_by_letters(form: str, text: str) -> None:
    unknown: list[str] = []
    prefix, columns = lettered(form, FIELDS, unknown.append)
    assert not unknown
    assert prefix + line(columns, [column.cell(("12", "a long name")) for column in columns]) == text


def test_columns_by_names() -> None:
    fields = {"jobid": FIELDS["i"], "name": FIELDS["j"]}
    unknown: list[str] = []
    columns = named("JobID,Name:.8,name:3x,nix,", fields, unknown.append)
    texts = [column.cell(("12", "a long name")) for column in columns]
    assert line(columns, texts) == "12                  a long na lx"
    assert [column.header for column in columns] == ["JOBID", "NAME", "NAME"]
    lettered("%q", FIELDS, unknown.append)
    assert unknown == ["nix", "q"]


@pytest.mark.parametrize(
    ("path", "alone", "array"),
    [
        ("slurm-%j.out", "slurm-%j.out", "slurm-%i.out"),
        ("%A_%a", "%j_4294967294", "%j_%a"),
        ("%4j-%3a-%b", "%4j-4294967294-4", "%4i-%3a-%b"),
        ("%x.%u@%N", "%x.%u@%N", "%x.%u@%N"),
        ("%J%t%n%s", "%j00batch", "%i00batch"),
        ("%%%q%", "%%%%q%%", "%%%%q%%"),
        (r"\%j", "%%j", "%%j"),
    ],
)
def test_patterns_in_the_letters_of_our_nodes(path: str, alone: str, array: str) -> None:
    assert (batch_path(path, False), batch_path(path, True)) == (alone, array)


def test_numbers_in_patterns_are_filled_up() -> None:
    assert replaced("%4t-%t-%3x", {"t": "7", "x": "ab"}) == "0007-7-ab"


@pytest.mark.parametrize(
    ("text", "number"), [("USR2", 12), ("SIGTERM", 15), ("9", 9), ("usr1", 10), ("65", 0), ("X", 0)]
)
def test_signals(text: str, number: int) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    ("answer", "state", "reason"),
    [
        ({"state": "WAITING"}, "PENDING", "Priority"),
        ({"state": "HELD", "holds": ["HOLD_USER"]}, "PENDING", "JobHeldUser"),
        ({"state": "HELD", "holds": ["HOLD_SYSTEM"]}, "PENDING", "JobHeldAdmin"),
        ({"state": "HELD", "cause": "BEGIN_TIME"}, "PENDING", "BeginTime"),
        ({"state": "HELD", "cause": "DEPENDENCY"}, "PENDING", "Dependency"),
        ({"state": "HELD", "cause": "QUEUE_STOPPED"}, "PENDING", "PartitionDown"),
        ({"state": "RUNNING"}, "RUNNING", "None"),
        ({"state": "SUSPENDED"}, "SUSPENDED", "None"),
        ({"state": "COMPLETED"}, "COMPLETED", "None"),
        ({"state": "FAILED", "exit_code": 3}, "FAILED", "NonZeroExitCode"),
        ({"state": "FAILED", "signal": 9}, "FAILED", "RaisedSignal"),
        ({"state": "FAILED", "cause": "OUT_OF_MEMORY", "signal": 9}, "OUT_OF_MEMORY", "OutOfMemory"),
        ({"state": "FAILED", "reason": "working directory /x: missing"}, "FAILED", "JobLaunchFailure"),
        ({"state": "TIMED_OUT"}, "TIMEOUT", "TimeLimit"),
        ({"state": "CANCELLED", "reason": "cancelled by ann"}, "CANCELLED", "None"),
        ({"state": "CANCELLED", "cause": "DEPENDENCY_NEVER_MET"}, "CANCELLED", "DependencyNeverSatisfied"),
        ({"state": "CANCELLED", "reason": "no dependency any more"}, "CANCELLED", "None"),
        ({"state": "NODE_LOST"}, "NODE_FAIL", "NodeDown"),
        ({"state": "REFUSED"}, "FAILED", "BadConstraints"),
        ({"state": "REFUSED", "promise": {"refusal": "too tight"}}, "DEADLINE", "BadConstraints"),
    ],
)
def test_states_and_reasons(answer: dict[str, Any], state: str, reason: str) -> None:
    job = Job(answer)
    assert (states.state_of(job), states.reason_of(job)) == (state, reason)
    assert " " not in reason
    assert states.SHORT[state]


def test_states_can_be_asked_for_in_both_forms() -> None:
    assert states.asked_states("PD,running,Cd") == ["PENDING", "RUNNING", "COMPLETED"]
    with pytest.raises(ValueError, match="nix"):
        states.asked_states("R,nix")
