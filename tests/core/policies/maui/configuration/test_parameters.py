"""Parameters of the policy: each is said once, with the name that it has in a maui.cfg."""

import re

import pytest

from molokini.maui.parameters import PARAMETERS as WRITTEN
from molokini.policies.maui.configuration.parameters import DIRECTORY, HEADER, PARAMETERS, MauiParameters
from molokini.policies.maui.configuration.words import Component, Factor

NAMES = [one.name for one in PARAMETERS]


def test_each_has_a_name_and_a_place_of_its_own() -> None:
    assert len(set(NAMES)) == len(NAMES) == HEADER
    places = [member.place for member in MauiParameters.members.values()]
    assert len(set(places)) == len(places)
    last = max(MauiParameters.members.values(), key=lambda member: member.place)
    assert last.place + (last.length or 1) == HEADER + DIRECTORY


@pytest.mark.parametrize("part", [*Component, *Factor], ids=lambda part: part.name)
def test_each_component_and_factor_has_a_weight_and_a_cap(part: Component | Factor) -> None:
    assert {f"{part.name.lower()}_weight", f"{part.name.lower()}_cap"} <= set(NAMES)


@pytest.mark.parametrize(
    "one", [one for one in PARAMETERS if re.match(r"[A-Z]{3,}", one.meaning)], ids=lambda one: one.name
)
def test_the_name_before_a_meaning_is_one_of_maui_cfg(one: object) -> None:
    [name] = re.findall(r"^([A-Z]+)", getattr(one, "meaning", ""))
    assert name in WRITTEN
