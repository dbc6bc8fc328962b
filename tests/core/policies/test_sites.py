"""What a policy is made of, as servers and runs ask for it: by its name and its parameters."""

import importlib
from pathlib import Path

import pytest

from molokini.model.errors import Conflict
from molokini.model.site import CONFIGURABLE, CONFIGURATION, FILES, PLAIN, Configurations
from molokini.policies import load_policy, policy_names, site_of

POLICIES = policy_names()
CONFIGURED = [name for name in POLICIES if load_policy(name).declaration.configurations]


def test_the_policies_that_messages_name_are_those_with_configurations() -> None:
    assert sorted(FILES) == CONFIGURED


@pytest.mark.parametrize("name", CONFIGURED)
def test_the_module_that_a_policy_names_makes_sites(name: str) -> None:
    module = importlib.import_module(load_policy(name).declaration.configurations)
    wanted = {one for one, value in vars(Configurations).items() if one[0] != "_" and callable(value)}
    assert len(wanted) == 5
    assert [one for one in sorted(wanted) if not callable(getattr(module, one, None))] == []


@pytest.mark.parametrize("name", [name for name in POLICIES if name not in CONFIGURED])
def test_a_policy_without_configurations_refuses_one(name: str) -> None:
    with pytest.raises(
        Conflict, match=f"{CONFIGURATION}: policy .*{name} has no such file; {CONFIGURABLE} has one"
    ):
        load_policy(name).site({CONFIGURATION: ""})


@pytest.mark.parametrize("name", POLICIES)
def test_without_a_configuration_a_policy_reads_its_parameters_alone(name: str) -> None:
    declaration = load_policy(name).declaration
    site = load_policy(name).site({})
    vector = list(site.vector(lambda kind, of: 7, lambda node: 7))
    assert vector == list(declaration.vector(declaration.values({})))
    assert (site.names(), site.services(), site.bank(), site.reservations(8, ())) == ((), {}, None, [])
    assert (site.by_number, site.overruns, site.partitions) == (False, False, ())
    assert (site.default_limit_s("batch"), site.overrun_s("batch")) == (0.0, 0.0)


def test_a_journal_may_name_a_policy_that_is_gone(tmp_path: Path) -> None:
    """It did plan, perhaps, so that what became free early is kept for it."""
    gone = site_of(str(tmp_path / "gone.py"), {"depth": "3"})
    assert gone is PLAIN
    assert (gone.plans, gone.charged(), gone.declaration.counted_only) == (True, (0, 1.0), False)


@pytest.mark.parametrize(("name", "plans"), [("fcfs", False), ("conservative", True)])
def test_parameters_that_are_no_longer_understood_leave_what_the_policy_says(name: str, plans: bool) -> None:
    left = site_of(name, {"of-another-release": "1"})
    assert (left.declaration.name, left.plans, left.charged()) == (name, plans, (0, 1.0))
