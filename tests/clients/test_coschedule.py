"""``molokini coschedule``: run, compare, timeline, explain, and what is refused."""

import csv
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.compiled.compilation import interpreted, interpreting
from tests.clients.command_runs import EXAMPLE, ROOT, Ran

Command = Callable[..., Ran]
EXAMPLES = ROOT / "examples" / "coscheduling"

TWO = """
nodes = 2
until = "5s"
[[job]]
name = "one"
kind = "bsp"
processes = 2
compute = "exponential 2ms"
work = "100ms"
[[job]]
name = "two"
kind = "bsp"
processes = 2
compute = "exponential 3ms"
work = "100ms"
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(TWO)
    return path


def test_the_first_worked_example_to_the_nanosecond(molokini: Command) -> None:
    found = molokini("coschedule", "run", EXAMPLES / "ping-pong.toml", "--local", "spin", "--json", "-").json
    assert found["schema"] == "molokini.coschedule/1"
    assert found["elapsed_ns"] == 260_000
    job = found["jobs"][0]
    assert (job["compute_ns"], job["spin_ns"], job["send_ns"], job["receive_ns"]) == (
        200_000,
        275_000,
        10_000,
        10_000,
    )
    assert [
        sum(line[f"{name}_ns"] for name in ("compute", "spin", "send", "receive", "idle"))
        for line in found["cpus"]
    ] == [
        260_000,
        260_000,
    ]


def test_tables_are_written(molokini: Command, two: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    found = molokini(
        "coschedule",
        "run",
        two,
        "--jobs",
        tmp_path / "j.parquet",
        "--cpus",
        tmp_path / "c.csv",
        "--json",
        "-",
    ).json
    table = parquet.read_table(tmp_path / "j.parquet").to_pylist()
    assert table == found["jobs"]
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 3


@pytest.mark.deep
def test_a_comparison_is_the_same_whatever_the_number_of_workers(
    molokini: Command, two: Path, tmp_path: Path
) -> None:
    asked = (
        "coschedule",
        "compare",
        two,
        "--local",
        "spin",
        "--local",
        "block+boost",
        "--seeds",
        2,
        "--json",
        "-",
    )
    one = molokini(*asked, "--workers", 1)
    assert molokini(*asked, "--workers", 2).out == one.out
    assert [point["way"] for point in one.json["points"]] == ["spin", "block+boost"]
    assert one.json["points"][0]["less_base"]["be_response_s"]["mean"] == 0
    shown = molokini(
        "coschedule", "compare", two, "--local", "sb", "--seeds", 2, "--plot", tmp_path / "p.png"
    )
    assert shown.code == 0
    assert (tmp_path / "p.png").stat().st_size > 10_000


def test_a_timeline_covers_its_window(molokini: Command, two: Path, tmp_path: Path) -> None:
    found = molokini(
        *("coschedule", "timeline", two, "--from", 0.01, "--to", 0.02, "--local", "pb"),
        *("--json", "-", "--plot", tmp_path / "t.svg", "--html", tmp_path / "t.html"),
    ).json
    for cpu in (0, 1):
        mine = [one for one in found["pieces"] if one["cpu"] == cpu]
        assert mine[0]["from_ns"] <= 10_000_000
        assert mine[-1]["to_ns"] >= 20_000_000
        assert all(one["to_ns"] == other["from_ns"] for one, other in itertools.pairwise(mine))
    assert (tmp_path / "t.svg").stat().st_size > 1000
    assert "molokini.page-inside/1" in (tmp_path / "t.html").read_text()


def test_a_scenario_is_explained_with_its_defaults(molokini: Command) -> None:
    found = molokini("coschedule", "explain", EXAMPLES / "pipeline.toml", "--json", "-").json
    assert found["scheduling"]["scheme"] == "2dcs-tdm"
    assert found["scheduling"]["spin"] == "260us"
    assert found["jobs"][0]["programs"][1]["of"] == ["1", "2"]
    shown = molokini("coschedule", "explain", EXAMPLES / "two-classes.toml")
    assert "rt_load 0.4" in shown.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--local", "pbsb"), "--local: 'pbsb' is not allowed; it must be one of spin"),
        (("--scheme", "2gs"), "--scheme: '2gs' is not allowed; it must be one of local, 1gs"),
        (("--scheme", "1gs", "--local", "pb"), "--local: the scheme 1gs has local policies of its own"),
        (("--seed", -1), "--seed: -1 is not allowed"),
        (
            ("--jobs", "jobs.txt"),
            "--jobs: 'jobs.txt' is not allowed; it must be a file name that ends in .csv",
        ),
    ],
)
def test_bad_options_are_refused(
    molokini: Command, two: Path, arguments: tuple[str, ...], words: str
) -> None:
    ran = molokini("coschedule", "run", two, *arguments)
    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_loads_need_arrivals(molokini: Command, two: Path) -> None:
    ran = molokini("coschedule", "compare", two, "--rt-rate", "0.2:0.4:0.2")
    assert ran.code == 2
    assert "has no [arrivals]" in ran.err
    assert "from 0 to 100" in molokini("coschedule", "compare", two, "--rt-rate", "1:0:1").err


@pytest.mark.deep
def test_a_local_policy_of_ones_own_beside_a_shipped_one(molokini: Command, two: Path) -> None:
    own = EXAMPLES / "first_job_first.py"
    ran = molokini("coschedule", "run", two, "--local", own)
    assert ran.code == 0
    assert "first_job_first.py: " in ran.out
    found = molokini(
        *("coschedule", "compare", two, "--local", own, "--local", "sb"),
        *("--seeds", 2, "--workers", 2, "--json", "-"),
    ).json
    assert [point["way"] for point in found["points"]] == ["first_job_first", "sb"]
    # Programs are the same whatever the policy; when they are done is not.
    mine, other = (point["runs"][0] for point in found["points"])
    assert mine["be_compute_s"] == pytest.approx(other["be_compute_s"])
    assert mine["be_response_s"] != other["be_response_s"]


OWN = """
from molokini.process_sim.levels import place_where_fewest, prepare_levels
from molokini.process_sim.words import Hook


def policy(w, hook, subject, value):
    if hook == Hook.PLACE:
        place_where_fewest(w, subject)
        return 1
    if hook == Hook.START:
        for p in range(w.procs.state.size):
            prepare_levels(w, p)
    if hook == Hook.QUANTUM_END:
        w.cpus.quantum[subject] = {quantum}
    if hook == Hook.PICK:
        {pick}
    return 0
"""


def own_text(pick: str, quantum: str = "1_000_000") -> str:
    """A local policy that does what is needed, and picks like that."""
    return OWN.format(pick=pick, quantum=quantum)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "own.py: there is no such policy file"),
        ("x = 1\n", "own.py: a file of a local policy needs a function policy(world, hook, subject, value)"),
        ("policy = 3\n", "own.py: a file of a local policy needs a function policy("),
        ("def policy(w, hook):\n    return 0\n", "own.py: its policy must be a function of four arguments"),
        ("def policy(:\n", "own.py:1: not Python"),
        ("import nothing_of_this_name\n", "own.py: cannot be imported: ModuleNotFoundError"),
        (
            own_text("return 99"),
            "own.py: PICK at 0ns returned 99: it must be a process of that CPU, or -1",
        ),
        (own_text("return 3 - subject"), "which is not ready on that CPU"),
        (own_text("return {}[1].there"), "own.py:16: KeyError: 1"),
        (
            own_text("return w.cpus.first[subject]", quantum="0"),
            "own.py: QUANTUM_END at 120ms left a CPU without a quantum: set world.cpus.quantum[cpu]",
        ),
        (
            "def policy(w, hook, subject, value):\n    return int(hook == 1)\n",
            "no queued job can ever be placed",
        ),
    ],
    ids=[
        "no file",
        "no policy",
        "no function",
        "two",
        "no Python",
        "import",
        "nobody",
        "other",
        "raises",
        "quantum",
        "place",
    ],
)
def test_a_bad_local_policy_is_told_in_one_line(
    molokini: Command, two: Path, tmp_path: Path, text: str | None, words: str
) -> None:
    own = tmp_path / "own.py"
    if text is not None:
        own.write_text(text)
    with interpreting():
        ran = molokini("coschedule", "run", two, "--local", own)
    assert words in ran.err
    assert ran.code == 2
    assert "Traceback" not in ran.err
    assert len([line for line in ran.err.splitlines() if "compil" not in line]) == 1


def test_a_policy_that_numba_cannot_compile_runs_as_plain_python(
    molokini: Command, two: Path, tmp_path: Path
) -> None:
    plain = own_text("return next((p for p in ready(w, subject)), -1)") + (
        "\n\ndef ready(w, cpu):\n"
        "    every = range(w.procs.state.size)\n"
        "    return [p for p in every if w.procs.cpu[p] == cpu and w.procs.state[p] in (2, 3)]\n"
    )
    own = tmp_path / "own.py"
    own.write_text(plain)
    ran = molokini("coschedule", "run", two, "--local", own)
    assert ran.err.count("\n") <= 3
    assert ran.code == 0
    assert interpreted() or "numba cannot compile it" in ran.err
    assert "own.py: " in ran.out


def test_a_schedule_that_simulate_wrote_is_looked_at_from_inside(molokini: Command, tmp_path: Path) -> None:
    schedule = tmp_path / "easy.csv"
    assert molokini("simulate", EXAMPLE, "--policy", "easy", "--schedule", schedule).code == 0
    begin, length = 600_000.0, 40_000.0
    with schedule.open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["start_s"]]
    wanted = [row for row in rows if begin <= float(row["start_s"]) < begin + length]
    assert len(wanted) > 5
    inside = tmp_path / "inside.toml"
    inside.write_text(
        f'nodes = 100\nuntil = "{length:g}s"\n[schedule]\nfile = "easy.csv"\n'
        f'from = "{begin:g}s"\nfor = "{length:g}s"\ncompute = "100s"\nmost = 8\n'
    )
    found = molokini("coschedule", "run", inside, "--local", "sb", "--json", "-").json
    jobs = {job["job"]: job for job in found["jobs"]}
    assert len(jobs) == min(8, len(wanted))
    for row in wanted[:8]:
        job = jobs[row["job"]]
        assert job["processes"] == int(row["processors"])
        assert job["arrival_ns"] == round((float(row["start_s"]) - begin) * 1e9)
        # As much work as it ran for, in whole grains; alone on its nodes it takes about as long.
        work_s, ran_s = (
            job["compute_ns"] / 1e9 / job["processes"],
            float(row["end_s"]) - float(row["start_s"]),
        )
        if job["end_ns"] is not None:
            assert work_s == pytest.approx(ran_s, abs=101)


def test_a_part_of_a_schedule_in_which_nothing_starts_is_told(molokini: Command, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("job,start_s,end_s,processors\n1,100,200,2\n2,150.5,300,1\n")
    (tmp_path / "s.toml").write_text('nodes = 2\n[schedule]\nfile = "s.csv"\nfrom = "500s"\n')
    ran = molokini("coschedule", "run", tmp_path / "s.toml")
    assert ran.code == 2
    assert "its jobs started from 100 s to 150 s" in ran.err
    (tmp_path / "s.csv").write_text("job,start_s,end_s\n1,100,200\n")
    assert "no column processors" in molokini("coschedule", "run", tmp_path / "s.toml").err


RT = 'nodes = 4\nuntil = "1s"\n[[job]]\nkind = "real-time"\nduration = "1s"\n'
STAGES = '[[job.stage]]\nname = "a"\nafter = ["b"]\n[[job.stage]]\nname = "b"\n'
BSP = 'nodes = 4\n[[job]]\nkind = "bsp"\ncompute = "1ms"\nwork = "10ms"\n'
TALK = (
    'nodes = 2\n[[job]]\n[[job.process]]\nname = "A"\nnode = 0\nprogram = [{a}]\n'
    '[[job.process]]\nname = "B"\nnode = 1\nprogram = [{b}]\n'
)
FREE = '[costs]\nsend = "0ns"\nreceive = "0ns"\nlatency = "0ns"\nlocal_latency = "0ns"\n'


def talk(a: str, b: str) -> str:
    """Two processes with these programs."""
    return TALK.format(a=a, b=b)


BAD = {
    "a graph with a cycle": (
        RT + STAGES + 'after = ["a"]\n',
        "bad.toml: job[1].stage: the graph has a cycle, a -> b -> a",
    ),
    "more stages than processes": (
        RT + "processes = 1\n" + STAGES.replace('after = ["b"]\n', ""),
        "job[1].processes: 2 stages on 1 processes: stage b has none",
    ),
    "a process without a node": (
        BSP + "processes = 3\nnodes = [0, 0]\n",
        "2 nodes for 3 processes: process 2 has no node",
    ),
    "frames of days": (
        RT + 'zeta = ["25h"]\n',
        "job[1].zeta: 90000s for each of 100 frames a period is more than a day",
    ),
    "0:0": (
        BSP + '[scheduling]\nratio = "0:0"\n',
        "bad.toml: scheduling.ratio: '0:0' is not allowed; it must be x:y",
    ),
    "a class without a row": (
        BSP + '[scheduling]\nscheme = "1gs"\nratio = "3:0"\n',
        "scheduling.ratio: 3:0 leaves a class without a row of 1gs",
    ),
    "a negative cost": (
        BSP + '[costs]\nswitch = "-5us"\n',
        "bad.toml: costs.switch: '-5us' is not allowed; it must be",
    ),
    "a receive without a send": (
        talk('"compute 1ms", "receive B"', '"receive A"'),
        "deadlock at 1ms: A waits for a message of B, B waits for a message of A, and nothing is on its way",
    ),
    "a program that takes no time": (
        talk('"repeat", "compute 0ns", "end"', '"compute 1ms"'),
        "the program of A loops without end at 0ns: none of its operations takes any time",
    ),
    "programs that take no time together": (
        talk('"repeat", "send B", "receive B", "end"', '"repeat", "receive A", "send A", "end"') + FREE,
        "programs go on without end at 0ns: their operations take no time",
    ),
    "10^7 processes": (
        BSP + "processes = 10000000\n",
        "processes with 100,000,000,000,000 channels need",
    ),
    "an unknown key": (BSP + 'patern = "ring"\n', "named 'patern'; did you mean 'pattern'?"),
    "an unknown table": (BSP + "[cost]\n", "bad.toml named 'cost'; did you mean 'costs'?"),
    "no TOML": ("nodes = \n", "bad.toml"),
    "no file": (None, "bad.toml: No such file"),
}


# Both programs have to run until it shows, which compiles an engine.
@pytest.mark.quick(*(name for name in BAD if name != "programs that take no time together"))
@pytest.mark.parametrize(("text", "words"), BAD.values(), ids=list(BAD))
def test_a_bad_scenario_is_refused_by_every_command(
    molokini: Command, tmp_path: Path, text: str | None, words: str
) -> None:
    path = tmp_path / "bad.toml"
    if text is not None:
        path.write_text(text)
    with interpreting():
        ran = molokini("coschedule", "run", path)
    assert words in ran.err
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1
    runs_first = ("deadlock", "without end at")
    if not any(word in words for word in runs_first):
        for command in ("explain", "compare", "timeline"):
            with interpreting():
                again = molokini("coschedule", command, path)
            assert (again.code, again.err) == (2, ran.err), command
