"""Maui's configuration in a live server: journalled with the policy, by names, changed while it runs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from molokini.maui.site import MauiSite
from molokini.model.actors import Origin
from molokini.model.credentials import CredentialType
from molokini.model.errors import BadFile, BadInput, BadValue, Conflict
from molokini.model.facts import PolicySet
from molokini.model.site import CONFIGURATION
from molokini.policies import load_policy, site_of
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.words import Factor
from molokini.server.policies import configuration_of, with_parameter
from molokini.server.server import recovered
from molokini.server.turn.operating import ChangeMauiParameter
from tests.kit.live import MemoryJournal, Story, live
from tests.kit.maui_file import maui_file


def settings(folder: Path, *more: str) -> dict[str, str]:
    return {CONFIGURATION: configuration_of("maui", maui_file(folder, *more))}


def scope_priority(story: Story, job: int, kind: CredentialType) -> float:
    """The priority that the credential of *kind* gives to a job, as the policy has found it."""
    t = story.core.state.tables
    scope = t.credentials.scope[story.job(job).credential, kind]
    return float(t.parameters[t.scopes.row[scope] + 1])


def test_keys_of_peers_are_not_kept(tmp_path: Path) -> None:
    text = configuration_of("maui", maui_file(tmp_path))
    assert "hush" not in text
    assert "FSINTERVAL" in text
    assert load_policy("maui").site({CONFIGURATION: text}).by_number


def test_another_policy_has_no_such_configuration(tmp_path: Path) -> None:
    with pytest.raises(Conflict, match="policy easy has no such file; maui has one"):
        load_policy("easy").site(settings(tmp_path))


def test_what_is_charged_is_what_the_configuration_says(tmp_path: Path) -> None:
    given = settings(tmp_path)
    assert site_of("maui", given).charged() == (1, 43_200.0)
    assert site_of("maui", {**given, "fairshare": "none"}).charged()[0] == 0
    assert site_of("maui", {CONFIGURATION: "FSPOLICY WHATEVER"}).charged() == (0, 1.0)


def test_one_parameter_is_changed_and_the_others_stay(tmp_path: Path) -> None:
    given = {**settings(tmp_path), "windows": "merged"}
    changed = with_parameter("maui", given, "QUEUETIMEWEIGHT 7")
    made = load_policy("maui").site(changed)
    assert isinstance(made, MauiSite)
    assert made.values["windows"] == "merged"
    assert made.settings.factors[Factor.QUEUE_TIME].weight == 7.0
    assert made.settings.factors[Factor.EXPANSION_FACTOR].weight == 10.0
    with pytest.raises(BadInput, match="changeparam"):
        with_parameter("maui", given, "QUEUETIMEWEIGHT often")


async def test_credentials_are_found_by_their_names_whenever_they_come(tmp_path: Path) -> None:
    async with live("maui", parameters=settings(tmp_path)) as story:
        ann, bob, nobody = [
            await story.submit(user, processors=16, run_s=50) for user in ("ann", "bob", "nobody")
        ]
        assert scope_priority(story, ann, CredentialType.USER) == 100
        assert scope_priority(story, bob, CredentialType.USER) == 0, "DEFAULT's"
        assert scope_priority(story, nobody, CredentialType.USER) == 7
        assert scope_priority(story, ann, CredentialType.QUEUE) == 10


@pytest.mark.parametrize(
    ("user", "spec", "priority"),
    [
        ("ann", {}, -50),
        ("ann", {"qos": "high"}, 500),
        ("ann", {"qos": "secret"}, -50),
        ("bob", {}, 0),
        ("bob", {"qos": "high"}, 0),
        ("bob", {"qos": "high", "group": "physics"}, 500),
        ("bob", {"qos": "there-is-none"}, 0),
    ],
)
async def test_a_quality_of_service_is_given_to_those_who_may_have_it(
    tmp_path: Path, user: str, spec: dict[str, str], priority: float
) -> None:
    async with live("maui", parameters=settings(tmp_path)) as story:
        given: dict[str, Any] = {"processors": 1, "run_s": 50, **spec}
        job = await story.submit(user, **given)
        assert scope_priority(story, job, CredentialType.QOS) == priority


async def test_usage_is_the_same_after_a_kill(tmp_path: Path) -> None:
    given = settings(tmp_path)
    async with live("maui", parameters=given) as story:
        for user in ("ann", "bob", "ann"):
            await story.submit(user, processors=4, run_s=5000, estimate_s=50_000)
        await story.advance(1000)
        await story.submit("cy", processors=4, run_s=100, estimate_s=50_000)
        await story.advance(50_000)
        journal = MemoryJournal(story.journal.entries, epoch=2)
        before = story.core.state.tables
        assert (before.usage.charging, before.usage.interval_s) == (1, 43_200.0)
        again = (await recovered(journal)).tables
        for name in ("windows", "rate", "settled_s"):
            assert np.array_equal(getattr(again.usage, name), getattr(before.usage, name)), name
        assert before.usage.windows[:, :2].sum() == pytest.approx(4 * 15_000 + 4 * 100)
        assert (await recovered(journal)).rows.kept() == story.core.state.rows.kept()


async def test_a_change_is_journalled_and_there_after_a_kill(tmp_path: Path) -> None:
    given = settings(tmp_path)
    async with live("maui", parameters=given) as story:
        before = parameters(story.core.state.tables).backfill_depth
        changed = await story.do(ChangeMauiParameter("BACKFILLDEPTH", "3", "root"))
        story.core.reactor.change_policy("maui", changed)
        assert before == 0
        assert parameters(story.core.state.tables).backfill_depth == 3
        with pytest.raises(BadInput, match="BACKFILLDEPTH"):
            await story.do(ChangeMauiParameter("BACKFILLDEPTH", "deep", "root"))
        assert [fact.by for fact in story.journal.facts(PolicySet)] == [Origin.CONFIGURATION, "root"]
        entries = story.journal.entries
    async with live("maui", parameters=given, journal=MemoryJournal(entries, epoch=2)) as story:
        assert parameters(story.core.state.tables).backfill_depth == 3


async def test_of_two_changes_that_come_together_the_second_keeps_the_first(tmp_path: Path) -> None:
    async with live("maui", parameters=settings(tmp_path)) as story:
        asked = [
            story.core.reactor.post(ChangeMauiParameter(name, value, "root"))
            for name, value in (("BACKFILLDEPTH", "3"), ("BACKFILLMETRIC", "SECONDS"))
        ]
        await story.settled()
        changed = [await one for one in asked]
        assert story.state.policy == ("maui", changed[1])
        story.core.reactor.change_policy("maui", changed[1])
        assert parameters(story.state.tables).backfill_depth == 3
        assert parameters(story.state.tables).backfill_metric == 2


async def test_a_new_file_at_a_start_goes_before_what_was_changed(tmp_path: Path) -> None:
    async with live("maui", parameters=settings(tmp_path)) as story:
        await story.do(ChangeMauiParameter("BACKFILLDEPTH", "3", "root"))
        entries = story.journal.entries
    new = settings(tmp_path, "BACKFILLMETRIC SECONDS")
    async with live("maui", parameters=new, journal=MemoryJournal(entries, epoch=2)) as story:
        assert parameters(story.core.state.tables).backfill_depth == 0
        assert parameters(story.core.state.tables).backfill_metric == 2


async def test_without_the_policy_there_is_nothing_to_change() -> None:
    async with live("easy") as story:
        with pytest.raises(BadValue, match="maui"):
            await story.do(ChangeMauiParameter("BACKFILLDEPTH", "3", "root"))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="missing"):
        configuration_of("maui", tmp_path / "missing.cfg")
