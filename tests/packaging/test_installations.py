"""The wheel installed with each extra into an empty environment, as a user would: 550 MB from an index."""

from pathlib import Path

import pytest

from tests.packaging.environments import Environment, build_wheel

pytestmark = pytest.mark.deep

TEST_OF_A_USER = """\
import pytest

from molokini.testing import Cluster


def test_a_job_ends(molokini_cluster: Cluster) -> None:
    done = molokini_cluster.run("sbatch", "--parsable", "--time", "10", "--wrap", "true")
    molokini_cluster.clock.advance(3600)
    assert molokini_cluster.job(done.stdout.strip())["state"] == "COMPLETED"


@pytest.mark.molokini(mode="process")
def test_a_job_runs(molokini_cluster: Cluster) -> None:
    done = molokini_cluster.run("qsub", "-W", "block=true", "--", "/bin/true")
    assert done.returncode == 0
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("dist"))


def test_without_extras(wheel: Path, tmp_path: Path) -> None:
    made = Environment(tmp_path / "environment")
    made.install(str(wheel))
    assert made.run("molokini", "--help").code == 0
    simulated = made.run("molokini", "simulate", "lublin?jobs=10", "--policy", "easy")
    assert simulated.code == 2
    assert simulated.err.endswith("pip install 'molokini[sim]'\n")
    started = made.run("molokini", "up", cwd=tmp_path)
    assert started.code == 2
    assert started.err.endswith("pip install 'molokini[server,agent]'\n")
    asked = made.run("python", "-c", "from molokini.experiments import simulate")
    assert asked.err.splitlines()[-1].startswith("ImportError: molokini.experiments.simulate needs ")


def test_for_simulations(wheel: Path, tmp_path: Path) -> None:
    made = Environment(tmp_path / "environment")
    made.install(f"{wheel}[sim]")
    cache = str(tmp_path / "cache")
    words = ("simulate", "lublin?jobs=1000", "--policy", "easy", "--json", "-")
    ran = made.run("molokini", *words, MOLOKINI_CACHE_DIR=cache, MOLOKINI_QUIET="1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["workload"]["jobs"] == 1000


def test_for_servers_and_for_the_tests_of_another_project(wheel: Path, tmp_path: Path) -> None:
    made = Environment(tmp_path / "environment")
    made.install(f"{wheel}[server,agent]", "pytest", "mypy")
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_jobs.py").write_text(TEST_OF_A_USER)
    cache = str(tmp_path / "cache")
    ran = made.run("pytest", "-q", "-p", "no:cacheprovider", cwd=project, MOLOKINI_CACHE_DIR=cache)
    assert ran.code == 0, ran.out
    checked = made.run("mypy", "--strict", "test_jobs.py", cwd=project)
    assert checked.code == 0, checked.out
