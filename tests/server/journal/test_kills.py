"""Writers killed at random and at every named point: what was acknowledged is there (F1, F2, F3)."""

import ast
import random
import time
from pathlib import Path

import pytest

from molokini.model.errors import BadValue, UnknownName
from molokini.server import crash
from tests.server.journal.children import ROOT, Writer, check
from tests.server.journal.conftest import KINDS, Place

KILLS = 20
SERVER = ROOT / "server" / "molokini" / "server"
OF_SQLITE = ("before-checkpoint", "after-checkpoint")
"""PostgreSQL makes its own checkpoints."""


def passed_in(folder: Path) -> set[str]:
    """Names of the crash points that the code in *folder* passes."""
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "crash_point":
                assert isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno}: not a plain name"
                names.add(str(node.args[0].value))
    return names


OF_JOURNAL = sorted(passed_in(SERVER / "journal"))


def test_every_crash_point_has_a_name_and_every_name_a_point() -> None:
    assert passed_in(SERVER) == set(crash.POINTS)
    assert len(OF_JOURNAL) >= 8


@pytest.mark.parametrize("text", ["before-comit", "before-commit/JobStart", ":3"])
def test_a_misspelt_crash_point_is_refused(text: str) -> None:
    with pytest.raises(UnknownName):
        crash._read(text)


@pytest.mark.parametrize(
    "text", ["before-commit:0", "before-commit:-1", "before-commit:x", "before-commit:1:2"]
)
def test_a_wrong_count_is_refused(text: str) -> None:
    with pytest.raises(BadValue, match="MOLOKINI_CRASH_AT"):
        crash._read(text)


@pytest.mark.dear("processes that write are killed again and again")
@pytest.mark.deep
async def test_killed_at_random_nothing_acknowledged_is_lost(place: Place) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    dice, kept, began = random.Random(seed), 0, time.monotonic()
    for kill in range(1, KILLS + 1):
        with Writer(place.url, seed=dice.randrange(1 << 16)) as writer:
            writer.listen(lambda one: one.acknowledged > 0)
            time.sleep(dice.uniform(0.0, 0.12))
        assert writer.lines[0].startswith("open ")
        assert writer.lines[0].split()[2] == str(kept), f"seed {seed}"
        journal = await place.open(new=False)
        assert journal.epoch == 2 * kill
        kept = len(await check(journal, writer.acknowledged))
        await journal.close()
    print(f"seed {seed}: {KILLS} kills, {kept} entries, lost 0, {time.monotonic() - began:.1f} s")


@pytest.mark.quick(one_in=18)
@pytest.mark.parametrize(
    ("place", "point"),
    [(kind, one) for kind in KINDS for one in OF_JOURNAL if kind == "sqlite" or one not in OF_SQLITE],
    indirect=["place"],
)
async def test_killed_at_a_named_point_nothing_acknowledged_is_lost(place: Place, point: str) -> None:
    acknowledged = 0
    for passing in (1, 1 if point.endswith("epoch") else 2):
        with Writer(place.url, environment={crash.VARIABLE: f"{point}:{passing}"}) as writer:
            assert writer.ended() == crash.STATUS
        acknowledged = max(acknowledged, writer.acknowledged)
        journal = await place.open()
        kept = await check(journal, acknowledged)
        # A batch that died before its commit is gone; one that died after it is there, though nobody knew.
        assert (len(kept) > acknowledged) == (point == "after-commit")
        acknowledged = len(kept)
        await journal.close()


@pytest.mark.quick(one_in=2)
async def test_a_point_can_be_that_of_one_kind_of_fact(place: Place) -> None:
    with Writer(place.url, environment={crash.VARIABLE: "after-commit/JobEnded:7"}) as writer:
        assert writer.ended() == crash.STATUS
    journal = await place.open(new=False)
    kept = await check(journal, writer.acknowledged)
    batches_with_an_end = 6 if writer.acknowledged else 0
    assert sum(one.kind == "JobEnded" for one in kept[: writer.acknowledged]) >= batches_with_an_end
    assert kept[writer.acknowledged :]
    assert any(one.kind == "JobEnded" for one in kept[writer.acknowledged :])
    await journal.close()


@pytest.mark.quick(one_in=2)
async def test_killed_again_while_it_opens(place: Place) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    dice = random.Random(seed)
    with Writer(place.url) as writer:
        writer.listen(lambda one: one.acknowledged > 500)
    durable = writer.durable
    for _ in range(5):
        with Writer(place.url) as writer:
            time.sleep(dice.uniform(0.05, 0.25))
        # What a killed one kept unsaid, the next has found: each may leave a batch of its own.
        durable = max(durable, writer.durable)
    for point in ("before-epoch", "after-epoch"):
        with Writer(place.url, environment={crash.VARIABLE: point}) as writer:
            assert writer.ended() == crash.STATUS
    journal = await place.open(new=False)
    try:
        print(f"seed {seed}: {len(await check(journal, durable))} entries, epoch {journal.epoch}")
    finally:
        await journal.close()
