"""The commands in this process, against a fake server: what they send, print and exit with."""

import json
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest

from molokini.proto.v1.cluster_service_pb2 import Cluster
from molokini.proto.v1.jobs_pb2 import Dependency, JobState
from tests.clients.command_runs import Ran
from tests.kit.fake_server import FakeServer

Command = Callable[..., Ran]


def test_submit_prints_the_id_alone(molokini: Command, server: FakeServer, tmp_path: Path) -> None:
    ran = molokini("submit", "--processors", 4, "--", "sleep", "--help", "5")
    assert (ran.code, ran.out, ran.err) == (0, "1\n", "")
    job = server.state.jobs[1]
    assert list(job.spec.argv) == ["sleep", "--help", "5"]
    assert job.spec.working_directory == str(tmp_path)
    found = molokini("submit", "--json", "--key", "k", "--", "true").json
    assert found == {"schema": "molokini.submit/1", "id": 2, "submission_key": "k", "emulated": False}
    assert molokini("submit", "--key", "k", "--", "true").out == "2\n"


def test_several_queues(molokini: Command, server: FakeServer) -> None:
    for names in ("a", "a, b,a,c", "b,a,b"):
        assert molokini("submit", "--queue", names, "--", "true").code == 0
    jobs = server.state.jobs
    asked = [(jobs[id].spec.queue, list(jobs[id].spec.further_queues)) for id in (1, 2, 3)]
    assert asked == [("a", []), ("a", ["b", "c"]), ("b", ["a"])]
    jobs[3].state, jobs[3].chosen_queue = JobState.RUNNING, "a"
    assert [line.split()[2] for line in molokini("jobs").out.splitlines()[1:]] == ["a", "a,b,c", "a"]
    shown = molokini("jobs", "--json").json["jobs"]
    assert [(one["queue"], one["further_queues"], one["chosen_queue"]) for one in shown] == [
        ("a", [], None),
        ("a", ["b", "c"], None),
        ("b", ["a"], "a"),
    ]
    for name, found in (("a", [1, 2, 3]), ("b", [2])):
        assert [one["id"] for one in molokini("jobs", "--queue", name, "--json").json["jobs"]] == found
    lines = dict(line.split(maxsplit=1) for line in molokini("job", 3).out.splitlines())
    assert (lines["queue"], lines["started"]) == ("b,a", "in queue  a")
    assert "started in queue" not in molokini("job", 2).out
    assert molokini("alter", 2, "--queue", "c,a").code == 0
    assert (jobs[2].spec.queue, list(jobs[2].spec.further_queues)) == ("c", ["a"])
    assert molokini("alter", 2, "--queue", "b").code == 0
    assert (jobs[2].spec.queue, list(jobs[2].spec.further_queues)) == ("b", [])
    for names in ("a,", ",", "a,,b"):
        ran = molokini("submit", "--queue", names, "--", "true")
        allowed = "it must be a name, or names with commas between them"
        assert (ran.code, ran.err) == (2, f"molokini: --queue: '{names}' is not allowed; {allowed}\n")
    ran = molokini("submit", "--whatif", "--queue", "a,b", "--processors", 1)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "--whatif looks at one queue" in ran.err


def test_submit_everything(molokini: Command, server: FakeServer, tmp_path: Path) -> None:
    script = tmp_path / "work.sh"
    script.write_text("#!/bin/sh\necho hello\n")
    # fmt: off
    ran = molokini(
        "submit", "--nodes", 2, "--processors-per-node", 8, "--memory", "1.5G", "--gpus", 1,
        "--feature", "fast", "--feature", "near", "--estimate", "1:30:00", "--queue", "q", "--account", "a",
        "--qos", "high", "--priority", -5, "--begin", "+60", "--deadline", "86400", "--after", "afterok:3:4",
        "--after", "singleton", "--array", "1-100:2%10", "--hold", "--no-requeue", "--comment", "why",
        "--emulate", "run=5,exit=137,signal=9,memory=2G,node-dies=3,never-starts", "--env", "A=b=c", script,
        "--mail-on", "begin", "--mail-on", "fail", "--mail-to", "ann@example.org", "--notify", "the pager",
    )
    # fmt: on
    assert (ran.code, ran.err) == (0, "")
    spec = server.state.jobs[1].spec
    resources, outcome, array = spec.resources, spec.outcome, spec.array
    assert (spec.name, spec.script) == ("work.sh", "#!/bin/sh\necho hello\n")
    assert (resources.nodes, resources.processors_per_node, resources.memory_kb) == (2, 8, 3 << 19)
    assert (dict(resources.generic), list(resources.features)) == ({"gpu": 1}, ["fast", "near"])
    assert (spec.estimate_s, spec.queue, spec.account, spec.qos, spec.user_priority) == (
        5400,
        "q",
        "a",
        "high",
        -5,
    )
    assert (spec.begin_at_s, spec.deadline_s) == (160.0, 86400.0)  # the fake clock stands at 100
    kinds = [(one.kind, one.job_id) for one in spec.dependencies]
    assert kinds == [(Dependency.AFTER_OK, 3), (Dependency.AFTER_OK, 4), (Dependency.SINGLETON, 0)]
    assert (array.first, array.last, array.step, array.running_limit) == (1, 100, 2, 10)
    assert (spec.held, spec.requeue, spec.comment, dict(spec.environment)) == (
        True,
        False,
        "why",
        {"A": "b=c"},
    )
    assert (outcome.run_s, outcome.exit_code, outcome.signal, outcome.memory_kb) == (5, 137, 9, 2 << 20)
    assert (outcome.node_dies_after_s, outcome.never_starts) == (3, True)
    assert (list(spec.mail_events), list(spec.mail_to), spec.notify) == (
        ["begin", "fail"],
        ["ann@example.org"],
        "the pager",
    )


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((), "needs a script, or a command behind --"),
        (("a.sh", "--", "true"), "not both"),
        (("a.sh", "b"), "takes one script"),
        (("missing.sh",), "missing.sh: cannot be read: No such file"),
        (("--memory", "512", "--", "x"), "--memory: '512' is not allowed; it must be a number with its unit"),
        (("--memory", "10 G B", "--", "x"), "--memory: '10 G B'"),
        (("--memory", "1.5.2G", "--", "x"), "--memory: '1.5.2G'"),
        (("--estimate", "nan", "--", "x"), "--estimate: 'nan' is not allowed; it must be seconds, H:MM:SS"),
        (("--estimate", "1:60:00", "--", "x"), "--estimate: '1:60:00'"),
        (("--estimate", "-5", "--", "x"), "--estimate: '-5'"),
        (("--estimate", "0", "--", "x"), "--estimate: '0' is not allowed; it must be more than 0 seconds"),
        (("--mail-on", "sunday", "--", "x"), "known: begin, end, fail"),
        (
            ("--processors", "0", "--", "x"),
            "--processors: 0 is not allowed; it must be a whole number from 1",
        ),
        (
            ("--processors", str(1 << 31), "--", "x"),
            f"--processors: {1 << 31} is not allowed; it must be a whole number from 1 to 2,147,483,647",
        ),
        (("--priority", "1024", "--", "x"), "from -1,024 to 1,023"),
        (("--array", "5-1", "--", "x"), "array: '5-1'"),
        (("--array", "1-10:0", "--", "x"), "step of 1 or more"),
        (("--array", "1,1,1", "--", "x"), "FIRST-LAST[:STEP][%RUNNING]"),
        (("--array", "1-2-3", "--", "x"), "FIRST-LAST[:STEP][%RUNNING]"),
        (("--after", "afterwards:1", "--", "x"), "no kind of dependency named 'afterwards'"),
        (("--after", "afterok", "--", "x"), "KIND:ID"),
        (("--after", "afterok:x", "--", "x"), "--after: 'x'"),
        (("--emulate", "crash=5", "--", "x"), "no outcome for --emulate named 'crash'"),
        (("--emulate", "exit=256", "--", "x"), "from 0 to 255"),
        (("--emulate", "run=1,run=2", "--", "x"), "second 'run'"),
        (("--emulate", "node-dies=0", "--", "x"), "it must be a time above 0"),
        (("--env", "NO_SUCH_VARIABLE", "--", "x"), "the variable is not set here"),
        (("--key", "", "--", "x"), "1 to 128 characters"),
        (("--processors", "two", "--", "x"), "--processors: 'two' is not allowed; it must be a whole number"),
        (("--bogus", "--", "x"), "--bogus"),
        (("--processors", "5000", "--", "x"), "resources.processors: 5000 is not allowed"),
    ],
)
def test_what_cannot_be_submitted_is_one_line(
    molokini: Command, server: FakeServer, arguments: tuple[str, ...], part: str
) -> None:
    ran = molokini("submit", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert part in ran.err
    assert server.state.jobs == {}


def test_scripts_that_are_none(molokini: Command, tmp_path: Path) -> None:
    path = tmp_path / "s.sh"
    for content, part in (
        (b" \n", "is empty"),
        (b"ok\n\xff", "s.sh:2: is not text"),
        (b"#" * 2**21, "larger"),
    ):
        path.write_bytes(content)
        ran = molokini("submit", path)
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert part in ran.err


def test_a_submit_whose_answer_is_lost(molokini: Command, server: FakeServer) -> None:
    server.faults.lose_answers("Submit", times=2)
    assert molokini("submit", "--", "true").out == "1\n"
    assert len(server.state.jobs) == 1


def test_a_submit_that_is_never_answered_tells_the_key(
    molokini: Command, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOLOKINI_TIMEOUT_S", "0.6")
    server.faults.lose_answers("Submit", times=100, stall_s=60)
    ran = molokini("submit", "--", "true")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    key = ran.err.split("--key ")[1].split(",")[0]
    monkeypatch.delenv("MOLOKINI_TIMEOUT_S")
    server.faults.clear()
    assert molokini("submit", "--key", key, "--", "true").out == "1\n"
    assert len(server.state.jobs) == 1


def test_jobs_as_json(molokini: Command, server: FakeServer) -> None:
    for queue in ("short", "long"):
        molokini("submit", "--queue", queue, "--estimate", 90, "--", "true")
    molokini("submit", "--array", "1-3", "--", "true")
    server.end(1)
    text = molokini("jobs", "--json").out
    assert text.startswith('{"schema": "molokini.jobs/1", ')
    found = json.loads(text)["jobs"]
    assert [job["job"] for job in found] == ["2", "3[]"]
    assert (found[0]["queue"], found[0]["state"], found[0]["estimate_s"]) == ("long", "waiting", 90.0)
    assert (found[0]["start_s"], found[0]["index"]) == (None, None)
    every = molokini("jobs", "--json", "--all", "--queue", "short").json["jobs"]
    assert [(job["id"], job["state"], job["end_s"]) for job in every] == [(1, "completed", 100.0)]
    assert molokini("jobs", "--json", "--user", "nobody").json["jobs"] == []
    assert [job["id"] for job in molokini("jobs", "--json", "--state", "completed").json["jobs"]] == [1]


def test_jobs_as_a_table(molokini: Command, server: FakeServer) -> None:
    molokini("submit", "--name", "one", "--processors", 4, "--estimate", "1:30:00", "--", "true")
    header, row = molokini("jobs").out.splitlines()
    words = "job name user queue state procs start end elapsed work estimate reason"
    assert header.split() == words.split()
    assert row.split() == ["1", "one", "ann", "waiting", "4", "1:30:00"]


def test_one_job(molokini: Command, server: FakeServer) -> None:
    molokini("submit", "--name", "one", "--memory", "4G", "--", "sleep", "5")
    shown = molokini("job", "1").out
    assert "command    sleep 5\n" in shown
    assert "memory     4G a processor\n" in shown
    found = molokini("job", "1", "--json").json
    assert (found["schema"], found["argv"], found["memory_kb"]) == ("molokini.job/1", ["sleep", "5"], 4 << 20)
    molokini("submit", "--array", "1-9", "--", "true")
    assert molokini("job", "2[5]", "--json").json["job"] == "2[5]"


def test_one_job_shows_all_that_was_asked_for(molokini: Command) -> None:
    # fmt: off
    molokini(
        "submit", "--array", "1-100:2%10", "--after", "afterok:3:4", "--after", "singleton", "--no-requeue",
        "--input", "in", "--output", "out.%j", "--error", "err.%j", "--env", "SECRET=hush", "--env", "A=1",
        "--mail-on", "end", "--mail-to", "ann@example.org", "--notify", "the pager",
        "--emulate", "run=5.5,exit=3,memory=2G,node-dies=7,never-starts", "--", "true",
    )
    # fmt: on
    ran = molokini("job", "1")
    shown = dict(line.split("  ", 1) for line in ran.out.splitlines())
    shown = {name: value.strip() for name, value in shown.items()}
    assert (shown["array"], shown["after"]) == ("1-100:2%10", "afterok:3 afterok:4 singleton")
    assert (shown["input"], shown["output"], shown["error"]) == ("in", "out.%j", "err.%j")
    assert (shown["environment"], "hush" in ran.out) == ("A SECRET", False)
    assert (shown["mail"], shown["notify"]) == ("end to ann@example.org", "the pager")
    assert shown["emulated"] == "run=5.5,exit=3,memory=2G,node-dies=7,never-starts"
    assert shown["runs again"] == "no"


def test_a_launch_that_failed_has_no_exit_code(molokini: Command, server: FakeServer) -> None:
    for _ in range(2):
        molokini("submit", "--", "true")
    server.end(1)
    server.change(2, JobState.FAILED, end_s=100.0, reason="the node has no such program")
    ran = molokini("wait", 2)
    assert (ran.code, ran.err) == (1, "molokini: job 2 failed: the node has no such program\n")
    assert "exit code" not in molokini("job", 2).out
    assert "exit code  0\n" in molokini("job", 1).out
    molokini("submit", "--array", "1-2", "--", "true")
    server.state.jobs[3].elements.update(completed=2)
    server.end(3)
    assert "exit code" not in molokini("job", 3).out


def test_jobs_that_are_named_and_that_there_are_not_are_told(molokini: Command) -> None:
    molokini("submit", "--", "true")
    ran = molokini("jobs", 1, 7, 9, 7)
    assert (ran.code, ran.err) == (1, "molokini: no job 7\nmolokini: no job 9\n")
    assert len(ran.out.splitlines()) == 2
    assert molokini("jobs", 1).code == molokini("jobs").code == 0
    # Another filter may have kept it away.
    assert molokini("jobs", 1, "--user", "nobody").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("job", "7"),
        ("cancel", "7"),
        ("wait", "7"),
        ("explain", "7"),
        ("forecast", "7"),
        ("alter", "7", "--name", "x"),
    ],
)
def test_an_unknown_job_is_one_line(molokini: Command, arguments: tuple[str, ...]) -> None:
    ran = molokini(*arguments)
    assert (ran.code, ran.out, ran.err) == (1, "", "molokini: no job 7\n")


@pytest.mark.parametrize("text", ["x", "0", "-1", "1[", "1[x]", "1_2", str(1 << 63), "", "1 2", "\u0661"])
def test_what_is_no_job(molokini: Command, text: str) -> None:
    ran = molokini("cancel", "--", text)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


def test_changes(molokini: Command, server: FakeServer) -> None:
    for _ in range(2):
        molokini("submit", "--", "true")
    assert molokini("hold", 1, "--reason", "later").code == 0
    assert server.state.jobs[1].state == JobState.HELD
    assert molokini("release", 1).code == 0
    assert server.state.jobs[1].state == JobState.WAITING
    ran = molokini("requeue", 1)
    assert (ran.code, ran.err) == (1, "molokini: job 1 does not run\n")
    server.change(1, JobState.RUNNING)
    assert [molokini(name, 1).code for name in ("suspend", "resume", "requeue")] == [0, 0, 0]
    assert molokini("signal", "USR1", 1).code == molokini("signal", 9, 1).code == 0
    assert server.state.signals == [(1, 10), (1, 9)]
    assert molokini("signal", "HELLO", 1).code == molokini("signal", 65, 1).code == 2
    assert molokini("alter", 1, "--estimate", "2:00:00", "--name", "new").code == 0
    assert (server.state.jobs[1].spec.estimate_s, server.state.jobs[1].spec.name) == (7200, "new")
    assert molokini("alter", 1).code == 2
    ran = molokini("cancel", 1, 9, 2)
    assert (ran.code, ran.err) == (1, "molokini: no job 9\n")
    assert [job.state for job in server.state.jobs.values()] == [JobState.CANCELLED] * 2


def test_wait(molokini: Command, server: FakeServer) -> None:
    for _ in range(3):
        molokini("submit", "--", "true")
    server.end(1)
    server.end(2, exit_code=3)
    assert molokini("wait", 1).code == 0
    ran = molokini("wait", 1, 2)
    assert (ran.code, ran.out, ran.err) == (1, "", "molokini: job 2 failed with exit code 3\n")
    ran = molokini("wait", 1, 3, "--timeout", "0.1")
    assert (ran.code, ran.err) == (124, "molokini: 1 job not ended after 0.1 s\n")
    found = molokini("wait", 1, "--json").json
    assert (found["schema"], found["all_ended"], found["jobs"][0]["state"]) == (
        "molokini.wait/1",
        True,
        "completed",
    )
    assert molokini("wait", 1, "--timeout", "nan").code == 2


def test_an_array_ends_well_if_all_of_its_elements_do(molokini: Command, server: FakeServer) -> None:
    molokini("submit", "--array", "1-3", "--", "true")
    server.state.jobs[1].elements.update(completed=3)
    server.end(1)
    assert molokini("wait", 1).code == 0
    server.state.jobs[1].elements.update(completed=2, failed=1)
    ran = molokini("wait", 1)
    assert ran.code == 1
    assert ran.err in (
        "molokini: job 1[] 2 completed, 1 failed\n",
        "molokini: job 1[] 1 failed, 2 completed\n",
    )


def test_watch(molokini: Command, server: FakeServer) -> None:
    molokini("submit", "--", "true")
    server.end(1, exit_code=3)
    shown = molokini("watch", "--after", 0, "--count", 2).out.splitlines()
    assert shown == ["1 100 s 1 submitted", "2 100 s 1 failed exit code 3"]
    found = json.loads(molokini("watch", 1, "--after", 1, "--count", 1, "--json").out)
    assert (found["schema"], found["sequence"], found["state"]) == ("molokini.event/1", 2, "failed")


def test_explain_and_forecast(molokini: Command) -> None:
    molokini("submit", "--", "true")
    molokini("submit", "--processors", 8, "--", "true")
    shown = molokini("explain", 2).out
    assert shown.startswith("because ")
    assert "  8 processors are needed, and 3 are free\n" in shown
    assert "ahead in the queue  1 job (1)\n" in shown
    assert "what would help: ask for 3 processors or fewer\n" in shown
    assert molokini("explain", 2, "--json").json["rule"] == "not_enough_free"
    assert "starts    in 1 h (at 3700 s)\n" in molokini("forecast", 2).out
    molokini("submit", "--hold", "--", "true")
    assert molokini("forecast", 3).out.startswith("starts   not as things are\nbecause  ")


def test_nodes_queues_policy_clock(molokini: Command) -> None:
    assert molokini("nodes", "--drain", "node1", "--reason", "memory").code == 0
    assert molokini("nodes", "--drain", "node9").err == "molokini: there is no node node9\n"
    assert molokini("nodes", "--drain").code == molokini("nodes", "--drain", "--down", "node1").code == 2
    reason = molokini("nodes", "node1", "--reason", "memory")
    assert (reason.code, reason.out) == (2, "")
    assert reason.err == "molokini: --reason requires --drain, --down or --resume\n"
    drained = molokini("nodes", "--state", "draining", "--json").json
    assert drained["schema"] == "molokini.nodes/1"
    assert [(node["name"], node["state"], node["reason"]) for node in drained["nodes"]] == [
        ("node1", "draining", "memory")
    ]
    assert len(molokini("nodes").out.splitlines()) == 5
    assert molokini("queues", "night", "--set", "max_processors=64", "--set", "nodes=node1,node2").code == 0
    night = molokini("queues", "night", "--json").json["queues"][0]
    assert (night["max_processors"], night["nodes"], night["enabled"]) == (64, ["node1", "node2"], True)
    assert molokini("queues", "night", "--set", "max_procs=1").code == 2
    assert molokini("queues", "night", "--set", "enabled=maybe").code == 2
    assert molokini("queues", "night", "--remove").code == 0
    assert "did you mean 'batch'" in molokini("queues", "bath").err
    assert molokini("policy", "--json").json["parameters"] == {"order": "queue"}
    assert molokini("policy", "--set", "order=shortest").out.splitlines()[:2] == [
        "policy      easy",
        "parameters  order=shortest",
    ]
    assert molokini("policy", "easy?order=queue", "--json").json["parameters"] == {"order": "queue"}
    assert molokini("policy", "easy?order=shortest", "--set", "order=queue").code == 0
    assert molokini("policy", "--json").json["parameters"] == {"order": "shortest"}
    assert molokini("policy", "easy?order").err == (
        "molokini: easy?order: after the question mark stands KEY=VALUE, joined by &\n"
    )
    assert molokini("policy", "bogus").code == 2
    assert molokini("clock", "advance", "1:00:00", "--json").json["now_s"] == 3700.0
    assert molokini("clock", "pause", "--json").json["paused"] is True
    assert molokini("clock", "resume").out == "clock  stepped\nnow    3700 s\n"
    ran = molokini("clock", "rate", "10")
    assert (ran.code, ran.err) == (1, "molokini: rate: only a scaled clock has one\n")


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK])
def test_whatever_the_server_answers_is_one_line(
    molokini: Command, server: FakeServer, monkeypatch: pytest.MonkeyPatch, code: grpc.StatusCode
) -> None:
    # So long is asked again where that may help; the first answer must come in that time.
    monkeypatch.setenv("MOLOKINI_TIMEOUT_S", "3")
    server.faults.fail("ListJobs", code, "two\nlines \x1b[31m", times=1000)
    ran = molokini("jobs")
    assert (ran.code, ran.out, ran.err.count("\n")) == (
        2 if code is grpc.StatusCode.INVALID_ARGUMENT else 1,
        "",
        1,
    )
    assert "\x1b" not in ran.err


def test_the_cluster_in_figures(molokini: Command, server: FakeServer) -> None:
    found = molokini("cluster", "--json").json
    assert found["schema"] == "molokini.cluster/1"
    # All that the server tells, and under the same names in the table.
    assert set(found) - {"schema"} == {field.name for field in Cluster.DESCRIPTOR.fields}
    shown = dict(line.split("  ", 1) for line in molokini("cluster").out.splitlines())
    assert shown["name"].strip() == "fake"
    assert shown["nodes"].strip() == str(found["nodes"])
    assert {name.replace("_", " ") for name in found} - set(shown) == {
        "schema",
        "version",  # of which the fake server has none
        "deadlines met",
        "deadlines missed",
        "deadlines refused",
        "array elements",  # of the configuration: for programs
        "licenses",  # which a cluster without has not
        "licenses used",
    }


def test_commands_are_not_strewn_where_no_folder_is_named(molokini: Command, tmp_path: Path) -> None:
    ran = molokini("shims", "")
    wanted = "molokini: DIR: '' is not allowed; it must be the name of a folder; . is the present one\n"
    assert (ran.code, ran.out, ran.err) == (2, "", wanted)
    assert list(tmp_path.iterdir()) == []
    assert molokini("shims", tmp_path / "bin", "--system", "slurm").code == 0
    assert (tmp_path / "bin" / "sbatch").exists()
