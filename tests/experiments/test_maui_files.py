"""``--maui-config`` in simulate and compare: what the file says decides, and its names are the log's."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from molokini.experiments.maui_files import choose_configured, choose_several
from molokini.experiments.replaying import replayed
from molokini.model.errors import BadFile, BadInput, UnknownName
from molokini.model.machine import Machine
from molokini.sim.replay import Options
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Header, Workload
from tests.clients.command_runs import ROOT, Ran
from tests.kit.slurm_files import CONF, DUMP
from tests.kit.workloads import Job, workload_of

Command = Callable[..., Ran]


def written(folder: Path, *lines: str, name: str = "maui.cfg") -> str:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def three_jobs(**more: object) -> Workload:
    """One fills the machine; then those of users 1 and 2 wait for the same processors."""
    return replace(workload_of([Job(0, 100, 4, user=0), Job(1, 100, 4), Job(2, 100, 4, user=2)]), **more)  # type: ignore[arg-type]


def run(workload: Workload, file: str, given: Sequence[str] = ()) -> Schedule:
    chosen = choose_configured([file], given)[0]
    return replayed(workload, Machine.counted(4), chosen, Options(interpreted=True))


PRIORITY = ("USERWEIGHT 1000", "CREDWEIGHT 1")


def test_the_numbers_of_a_log_are_its_names(tmp_path: Path) -> None:
    by_time = run(three_jobs(), written(tmp_path, *PRIORITY))
    by_user = run(three_jobs(), written(tmp_path, *PRIORITY, "USERCFG[2] PRIORITY=10"))
    assert by_time.start_s.tolist() == [0, 100, 200]
    assert by_user.start_s.tolist() == [0, 200, 100]
    assert by_user.policy == "maui.cfg"


def test_names_are_those_of_the_file_of_jobs_where_it_has_any(tmp_path: Path) -> None:
    named = three_jobs(names={"user": ("root", "ann", "bob")})
    file = written(tmp_path, *PRIORITY, "USERCFG[bob] PRIORITY=10", "USERCFG[2] PRIORITY=-10")
    assert run(named, file).start_s.tolist() == [0, 200, 100]


def test_rules_give_jobs_their_quality_of_service(tmp_path: Path) -> None:
    file = written(
        tmp_path, "QOSWEIGHT 1000", "CREDWEIGHT 1", "USERCFG[2] QDEF=high", "QOSCFG[high] PRIORITY=10"
    )
    assert run(three_jobs(), file).start_s.tolist() == [0, 200, 100]


def test_one_parameter_on_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, *PRIORITY, "USERCFG[2] PRIORITY=10")
    assert run(three_jobs(), file, ["credential_weight=0"]).start_s.tolist() == [0, 100, 200]


def test_names_without_jobs_are_counted_and_told_in_one_line(tmp_path: Path) -> None:
    file = written(tmp_path, "USERCFG[2] PRIORITY=1", "USERCFG[ann] PRIORITY=1", "CLASSCFG[long] PRIORITY=1")
    chosen = choose_configured([file], ())[0]
    assert chosen.left_out([three_jobs()]) == {"user": 1, "queue": 1}
    assert chosen.notes([three_jobs()]) == [
        f"{file}: 1 user, 1 queue named in the file, without jobs in this log: not used"
    ]
    assert np.isfinite(run(three_jobs(), file).start_s).all()


@pytest.mark.parametrize(
    ("beside", "note"),
    [
        (
            (DUMP,),
            "3 users, 3 queues{log}: shares of users count in the tree all the same; the rest is not used",
        ),
        ((), "3 queues{log}: not used"),
    ],
)
def test_shares_of_users_without_jobs_are_said_to_count(
    beside: tuple[str, ...], note: str, tmp_path: Path
) -> None:
    file = written(tmp_path, CONF, name="slurm.conf")
    accounts = [written(tmp_path, text, name="dump") for text in beside]
    told = choose_configured([file], (), "slurm", accounts)[0].notes([three_jobs()])
    assert told[0] == f"{file}: {note.format(log=' named in the file, without jobs in this log')}"


def unsaid() -> Workload:
    """Jobs of classes 0, 1 and of none without an estimate, and one of class 0 that has one."""
    jobs = [Job(0, 100, 4), Job(0, 30, 4), Job(0, 500, 4), Job(0, 100, 4, estimate=80)]
    return replace(workload_of(jobs), queue=np.array([0, 1, -1, 0]))


def test_jobs_of_a_class_that_give_no_estimate_have_that_of_the_class(tmp_path: Path) -> None:
    plain = run(unsaid(), written(tmp_path))
    assert plain.workload.estimate_s.tolist() == [100, 30, 500, 80]
    file = written(tmp_path, "CLASSCFG[0] DEFAULT.WCLIMIT=50", "CLASSCFG[DEFAULT] DEFAULT.WCLIMIT=1:00")
    schedule = run(unsaid(), file)
    assert schedule.workload.estimate_s.tolist() == [50, 60, 60, 80]
    # At its limit a job ends, whoever has set it.
    assert (schedule.end_s - schedule.start_s).tolist() == [50, 30, 60, 80]
    assert unsaid().estimate_s.tolist() == [100, 30, 500, 80]


def test_where_no_class_says_it_the_system_does(tmp_path: Path) -> None:
    file = written(tmp_path, "SYSTEMDEFAULTJOBWALLTIME 70", "CLASSCFG[1] DEFAULT.WCLIMIT=40 PRIORITY=1")
    assert run(unsaid(), file).workload.estimate_s.tolist() == [70, 40, 70, 80]
    # 0 says nothing.
    file = written(tmp_path, "SYSTEMDEFAULTJOBWALLTIME 0", "CLASSCFG[1] DEFAULT.WCLIMIT=0")
    assert run(unsaid(), file).workload.estimate_s.tolist() == [100, 30, 500, 80]


def test_jobs_may_run_so_long_past_their_limits(tmp_path: Path) -> None:
    jobs = [Job(k, 100, 4, estimate=60) for k in range(4)]
    work = replace(workload_of(jobs), queue=np.array([0, 1, 2, -1]))
    lines = ("JOBMAXOVERRUN 20", "CLASSCFG[1] OVERRUN=0", "CLASSCFG[2] OVERRUN=-1")
    schedule = run(work, written(tmp_path, *lines))
    assert (schedule.end_s - schedule.start_s).tolist() == [80, 60, 100, 80]
    assert schedule.workload.estimate_s.tolist() == [60] * 4
    schedule = run(work, written(tmp_path, "CLASSCFG[DEFAULT] OVERRUN=5", "CLASSCFG[1] OVERRUN=0"))
    assert (schedule.end_s - schedule.start_s).tolist() == [65, 60, 65, 65]
    assert (run(work, written(tmp_path)).end_s - run(work, written(tmp_path)).start_s).tolist() == [60] * 4


def test_how_many_jobs_have_the_estimate_of_their_class_is_told(tmp_path: Path) -> None:
    file = written(tmp_path, "CLASSCFG[0] DEFAULT.WCLIMIT=50")
    chosen = choose_configured([file], ())[0]
    assert chosen.notes([unsaid()]) == [
        f"{file}: 1 job without an estimate has that of the file (DEFAULT.WCLIMIT, SYSTEMDEFAULTJOBWALLTIME)"
    ]
    assert chosen.part([unsaid()])["maui_config"]["jobs_with_default_limit"] == 1
    # What has been given once is not given again.
    given = chosen.workload(unsaid())
    assert chosen.workload(given) is given


def test_estimates_of_classes_are_scaled_and_stepped_as_others_are(tmp_path: Path, molokini: Command) -> None:
    asked = (-1, 90)
    lines = [f"{k} 0 -1 100 4 -1 -1 4 {s} -1 1 1 1 -1 1 -1 -1 -1" for k, s in enumerate(asked, 1)]
    log = written(tmp_path, "; MaxProcs: 4", *lines, name="log.swf")
    modes = ("SERVERMODE SIMULATION", "RMPOLLINTERVAL 20", "SIMWCSCALINGPERCENT 50")
    file = written(tmp_path, *modes, "SIMJOBSUBMISSIONPOLICY NORMAL", "CLASSCFG[1] DEFAULT.WCLIMIT=70")
    out = str(tmp_path / "out.csv")
    done = molokini("simulate", log, "--policy", "maui", "--maui-config", file, "--schedule", out)
    assert done.code == 0, done.err
    assert "1 job without an estimate" in done.err
    header, *rows = (line.split(",") for line in Path(out).read_text().splitlines())
    assert [float(row[header.index("estimate_s")]) for row in rows] == [40, 60]
    assert [float(row[header.index("run_s")]) for row in rows] == [40, 60]


def test_entries_are_called_by_their_files(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    alike = [written(tmp_path / folder, name="maui.cfg") for folder in ("old", "new")]
    other = written(tmp_path, name="other.cfg")
    assert [one.name for one in choose_configured([*alike, other], ())] == [*alike, "other.cfg"]
    with pytest.raises(BadInput, match="2 times"):
        choose_configured([other, other], ())


def test_parameters_are_dealt_out_to_those_that_have_them(tmp_path: Path) -> None:
    file = written(tmp_path)
    plain, configured = choose_several(["easy"], [file], ["order=shortest", "backfill=none"], ())
    assert (plain.name, plain.values["order"]) == ("easy", "shortest")
    assert configured.values["backfill"] == "none"
    with pytest.raises(UnknownName, match="'ordr'"):
        choose_several(["easy"], [file], ["ordr=shortest"], ())


DAILY = "SRCFG[day] STARTTIME=0:00:00 ENDTIME=00:01:00"


def test_standing_reservations_keep_processors_for_those_they_name(tmp_path: Path) -> None:
    assert run(three_jobs(), written(tmp_path, DAILY)).start_s.tolist() == [60, 160, 260]
    assert run(three_jobs(), written(tmp_path, f"{DAILY} USERLIST=0")).start_s.tolist() == [0, 100, 200]
    # The user of the first job has the QOS by default.
    by_qos = written(tmp_path, f"{DAILY} QOSLIST=high", "USERCFG[0] QDEF=high", "QOSCFG[high] PRIORITY=1")
    assert run(three_jobs(), by_qos).start_s.tolist() == [0, 100, 200]
    nobody = written(tmp_path, f"{DAILY} USERLIST=ann CLASSLIST=none ACCOUNTLIST=none")
    assert run(three_jobs(), nobody).start_s.tolist() == [60, 160, 260]


def test_midnight_is_that_of_the_log(tmp_path: Path) -> None:
    # Second 0 of the log is half a minute before midnight, two hours east of Greenwich.
    labels = (("UnixStartTime", str(86_400 - 7_200 - 30)), ("TimeZone", "7200"))
    late = three_jobs(header=Header(labels))
    assert run(late, written(tmp_path, DAILY)).start_s.tolist() == [90, 190, 290]


def test_reservations_are_on_nodes_of_the_machine_or_refused_with_file_and_line(tmp_path: Path) -> None:
    file = written(tmp_path, "# a comment", f"{DAILY} USERLIST=1", "SRCFG[day] HOSTLIST=node002,io1")
    chosen = choose_configured([file], ())[0]
    for machine, told in ((Machine.counted(4), "--nodes"), (Machine.uniform(2, 2), "no node 'io1'")):
        with pytest.raises(BadFile, match=rf"maui\.cfg:3: .*unknown nodes: .*{told}"):
            chosen.options(Options(), three_jobs(), machine)
    good = choose_configured([written(tmp_path, f"{DAILY} HOSTLIST=node002")], ())[0]
    jobs = workload_of([Job(0, 100, 2), Job(0, 100, 2)])
    schedule = replayed(jobs, Machine.uniform(2, 2), good, Options(interpreted=True))
    assert schedule.start_s.tolist() == [0, 60]


def test_partitions_are_those_of_nodecfg_and_plist_says_who_may_use_them(tmp_path: Path) -> None:
    lines = ("NODECFG[node002] PARTITION=old", "USERCFG[1] PLIST=old", "GROUPCFG[DEFAULT] PLIST=DEFAULT,old")
    jobs = workload_of([Job(0, 100, 2), Job(0, 100, 2), Job(0, 100, 1, user=2), Job(0, 100, 3, user=2)])

    def starts(*more: str) -> list[float]:
        chosen = choose_configured([written(tmp_path, *lines, *more)], ())[0]
        schedule = replayed(jobs, Machine.uniform(2, 2), chosen, Options(interpreted=True))
        return [float(at) for at in np.nan_to_num(schedule.start_s, nan=-1.0)]

    assert starts() == [0, 0, 100, -1], "joined with the list of the group"
    assert starts("GROUPCFG[DEFAULT] PLIST=old&") == [0, 100, 200, -1]
    assert starts("USERCFG[1] PLIST=old^") == [0, 100, 0, -1]


def test_a_calendar_that_never_matches_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"maui\.cfg:1: .*never occurs"):
        choose_configured([written(tmp_path, "SRCFG[day] STARTTIME=9:00:00 ENDTIME=8:00:00")], ())


def test_results_say_what_was_reserved(molokini: Command, small: Path, tmp_path: Path) -> None:
    file = written(tmp_path, "SRCFG[day] TASKCOUNT=1 USERLIST=1")
    out = tmp_path / "out.json"
    ran = molokini("simulate", small, "--policy", "maui", "--maui-config", file, "--json", out)
    assert ran.code == 0, ran.err
    [told] = json.loads(out.read_text())["options"]["reservations"]
    assert (told["name"], told["processors"], told["access"]) == ("day", 1, {"user": ["1"]})


def test_a_bad_file_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"maui\.cfg:1"):
        choose_configured([written(tmp_path, "RESERVATIONDEPTH -1")], ())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("simulate", "--policy", "easy", "--maui-config", "x.cfg"), "--policy maui"),
        (("simulate", "--policy", "maui", "--maui-config", "missing.cfg"), "missing.cfg"),
        (("compare",), "--maui-config FILE"),
        (("compare", "--policy", "easy", "--by", "user", "--seeds", "2"), "--seeds"),
        (("compare", "--policy", "easy", "--by", "users"), "did you mean 'user'"),
    ],
)
def test_what_contradicts_is_said(
    molokini: Command, small: Path, arguments: tuple[str, ...], told: str
) -> None:
    ran = molokini(arguments[0], small, *arguments[1:])
    assert ran.code == 2
    assert told in ran.err


@pytest.mark.deep
def test_compare_breaks_down_by_what_is_asked(molokini: Command, small: Path, tmp_path: Path) -> None:
    picture = tmp_path / "before-after.png"
    ran = molokini(
        *("compare", small, "--policy", "fcfs", "--policy", "easy", "--by", "user,size", "--workers", 1),
        *("--plot", picture, "--json", "-"),
    )
    assert (ran.code, ran.err) == (0, "")
    assert [one["by"] for one in ran.json["breakdowns"]] == ["user", "size"]
    for one in ran.json["breakdowns"]:
        assert list(one["policies"]) == ["fcfs", "easy"]
        for rows in one["policies"].values():
            assert sum(row["jobs"] for row in rows) == ran.json["workloads"][0]["jobs"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    shown = molokini("compare", small, "--policy", "fcfs", "--policy", "easy", "--by", "size", "--workers", 1)
    assert "mean wait by size" in shown.out


@pytest.mark.parametrize("given", [(), ("poll_s=30",)])
def test_the_shipped_example_starts_jobs_on_an_idle_machine(tmp_path: Path, given: Sequence[str]) -> None:
    """Its QDEF gives the group's jobs a negative priority, and all of them are above their targets."""
    example = (ROOT / "examples" / "maui.cfg").read_text(encoding="utf-8").replace("physics", "1")
    jobs = workload_of([Job(0, 3600, 32), Job(600, 600, 4), Job(700, 600, 4)])
    chosen = choose_configured([written(tmp_path, example)], given)[0]
    ours = replayed(replace(jobs, group=np.ones(3, np.int64)), Machine.counted(64), chosen, Options())
    assert ours.start_s.tolist() == [0, 600, 700]
