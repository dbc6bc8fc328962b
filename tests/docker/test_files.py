"""The files of docker/ hold together: no engine runs where the tests run, so they are linted and compared."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from molokini.server.config import load_config
from tests.clients.command_runs import ROOT

DOCKER = ROOT / "docker"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text())
    return found


def test_the_linter_finds_nothing() -> None:
    linter = Path(sys.executable).parent / "hadolint"
    said = subprocess.run(
        [linter, "--no-color", DOCKER / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (said.stdout, said.returncode) == ("", 0)


def test_what_is_copied_is_there_and_is_all_of_the_product() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (DOCKER / "Dockerfile").read_text(), re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert all((ROOT / name).exists() for name in names)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {Path(package).parts[0] for package in wheel} <= names


def test_extras_that_are_installed_are_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted = {
        one
        for group in re.findall(r"\}\[([a-z,]+)\]", (DOCKER / "Dockerfile").read_text())
        for one in group.split(",")
    }
    assert wanted == {"client", "agent", "server", "postgres"}
    assert wanted <= set(declared)


def test_services_name_what_there_is(compose: dict[str, Any]) -> None:
    """Targets of the image, services, volumes, files."""
    targets = set(re.findall(r" AS (\w+)$", (DOCKER / "Dockerfile").read_text(), re.MULTILINE))
    services = compose["services"]
    for name, service in services.items():
        if "build" in service:
            assert service["build"]["target"] in targets, name
            assert (DOCKER / service["build"]["context"] / service["build"]["dockerfile"]).resolve().exists()
        assert set(service.get("depends_on", ())) <= set(services), name
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (DOCKER / source).exists(), volume


def test_certificates_are_those_that_are_made(compose: dict[str, Any]) -> None:
    made = compose["services"]["certs"]["command"][0]
    wanted = {
        Path(value).stem
        for service in compose["services"].values()
        for name, value in service.get("environment", {}).items()
        if name in ("MOLOKINI_TLS_CERT", "MOLOKINI_TLS_KEY")
    }
    assert wanted == {"user-user", "node-emulated", "node-n1", "node-n2"}
    assert all(f"--{one.replace('-', ' ', 1)}" in made for one in wanted)


def test_options_of_agents_are_options(compose: dict[str, Any]) -> None:
    from molokini.clients.arguments.servers import AgentArguments
    from molokini.clients.quick import read

    for name in ("emulated", "n1", "n2"):
        found = read(AgentArguments, compose["services"][name]["command"])
        assert found is not None, name
        assert (found.name, found.server) == (name, "server:7077")


def test_agents_of_real_jobs_are_not_the_first_process(compose: dict[str, Any]) -> None:
    """Orphans fall to that one, and an agent takes no end of a process that it did not begin."""
    services = compose["services"]
    real = {name for name, one in services.items() if "process" in one.get("command", ())}
    assert real == {name for name, one in services.items() if one.get("init")} == {"n1", "n2"}


def test_the_configuration_of_the_server_is_valid() -> None:
    config = load_config(DOCKER / "server.toml", {})
    assert config.server.listen.endswith(":7077")
    assert config.server.journal.startswith("postgresql://")
