"""Workloads that cannot be made or merged: one line that says why, exit code 2 (or a warning)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.workloads.fitted import from_file
from tests.clients.command_runs import Ran
from tests.core.workloads.builders import log, record

Command = Callable[..., Ran]

_EVEN = ", ".join(["1.0"] * 48)
_SITE = f"""
schema = "molokini.fit/1"
log = "by hand"
jobs = 50
processors = 8
[gaps]
distribution = "exponential"
parameters = {{ scale = 60.0 }}
zero_share = 0.0
largest_s = 6000.0
[cycle]
weekday = [{_EVEN}]
saturday = [{_EVEN}]
sunday = [{_EVEN}]
[sizes]
values = [1.0, 4.0]
shares = [0.5, 0.5]
[[run]]
distribution = "DISTRIBUTION"
parameters = {{ PARAMETERS }}
most = 8
zero_share = 0.0
largest_s = 1e6
"""


def site(folder: Path, distribution: str, parameters: str) -> Path:
    """A parameter file whose run times have this distribution."""
    path = folder / "site.toml"
    path.write_text(_SITE.replace("DISTRIBUTION", distribution).replace("PARAMETERS", parameters))
    return path


def refused(ran: Ran, words: str) -> None:
    """One line that has *words*, and exit code 2."""
    assert ran.code == 2
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err


def test_a_file_by_hand_makes_jobs(tmp_path: Path) -> None:
    """What the next test spoils is well in itself."""
    model = from_file(site(tmp_path, "bounded-pareto", "k = 1.0, p = 1e5, alpha = 1.1"))
    made = model.make(model.values({}), 1)
    assert (len(made), set(made.processors.tolist())) == (50, {1, 4})


@pytest.mark.parametrize(
    ("distribution", "parameters", "words"),
    [
        ("bounded-pareto", "k = 1.0, p = 1e5, alpha = 0.0", "alpha: 0.0 is not allowed"),
        ("bounded-pareto", "k = 9.0, p = 2.0, alpha = 1.1", "p: 2.0 is not allowed; it must be above k (9)"),
        ("pareto", "k = 1.0, alpha = 0", "alpha"),
        ("pareto", "k = 1.0, alpha = 'x'", "'x' is not a number"),
        ("pareto", "k = 1.0", "needs k, alpha"),
        ("paretto", "k = 1.0, alpha = 1.0", "did you mean 'pareto'"),
    ],
)
def test_distributions_that_are_none(
    molokini: Command, tmp_path: Path, distribution: str, parameters: str, words: str
) -> None:
    path = site(tmp_path, distribution, parameters)
    refused(molokini("workload", "info", f"fitted:{path}?jobs=20"), words)
    refused(molokini("simulate", "--workload", f"fitted:{path}?jobs=20", "--policy", "fcfs"), words)


@pytest.mark.parametrize(
    ("workload", "words"),
    [
        ("lublin?jobs=100&load=0", "load: '0' is not allowed; it must be a number from 1e-06 to 100"),
        ("lublin?jobs=100&load=1e9", "load: '1e9' is not allowed"),
        ("lublin?jobs=2&processors=65536&load=99", "less: these jobs would all come within one second"),
        ("downey?least-work=5&most-work=2", "most-work: 2.0 is not allowed; it must be above least-work (5)"),
        ("lublni?jobs=3", "did you mean 'lublin'?"),
        ("lublin?jobs", "jobs"),
        ("o2k?tables=no/such.toml", "no/such.toml"),
    ],
)
def test_models_that_cannot_be(molokini: Command, workload: str, words: str) -> None:
    refused(molokini("workload", "info", workload), words)
    refused(molokini("simulate", workload, "--policy", "fcfs"), words)


def test_a_merge_of_other_time_zones_warns(molokini: Command, tmp_path: Path) -> None:
    logs = [
        log(
            tmp_path,
            *("; UnixStartTime: 820454400", f"; TimeZoneString: {zone}", "; MaxProcs: 4"),
            record(1, 5, 10, 1),
            name=f"{number}.swf",
        )
        for number, zone in enumerate(("Europe/Stockholm", "US/Pacific"))
    ]
    told = molokini("workload", "merge", *logs, "-o", tmp_path / "m.swf", "--json", "-").json
    assert any("time zone" in warning for warning in told["warnings"]), told["warnings"]
