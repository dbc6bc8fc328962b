"""Fair share and decay: the worked cases 2 to 5, 17 and 18 of the reference."""

import pytest

from molokini.policies.slurm.configuration.line_layout import LINE, Count, Line
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.settings import Association, SlurmSettings
from tests.kit.slurm import FOUR, USERS, WEIGHTS, Ran, Sbatch, settings_of, slurm, tree


def test_the_weight_of_fair_share_changes_who_starts_first() -> None:
    """Case 3's usage: lp before man by shares; without the weight the first that was submitted."""
    used = tree({"root": 5112.0, "daemon": 48.0, "sys": 120.0, "man": 26.0, "lp": 5.0})
    jobs = [
        Sbatch(0, 20, 1, **FOUR),
        Sbatch(1, 20, 1, user="man", **FOUR),
        Sbatch(2, 20, 1, user="lp", **FOUR),
    ]
    weighed = slurm(jobs, settings_of({"priority_weight_fairshare": 100_000.0}, associations=used))
    plain = slurm(jobs, settings_of(associations=used))
    assert weighed.replay.run()
    assert plain.replay.run()
    assert weighed.starts == [0.0, 42.0, 21.0]
    assert plain.starts == [0.0, 21.0, 42.0]


def factors(settings: SlurmSettings) -> dict[str, float]:
    """The fair-share factor of each user at the beginning."""
    t = slurm([Sbatch(0, 10, 1)], settings).until(0.0).replay.tables
    first, found = int(parameters(t).associations), {}
    for at in range(first, first + int(parameters(t).association_count) * LINE, LINE):
        user = int(t.parameters[at + Line.USER])
        if user >= 0:
            found[USERS[user]] = round(float(t.site.tallies[at + Count.FACTOR]), 6)
    return found


def test_case_2_nobody_has_used_anything() -> None:
    assert factors(settings_of(WEIGHTS)) == {
        "root": 1.0,
        "daemon": 1.0,
        "bin": 0.75,
        "sys": 0.75,
        "games": 0.5,
        "man": 0.5,
        "lp": 0.5,
        "mail": 0.5,
    }


def test_case_3_fair_tree_with_usage() -> None:
    used = tree({"root": 5112.0, "daemon": 48.0, "sys": 120.0, "man": 26.0, "lp": 5.0})
    assert factors(settings_of(WEIGHTS, associations=used)) == {
        "mail": 1.0,
        "lp": 0.875,
        "man": 0.75,
        "daemon": 0.625,
        "bin": 0.5,
        "sys": 0.375,
        "games": 0.25,
        "root": 0.125,
    }


BY_HAND = (
    Association("root"),
    Association("a", parent="root", shares=40),
    Association("b", parent="root", shares=60),
    Association("a", "bin", shares=1, usage_s=100.0),
    Association("a", "sys", shares=3, usage_s=500.0),
    Association("b", "man", usage_s=500.0),
    Association("b", "lp", usage_s=100.0),
)


def test_case_4_fair_tree_by_hand() -> None:
    found = factors(settings_of(WEIGHTS, associations=BY_HAND))
    assert found == {"lp": 1.0, "man": 0.75, "bin": 0.5, "sys": 0.25}


def test_case_5_the_same_classic() -> None:
    chosen = {**WEIGHTS, "no_fair_tree": "on"}
    found = factors(settings_of(chosen, associations=BY_HAND))
    assert found == {"bin": 0.272627, "sys": 0.330513, "man": 0.346811, "lp": 0.50972}
    damped = factors(settings_of({**chosen, "fair_share_dampening": 3}, associations=BY_HAND))
    assert damped["bin"] == 0.64842


def _usage(ran: Ran, user: str) -> float:
    t = ran.replay.tables
    first = int(parameters(t).associations)
    rows = range(first, first + int(parameters(t).association_count) * LINE, LINE)
    return next(
        float(t.site.tallies[at + Count.USAGE_S])
        for at in rows
        if int(t.parameters[at + Line.USER]) == USERS.index(user)
    )


def test_case_17_decay_of_two_minutes() -> None:
    chosen = {**WEIGHTS, "priority_decay_half_life_s": 120.0, "priority_calc_period_s": 60.0}
    used = tree({"sys": 8134.0, "man": 60.0, "lp": 41.0})
    ran = slurm([Sbatch(0, 500, 10, tasks=1, user="mail")], settings_of(chosen, associations=used)).until(
        60.0
    )
    assert [int(_usage(ran, user)) for user in ("sys", "man", "lp")] == [5746, 42, 28]


def test_case_18_decay_by_hand() -> None:
    settings = settings_of(WEIGHTS, associations=tree({"sys": 1_000_000.0}))
    ran = slurm([Sbatch(0, 90_000, 2000, tasks=1, user="mail")], settings).until(86_400.0)
    assert _usage(ran, "sys") == pytest.approx(905_742.66, abs=0.01)
    ran = slurm([Sbatch(0, 90_000, 2000, tasks=16, user="mail")], settings).until(300.0)
    assert _usage(ran, "mail") == pytest.approx(19_193.401 / 4, abs=0.001)
