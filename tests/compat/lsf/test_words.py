"""What LSF's options say: sizes, limits, names, requirements, dependencies, environments, formats."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from molokini.compat.job import Job
from molokini.compat.lsf import bkill
from molokini.compat.lsf.changing import Target
from molokini.compat.lsf.depending import conditions, written
from molokini.compat.lsf.environments import chosen
from molokini.compat.lsf.formats import read_format
from molokini.compat.lsf.gpus import gpus
from molokini.compat.lsf.names import job_references, matches, named
from molokini.compat.lsf.programs import command_line, command_of, option_lines
from molokini.compat.lsf.quantities import limit_unit, memory_kb, run_limit_s, whole
from molokini.compat.lsf.requirements import ResourceRequirements, resources
from molokini.compat.lsf.specification import file_path
from molokini.compat.lsf.states import exit_status, stat, termination
from molokini.compat.lsf.times import begin_s

HUGE = ("99999999999999999999", "1e400", "NaN", "-1", "1.5.2", "10 G B", "", "²", "2" * 5000)


@pytest.mark.parametrize(("text", "seconds"), [("5", 300), ("0:5", 300), ("1:30", 5400), ("90/hosta", 5400)])
def test_run_limits(text: str, seconds: float) -> None:
    assert run_limit_s(text) == seconds


@pytest.mark.parametrize("text", [*HUGE, "0", "0:0", "1:60", "1:2:3", "5.5", " 4", "99999999:59"])
def test_run_limits_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="Bad run limit"):
        run_limit_s(text)


@pytest.mark.parametrize(
    ("text", "kilobytes"),
    [("500", 500), ("62KB", 62), ("50MB", 51200), ("1.5G", 1572864), ("1GiB", 1048576), ("100.0", 100)],
)
def test_sizes(text: str, kilobytes: int) -> None:
    assert memory_kb(text, "K") == kilobytes
    assert memory_kb("4", "M") == 4096


@pytest.mark.parametrize("text", [*HUGE, "0", "5X", "9999999P"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="Bad memory size"):
        memory_kb(text, "K")


def test_the_unit_of_limits_is_that_of_the_sites_file(tmp_path: Path) -> None:
    assert limit_unit({}, "K") == limit_unit({"LSF_ENVDIR": str(tmp_path)}, "K") == "K"
    (tmp_path / "lsf.conf").write_text("LSF_UNIT_FOR_LIMITS=GB\nX=1\nLSF_UNIT_FOR_LIMITS = MB\n")
    assert limit_unit({"LSF_ENVDIR": str(tmp_path)}, "K") == "M"


@pytest.mark.parametrize("text", [*HUGE, "0", "2147483648"])
def test_numbers_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="Bad number of slots"):
        whole(text, "number of slots", 1)


def test_names_and_arrays() -> None:
    for text in ("x", "a b", "x]", "50%", "a%b]", ""):
        assert named(text) == (text, None)
    name, array = named("x[1-9:2]%3")
    assert array is not None
    assert (name, array.document()) == ("x", {"first": 1, "last": 9, "step": 2, "running_limit": 3})
    name, array = named("[2,4,6]")
    assert array is not None
    assert (name, array.document()) == ("", {"first": 2, "last": 6, "step": 2, "running_limit": 0})


@pytest.mark.parametrize(
    "text",
    ["x[0-5]", "x[5-1]", "x[1-10:0]", "x[1-2-3]", "x[]", "x[a]", "x[1,2,,4]", "x[1-999999999,1]", "x[1-2]%0"],
)
def test_arrays_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="Bad"):
        named(text)


def test_jobs_by_number() -> None:
    assert job_references("7") == [(7, None)]
    assert job_references("7[2-3,9]") == [(7, 2), (7, 3), (7, 9)]
    for text in ("x", "7[", "7]", "-1", "1.5", "9" * 30):
        with pytest.raises(ValueError, match="Illegal job ID"):
            job_references(text)


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("x", "x", True),
        ("x", "xy", False),
        ("*", "", True),
        ("*b*", "abc", True),
        ("a*a", "a", False),
        ("a*b*c", "aXbYc", True),
        ("*(1:a=b,c)*", "S_(1:a=b,c)", True),
        ("[a]*", "a", False),
    ],
)
def test_names_with_wildcards(pattern: str, name: str, fits: bool) -> None:
    assert matches(pattern, name) is fits


def laid_out(text: str, slots: int) -> dict[str, object]:
    wanted = ResourceRequirements()
    wanted.add(text, "M")
    return resources(wanted, slots, 0, 0)


def test_requirements_add_up() -> None:
    wanted = ResourceRequirements()
    for text in ("span[ptile=2]", "rusage[mem=100:ngpus_physical=1]", "select[mem>=50 && big && type==any]"):
        wanted.add(text, "M")
    assert resources(wanted, 4, 0, 0) == {
        "processors": 4,
        "nodes": 2,
        "processors_per_node": 2,
        "memory_kb": 102400,
        "generic": {"gpu": 1},
        "features": ["big"],
    }


@pytest.mark.parametrize(
    ("text", "slots", "hosts", "limit_kb", "found"),
    [
        ("", 3, 0, 0, {"processors": 3}),
        ("span[hosts=1]", 3, 0, 0, {"processors": 3, "nodes": 1, "processors_per_node": 3}),
        ("span[ptile=8]", 3, 0, 0, {"processors": 3, "nodes": 1, "processors_per_node": 3}),
        ("", 4, 2, 0, {"processors": 4, "nodes": 2, "processors_per_node": 2}),
        ("", 2, 0, 2048, {"processors": 2, "memory_kb": 1024}),
        ("rusage[mem=1] order[mem]", 2, 0, 4096, {"processors": 2, "memory_kb": 2048}),
        ("rusage[mem=4/job]", 2, 0, 0, {"processors": 2, "memory_kb": 2048}),
        ("select[a||b]", 1, 0, 0, {"processors": 1, "constraint": "(a|b)"}),
        ("(a || b && c) && d", 1, 0, 0, {"processors": 1, "features": ["d"], "constraint": "(a|(b&c))"}),
        ("defined(a) || defined(b)", 1, 0, 0, {"processors": 1, "constraint": "(a|b)"}),
        ("(a && (b))", 1, 0, 0, {"processors": 1, "features": ["a", "b"]}),
        ("affinity[core(1)] big", 1, 0, 0, {"processors": 1, "features": ["big"]}),
    ],
)
def test_layouts(text: str, slots: int, hosts: int, limit_kb: int, found: dict[str, object]) -> None:
    wanted = ResourceRequirements()
    wanted.add(text, "M")
    assert resources(wanted, slots, hosts, limit_kb) == found


@pytest.mark.parametrize(
    "text",
    [
        "span[hosts=2]",
        "span[ptile=2",
        "span[ptile=3]",
        "span[ptile='!']",
        "rusage[mem]",
        "rusage[mem=1:duration=5]",
        "rusage[tmp=5]",
        "rusage[mem=1||mem=2]",
        "select[mem>=100]",
        "select[ut<0.5]",
        "select[a || mem>100]",
        "select[(a || b]",
        "select[a || b)]",
        "select[a ||]",
        "select[!a]",
        "same[type]",
        "cu[maxcus=1]",
        "{span[hosts=1]}",
        "affinity[core(2)]",
        "unknown[x]",
        "select[$(x)]",
    ],
)
def test_requirements_that_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not supported|Bad"):
        laid_out(text, 4)


def test_a_limit_below_what_is_reserved_is_no_mistake() -> None:
    wanted = ResourceRequirements()
    wanted.add("rusage[mem=10]", "M")
    assert resources(wanted, 2, 0, 1024)["memory_kb"] == 10 * 1024


def test_conditions() -> None:
    assert _read('done(7) && (exit("a b")&&ended(8)) && started(9) && 10') == [
        ["AFTER_OK 7"],
        ["AFTER_NOT_OK a b"],
        ["AFTER_ANY 8"],
        ["AFTER 9"],
        ["AFTER_OK 10"],
    ]


def _read(text: str) -> list[list[str]]:
    """The clauses of *text*, each condition in words."""
    return [
        [
            f"{'!' * one.negated}{one.kind} {one.job}"
            + (f"[{one.index}]" if one.index else "")
            + (f" {one.sign} {one.value}" if one.sign else "")
            for one in clause
        ]
        for clause in conditions(text)
    ]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("done(7) || exit(8)", [["AFTER_OK 7", "AFTER_NOT_OK 8"]]),
        ("!done(7)", [["!AFTER_OK 7"]]),
        ("!(done(7) || ended(8))", [["!AFTER_OK 7"], ["!AFTER_ANY 8"]]),
        ("!(done(7)&&ended(8))", [["!AFTER_OK 7", "!AFTER_ANY 8"]]),
        ("!!7", [["AFTER_OK 7"]]),
        ("7 || 8 && 9", [["AFTER_OK 7", "AFTER_OK 8"], ["AFTER_OK 7", "AFTER_OK 9"]]),
        ("exit(7, >= 2)", [["AFTER_NOT_OK 7 AT_LEAST 2"]]),
        ("exit(7,3)", [["AFTER_NOT_OK 7 EQUAL 3"]]),
        ("exit(7,!=3)", [["AFTER_NOT_OK 7 NOT_EQUAL 3"]]),
        ("numdone(A, > 1)", [["COUNT_DONE A MORE 1"]]),
        ("numended(A, *)", [["COUNT_ENDED A * 0"]]),
        ('done("a"[3]) && done("b[*]")', [["AFTER_OK a[3]"], ["AFTER_OK b[*]"]]),
        ("started('x*')", [["AFTER x*"]]),
    ],
)
def test_conditions_as_alternatives(text: str, clauses: list[list[str]]) -> None:
    assert _read(text) == clauses


def test_conditions_in_print() -> None:
    found = [
        {"kind": "AFTER_OK", "job_id": 1, "group": 1},
        {"kind": "AFTER_NOT_OK", "job_id": 2, "group": 1, "comparison": "AT_LEAST", "value": 2},
        {"kind": "AFTER", "job_id": 3, "negated": True},
        {"kind": "AFTER_OK", "job_id": 4, "elementwise": True},
        {"kind": "COUNT_DONE", "job_id": 5, "comparison": "MORE", "value": 1},
        {"kind": "AFTER_OK", "job_id": 6, "array_index": 7},
    ]
    shown = "(done(1) || exit(2,>= 2)) && !started(3) && done(4[*]) && numdone(5,> 1) && done(6[7])"
    assert written(found) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("", "done(7", "done(7))", "done()", "&&", "done(7) &&", "done(7) done(8)", "done(7) ||"),
        *(
            "!",
            "exit(7, >)",
            "numdone(7)",
            "done(7[1)",
            "done(7, 1)",
            "post_err(7)",
            "what(7)",
            "(((",
            'done("a',
        ),
        *("done(7) & done(8)", ",", "done((7))"),
    ],
)
def test_conditions_that_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Bad dependency condition"):
        conditions(text)


def test_environments() -> None:
    variables = {"A": "1", "B": "2", "MOLOKINI_TOKEN": "secret"}
    assert chosen(variables, []) == chosen(variables, ["all"]) == {"A": "1", "B": "2"}
    assert chosen(variables, ["none"]) == {}
    assert chosen(variables, ["none", "X=1", "Y=a=b"]) == {"X": "1", "Y": "a=b"}
    assert chosen(variables, ["all, ~A, C='x, y'"]) == {"B": "2", "C": "x, y"}
    assert chosen(variables, ["B"]) == {"B": "2"}
    assert chosen(variables, ["MOLOKINI_TOKEN, B"]) == {"B": "2"}
    with pytest.raises(ValueError, match="Bad environment"):
        chosen(variables, ["=x"])


def test_gpus() -> None:
    assert gpus("num=2", {"processors": 1}) == 2
    assert gpus("num=2/task:mode=shared", {"processors": 4}) == 2
    assert gpus("num=2/task", {"processors": 4, "nodes": 2}) == 4
    assert gpus("num=2:j_exclusive=yes", {"processors": 4, "nodes": 1}) == 2
    for text in ("num=2", "num=0", "gmodel=x", "num=1/core"):
        with pytest.raises(ValueError, match=r"not supported|Bad"):
            gpus(text, {"processors": 4})


def test_option_lines_stand_anywhere_in_a_script() -> None:
    script = "#!/bin/sh\n#BSUB -J 'a b' # why\r\n\necho\n#BSUB -n 2\n#BSUBX -q y\n # BSUB -q z\n"
    assert option_lines(script) == [(2, ["-J", "a b"]), (5, ["-n", "2"])]
    with pytest.raises(ValueError, match="line 2 of the script"):
        option_lines("#!/bin/sh\n#BSUB -J 'a\n")
    with pytest.raises(ValueError, match="expected an option"):
        option_lines("#BSUB echo\n")


def test_commands() -> None:
    assert command_line(["echo $HOME > x; y"]) == "echo $HOME > x; y"
    assert command_line(["echo", "a b", "it's", "", "$X"]) == "echo 'a b' 'it'\\''s' '' $X"
    assert command_of("#!/bin/sh\n# LSBATCH: User input\necho 1\n", ()) == "echo 1"
    assert command_of("#!/bin/sh\n\n#BSUB -n 1\necho 1\n", ()) == "#!/bin/sh;#BSUB -n 1;echo 1"
    assert command_of("", ["a", "b"]) == "a b"


class _At:
    """A transport to a server whose clock stands."""

    def __init__(self, now_s: float) -> None:
        self.transport, self._now_s = self, now_s

    def call(self, service: str, method: str, body: dict[str, object]) -> dict[str, float]:
        return {"now_s": self._now_s}


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("2026:11:27:10:05", 0),
        ("26:11:27:10:05", 0),
        ("2026:11:27:10:06", 1),
        ("2026:11:27:10:04", None),
        # Without a year the next such minute; with the present one that is now, too.
        ("10:06", 1),
        ("10:05", 24 * 60),
        ("27:10:06", 1),
    ],
)
def test_begin_times(text: str, minutes: int | None) -> None:
    """At half past a minute: it is not over yet, so a job that is to begin in it begins at once."""
    minute_s = time.mktime((2026, 11, 27, 10, 5, 0, 0, 0, -1))
    run: Any = _At(minute_s + 30)
    if minutes is None:
        with pytest.raises(ValueError, match="Bad begin time: it has passed"):
            begin_s(text, run)
    else:
        assert begin_s(text, run) == minute_s + 60 * minutes


class _Refuses:
    """A command whose signals a server refuses; what it says."""

    def __init__(self) -> None:
        self.transport, self.said, self.complained = self, list[str](), list[str]()
        self.say, self.complain = self.said.append, self.complained.append

    def call(self, service: str, method: str, asked: dict[str, Any]) -> dict[str, Any]:
        return {"refusals": ["User permission denied"] * len(asked["jobs"])} if method == "SignalJobs" else {}


@pytest.mark.parametrize("waits", [True, False])
def test_a_refused_signal_is_in_the_exit_code_whatever_is_done_beside(waits: bool) -> None:
    run: Any = _Refuses()
    wanted = [Target(1, None, [Job({"state": "RUNNING"})])]
    wanted += [Target(2, None, [Job({"state": "WAITING"})])] if waits else []
    assert bkill._signalled(run, wanted, signal.SIGTERM) == 255
    assert run.complained == ["Job <1>: User permission denied"]
    assert run.said == (["Job <2> is being terminated"] if waits else [])


def test_paths(tmp_path: Path) -> None:
    assert file_path("x.%J.%I.%x%", "/", False) == "x.%j.%a.%%x%%"
    assert file_path("logs/", "/", True, "err") == "logs/%j.%a.err"
    assert file_path(str(tmp_path), os.sep, False) == f"{tmp_path}/%j.out"


def test_formats() -> None:
    widths, aliases = {"jobid": 7, "stat": 5, "job_name": 10}, {"id": "jobid"}
    asked = read_format("id stat: job_name:-5", widths, aliases)
    assert asked.header() == "JOBID STAT  JOB_N"
    assert asked.line(["7", "RUN", "abcdefg"]) == "7 RUN   *defg"
    assert read_format("JOBID stat delimiter='|'", widths, aliases).line(["7", "RUN"]) == "7|RUN"
    assert read_format("delimiter=^ jobid stat", widths, aliases).line(["7", "RUN"]) == "7^RUN"
    assert read_format("stat stat", widths, aliases).names == ["stat", "stat"]
    assert read_format("all", widths, aliases).names == list(widths)
    for text in ("", "nothing", "jobid:x", "jobid delimiter='", "jobid delimiter="):
        with pytest.raises(ValueError, match=r"field|width|character"):
            read_format(text, widths, aliases)


@pytest.mark.parametrize(
    ("answer", "state", "code", "word"),
    [
        ({"state": "WAITING"}, "PEND", 0, ""),
        ({"state": "HELD"}, "PEND", 0, ""),
        ({"state": "HELD", "holds": ["HOLD_USER"]}, "PSUSP", 0, ""),
        ({"state": "RUNNING"}, "RUN", 0, ""),
        ({"state": "SUSPENDED"}, "USUSP", 0, ""),
        ({"state": "COMPLETED"}, "DONE", 0, ""),
        ({"state": "FAILED", "exit_code": 7}, "EXIT", 7, ""),
        ({"state": "FAILED", "signal": 9}, "EXIT", 137, ""),
        ({"state": "TIMED_OUT", "signal": 9}, "EXIT", 140, "TERM_RUNLIMIT"),
        ({"state": "CANCELLED", "start_s": 0.0}, "EXIT", 130, "TERM_OWNER"),
        ({"state": "CANCELLED", "cause": "AS_DONE"}, "DONE", 0, ""),
        ({"state": "NODE_LOST"}, "EXIT", 1, "TERM_REMOVE_HUNG_JOB"),
        ({"state": "FAILED", "signal": 9, "cause": "OUT_OF_MEMORY"}, "EXIT", 137, "TERM_MEMLIMIT"),
        ({"state": "FAILED", "signal": 9, "reason": "memory"}, "EXIT", 137, ""),
        ({"state": "CANCELLED", "cause": "DEPENDENCY_NEVER_MET"}, "EXIT", 1, "TERM_ORPHAN_SYSTEM"),
    ],
)
def test_states(answer: dict[str, object], state: str, code: int, word: str) -> None:
    job = Job(answer)
    assert (stat(job), exit_status(job), termination(job)[0]) == (state, code, word)
