"""Maui's configuration through the site port: what servers, runs and reports get of a file."""

from pathlib import Path

import pytest

from molokini.model.errors import BadFile, BadInput
from molokini.model.site import CONFIGURATION, KnownNode, Misplaced, Site
from molokini.policies import load_policy

TEXT = """\
RMPOLLINTERVAL 00:00:30
USERCFG[ann] PRIORITY=10 ADEF=physics
CLASSCFG[batch] DEFAULT.WCLIMIT=3600 OVERRUN=60
QOSCFG[high] PRIORITY=100
NODECFG[n2] PARTITION=old FEATURES=fast
AMCFG[bank] TYPE=FILE
SRCFG[day] TASKCOUNT=1
SRCFG[day] HOSTLIST=n2
"""
N1, N2 = KnownNode("n1", 4), KnownNode("n2", 4)


def written(folder: Path, text: str = TEXT) -> Path:
    path = folder / "maui.cfg"
    path.write_text(text)
    return path


def of_text(text: str = TEXT, **given: str) -> Site:
    return load_policy("maui").site({CONFIGURATION: text, **given})


def of_file(path: Path, **given: str) -> Site:
    policy = load_policy("maui")
    return policy.configurations.site_in(policy.plain, path, given)


@pytest.mark.parametrize("how", ["text", "file"])
def test_a_site_says_what_its_configuration_says(tmp_path: Path, how: str) -> None:
    site = of_text() if how == "text" else of_file(written(tmp_path))
    assert (site.default_limit_s("batch"), site.overrun_s("batch"), site.overruns) == (3600.0, 60.0, True)
    assert (site.default_limit_s("other"), site.overrun_s("other")) == (0.0, 0.0)
    assert {"ann", "batch", "high"} <= set(site.names())
    assert site.services()["high"] > 0
    assert site.node("n2") == (("fast",), "old")
    assert site.node("n1")[1] == "DEFAULT"
    assert "old" in site.partitions
    assert site.bank() is not None
    rules = site.account_rules()
    assert rules is not None
    assert (rules.default("ann", "", ""), rules.default("bob", "", "")) == ("physics", "")
    assert [(one.name, one.terms.hosts) for one in site.reservations(8, [N1, N2])] == [("day", {"n2": 4})]


def test_parameters_that_are_given_go_before_the_configuration() -> None:
    assert of_text().values["poll_s"] == 30.0
    assert of_text(poll_s="7").values["poll_s"] == 7.0
    with pytest.raises(BadInput, match="poll"):
        of_text(pol_s="7")


def test_a_misplaced_reservation_is_found_in_the_file_and_in_no_text(tmp_path: Path) -> None:
    for site, line in ((of_file(written(tmp_path)), 8), (of_text(), None)):
        with pytest.raises(Misplaced) as found:
            site.reservations(4, [N1])
        assert site.line_of(found.value) == line


def test_a_configuration_is_journalled_without_the_keys_of_peers(tmp_path: Path) -> None:
    path = written(tmp_path, TEXT + "CLIENTCFG[agent] CSKEY=hush\n")
    configurations = load_policy("maui").configurations
    for text in (configurations.configuration_of(path), configurations.configuration_in(path.read_text())):
        assert "hush" not in text
        assert of_text(text).names() == of_text().names()


def test_a_changed_line_goes_before_what_was_there() -> None:
    changed = load_policy("maui").configurations.changed(TEXT, "RMPOLLINTERVAL 00:00:05")
    assert of_text(changed).values["poll_s"] == 5.0
    assert of_text(changed).names() == of_text().names()


@pytest.mark.parametrize("mode", ["NORMAL", "SIMULATION"])
def test_a_simulation_of_its_own_is_asked_for_by_the_server_mode(tmp_path: Path, mode: str) -> None:
    said = of_file(written(tmp_path, f"SERVERMODE {mode}\n{TEXT}SIMWORKLOADTRACEFILE jobs\n")).simulation()
    assert (said is not None) == (mode == "SIMULATION")
    assert said is None or (said.workload, said.step_s) == ("jobs", 30.0)


def test_a_mistake_in_a_file_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"maui\.cfg:2"):
        of_file(written(tmp_path, "# fine\nRESERVATIONDEPTH -1\n"))
