"""Policies from files: compiled, in plain Python, called by hand; and no way past the real one."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from molokini import policies
from molokini.cycle import cycle
from molokini.model.errors import BadFile, MolokiniError, UnknownName
from molokini.model.machine import Machine
from molokini.policies import load_policy, policy_names
from molokini.sim.replay import Replay
from molokini.tables.tables import WRITABLE_IN_VIEW
from tests.kit.replays import finished, outcome, prepared, starts
from tests.kit.workloads import Job, job_lists, workload_of

HEAD = """
from molokini.model.policy import Policy
from molokini.cycle.verbs import start
POLICY = Policy(name="last", summary="last come, first served", promise="none", source="a test")
"""
BODY = """
def schedule(view, now):
    for k in range(view.queue.tail - 1, view.queue.head - 1, -1):
        row = view.queue.waiting[k]
        if view.jobs.width[row] > view.machine.idle:
            return
        start(view, row)
"""
# numba knows no dictionaries of lists made on the fly without reference counting; Python does.
PYTHON_BODY = """
def schedule(view, now):
    rows = {"waiting": sorted(view.queue.waiting[view.queue.head : view.queue.tail].tolist(),
                              key=lambda row: (-view.jobs.submit_s[row], -view.jobs.number[row]))}
    for row in rows["waiting"]:
        if view.jobs.width[row] > view.machine.idle:
            return
        start(view, row)
"""


def written(folder: Path, name: str, text: str) -> str:
    path = folder / f"{name}.py"
    path.write_text(text)
    return str(path)


def test_a_dropped_in_policy_is_found_by_its_name(tmp_path: Path) -> None:
    written(tmp_path, "last_first", HEAD + BODY)
    assert set(policy_names([tmp_path])) == {*policy_names(), "last-first"}
    assert load_policy("last-first", [tmp_path]).declaration.name == "last-first"
    with pytest.raises(UnknownName, match="did you mean 'last-first'"):
        load_policy("last-frst", [tmp_path])


def test_compiled_and_python_twins_decide_alike(tmp_path: Path) -> None:
    compiled, python = written(tmp_path, "last", HEAD + BODY), written(tmp_path, "twin", HEAD + PYTHON_BODY)

    @given(jobs=job_lists(8, most=12))
    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    def alike(jobs: list[Job]) -> None:
        one, other = finished(jobs, compiled), finished(jobs, python)
        assert outcome(one.schedule()) == outcome(other.schedule())
        assert outcome(one.schedule()) == outcome(finished(jobs, compiled, interpreted=True).schedule())

    alike()
    jobs = [Job(0, 5, 8), Job(1, 5, 8), Job(2, 5, 8)]
    assert starts(finished(jobs, compiled)) == [0.0, 10.0, 5.0]
    assert starts(finished(jobs, python, rows=1)) == [0.0, 10.0, 5.0]


def test_code_over_which_numba_itself_stumbles_runs_as_plain_python(tmp_path: Path) -> None:
    """A loop without an end behind a branch ends numba with an error that is none of its own."""
    endless = "    if now > 1e300:\n        while True:\n            now += 1.0\n"
    odd = written(tmp_path, "odd", HEAD + BODY.replace("now):\n", f"now):\n{endless}"))
    plain = written(tmp_path, "plain_last", HEAD + BODY)
    jobs = [Job(0, 5, 8), Job(1, 5, 8), Job(2, 5, 8)]
    assert starts(finished(jobs, odd)) == starts(finished(jobs, plain)) == [0.0, 10.0, 5.0]


@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.parametrize("statement", ["raise ValueError('no idea')", "{}['no idea']", "view.no_idea"])
def test_a_policy_that_fails_is_named(tmp_path: Path, interpreted: bool, statement: str) -> None:
    path = written(tmp_path, "bad", HEAD + f"def schedule(view, now):\n    {statement}\n")
    with pytest.raises(MolokiniError, match=r"bad\.py(:\d+)?: failed: \w+: .*no.idea"):
        finished([Job(0, 5)], path, interpreted=interpreted)


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.parametrize(
    ("statement", "cause"),
    [
        ("start(view, view.queue.waiting[view.queue.tail - 1])", "job 2, which needs 6 .* 5 are idle"),
        ("start(view, view.queue.waiting[view.queue.head])", "job 1 .*asked twice"),
        ("start(view, 10**12)", "row 1000000000000, which is not a row"),
        ("start(view, -1)", "row -1, which is not a row"),
        ("suspend(view, view.queue.waiting[view.queue.head])", "what its state does not allow"),
        ("reserve(view, 63, 5.0)", "what its state does not allow"),
    ],
)
def test_a_policy_that_may_not_is_stopped(
    tmp_path: Path, interpreted: bool, statement: str, cause: str
) -> None:
    text = "def schedule(view, now):\n    if view.queue.tail - view.queue.head == 2:\n"
    text += f"        start(view, view.queue.waiting[view.queue.head])\n        {statement}\n"
    path = written(tmp_path, "bad", HEAD + "from molokini.cycle.verbs import reserve, suspend\n" + text)
    with pytest.raises(MolokiniError, match=rf"bad\.py: at 0 s it .*{cause}"):
        finished([Job(0, 5, 3), Job(0, 5, 6)], path, interpreted=interpreted, rows=64)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("raise SystemExit(3)", "cannot be imported"),
        ("POLICY = 1", "needs POLICY"),
        (HEAD, "needs a function schedule"),
        ("def broken(:", "not Python"),
        ("import no_such_module", "cannot be imported"),
        ("from molokini.scheduling.verbs import start", "import what a policy needs from molokini.policy"),
        ("import molokini.scheduling", "from molokini.policy"),
        (HEAD + "def schedule(view): ...", r"schedule\(view, now\)"),
        (HEAD + "def schedule(view, now): ...\ndef begin(): ...", r"begin\(view, now\)"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(tmp_path: Path, text: str, cause: str) -> None:
    with pytest.raises(BadFile, match=cause):
        load_policy(written(tmp_path, "odd", text))
    with pytest.raises(BadFile, match="no such policy file"):
        load_policy(str(tmp_path / "absent.py"))


@pytest.mark.deep
def test_another_body_of_easy_gives_another_result(tmp_path: Path) -> None:
    """There is no fast path beside the function in the file."""
    jobs = [Job(0, 10, 5), Job(1, 5, 8), Job(2, 4, 3)]
    assert starts(finished(jobs, "easy")) == [0.0, 10.0, 2.0]
    shipped = Path(load_policy("easy").schedule.__code__.co_filename).read_text()
    spares = "now, shadow_s, extra)"
    assert spares in shipped
    path = written(tmp_path, "easy", shipped.replace(spares, "now, -1.0, 0)"))
    assert starts(finished(jobs, path)) == [0.0, 10.0, 15.0]
    replay = Replay(workload_of(jobs), Machine.counted(8), load_policy("easy", [tmp_path]))
    assert replay.run()
    assert starts(replay) == [0.0, 10.0, 15.0]


def test_a_policy_file_may_have_dataclasses_whose_types_are_text(tmp_path: Path) -> None:
    """They look for the module that they are in."""
    noted = """
from dataclasses import dataclass
from typing import ClassVar

@dataclass
class Noted:
    passes: "int" = 0
    most: "ClassVar[int]" = 9
NOTED = Noted()
"""
    path = written(tmp_path, "noted", HEAD + noted + PYTHON_BODY)
    assert starts(finished([Job(0, 5), Job(1, 5)], path, interpreted=True)) == [0.0, 1.0]


def test_a_shipped_policy_whose_function_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    from molokini.policies import easy, fcfs

    jobs = [Job(0, 10, 5), Job(1, 5, 8), Job(2, 4, 3)]
    monkeypatch.setattr(easy, "schedule", fcfs.schedule)
    assert starts(finished(jobs, "easy")) == [0.0, 10.0, 15.0]


@pytest.mark.parametrize("policy", ["fcfs", "easy", "firstfit", "sjf"])
def test_a_pass_by_hand_from_plain_python(policy: str) -> None:
    """As the live server does it: tables, one pass, decisions; then thrown away or applied."""
    replay = prepared([Job(0, 10, 4), Job(0, 10, 8), Job(0, 10, 4)], policy)
    loaded = load_policy("ps")
    assert loaded.begin is None
    # Bring the three into the tables with a policy that starts nobody.
    idle = Replay(replay.workload, replay.machine, replay.policy, replay.values)
    idle.policy = type(loaded)(replay.policy.declaration, lambda view, now: None, None, "a test")
    idle.run(until_s=0.0)
    t = idle.tables
    assert t.queue.tail - t.queue.head == 3
    cycle.begin_pass(t, 0.0)
    replay.policy.schedule(t.read_only(WRITABLE_IN_VIEW), 0.0)
    cycle.end_pass(t)
    started = [
        int(t.jobs.number[row])
        for kind, row, *_ in t.cycle.decisions[: t.cycle.decided].tolist()
        if kind == 1
    ]
    assert started == ([1] if policy in ("fcfs", "sjf") else [1, 3])
    assert t.machine.free == 8, "nothing has happened yet"
    for k in range(t.cycle.decided):
        cycle.apply_decided(t, k, 0.0)
    cycle.close_pass(t)
    assert t.machine.free == 8 - 4 * len(started)


def test_a_view_shows_no_true_run_time_and_refuses_to_be_written(tmp_path: Path) -> None:
    replay = prepared([Job(0, 5, 1, 10)], "fcfs")
    fields = {leaf.path for leaf in replay.tables.leaves()}
    assert not [name for name in fields if "run_s" in name or "true" in name or "ended_s" in name]
    assert "jobs.estimate_s" in fields
    replay.run(until_s=0.0)
    # The true run time stands in no column of the job, under whatever name.
    jobs, row = replay.tables.jobs, replay.tables.queue.running[0]
    columns = [name for name in jobs.columns() if name not in ("index", "free_row")]
    assert not [name for name in columns if getattr(jobs, name)[row] == 5.0]
    cheating = written(tmp_path, "cheat", HEAD + "def schedule(view, now):\n    view.run_s[0]\n")
    with pytest.raises((MolokiniError, AttributeError), match="run_s"):
        finished([Job(0, 5)], cheating, interpreted=True)
    writing = written(tmp_path, "write", HEAD + "def schedule(view, now):\n    view.jobs.width[0] = 0\n")
    with pytest.raises((MolokiniError, ValueError), match="read-only"):
        finished([Job(0, 5)], writing, interpreted=True)


@pytest.mark.parametrize(("given_back", "told"), [(2, False), (3, True), (4, True)])
def test_a_policy_that_gives_all_of_a_job_back_is_told(tmp_path: Path, given_back: int, told: bool) -> None:
    text = HEAD.replace("import start", "import give_back, start").replace('name="last"', 'name="giving"')
    body = f"""
def schedule(view, now):
    for k in range(view.queue.running_count):
        if view.jobs.held[view.queue.running[k]] == 3:
            give_back(view, view.queue.running[k], {given_back})
    for k in range(view.queue.head, view.queue.tail):
        if view.jobs.width[view.queue.waiting[k]] <= view.machine.idle:
            start(view, view.queue.waiting[k])
"""
    path = written(tmp_path, "giving", text + body)
    jobs = [Job(0, 5, 3), Job(1, 5, 1)]
    if told:
        with pytest.raises(MolokiniError, match=r"giving\.py: at 1 s it .*what its state does not allow"):
            finished(jobs, path, interpreted=True)
    else:
        assert starts(finished(jobs, path, 3, interpreted=True)) == [0.0, 1.0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("job_width[0]", "view.jobs.width"),
        ("waiting_head", "view.queue.head"),
        ("idle", "view.machine.idle"),
        ("credential_user[0]", "view.credentials.user"),
    ],
)
def test_a_policy_that_uses_a_name_of_before_is_told_the_new_one(tmp_path: Path, old: str, new: str) -> None:
    policy = written(tmp_path, "older", HEAD + f"def schedule(view, now):\n    view.{old}\n")
    with pytest.raises((MolokiniError, AttributeError), match=f"did you mean .*{new}"):
        finished([Job(0, 5)], policy, interpreted=True)


def test_tables_take_no_numbers_that_they_have_not() -> None:
    t = prepared([Job(0, 5)], "fcfs").tables
    with pytest.raises(AttributeError, match=r"no idle; did you mean view\.machine\.idle"):
        t.idle = 3  # type: ignore[attr-defined]


def test_a_file_put_into_the_folder_is_found_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "__path__", [str(tmp_path)])
    shipped = set(policies._ALSO_NAMED)
    (tmp_path / "one_more.py").touch()
    # A folder's time is as coarse as the system's clock: the first file came a while ago.
    os.utime(tmp_path, (1, 1))
    assert set(policy_names()) - shipped == {"one-more"}
    (tmp_path / "and_another.py").touch()
    assert set(policy_names()) - shipped == {"and-another", "one-more"}


def test_the_first_folder_that_has_the_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [tmp_path / name for name in ("none", "one", "two")]
    for folder in folders:
        folder.mkdir()
    first = written(folders[1], "last_first", HEAD + BODY)
    written(folders[2], "last_first", HEAD + PYTHON_BODY)
    written(folders[2], "_notes", "")
    loaded = load_policy("last-first", folders)
    assert (loaded.origin, loaded.from_file) == (first, True)
    assert not load_policy("easy", folders).from_file
    assert set(policy_names(folders)) == {*policy_names(), "last-first"}
    # What a run is told of a folder beside it may be used from elsewhere.
    monkeypatch.chdir(folders[1])
    assert load_policy("last-first", [Path()]).origin == first
