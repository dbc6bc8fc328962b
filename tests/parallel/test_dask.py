"""Dask as an executor: the same results, a killed worker costs its call, what cannot be is one line."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from molokini.model.errors import BadInput, BadValue, MissingExtra, MolokiniError
from molokini.parallel import dask_work
from molokini.parallel.dask_work import Edition, Shipped, call
from molokini.parallel.executors import outcomes

pytest.importorskip("distributed")

from molokini.parallel.dask_executor import Dask


def square(number: int) -> int:
    return number * number


def fussy(number: int) -> int:
    if number == 3:
        raise BadValue("number", number, "anything else")
    return number


@pytest.mark.deep
@pytest.mark.waits
@pytest.mark.parametrize("in_order", [True, False])
def test_the_same_as_here(in_order: bool) -> None:
    squares = [square(number) for number in range(40)]
    found = list(outcomes(square, iter(range(40)), Dask("local", 2), in_order=in_order))
    assert (found if in_order else sorted(found)) == squares


@pytest.mark.deep
@pytest.mark.waits
def test_a_failure_arrives_as_it_was() -> None:
    with pytest.raises(BadInput, match="number: 3 is not allowed; it must be anything else"):
        list(outcomes(fussy, [1, 2, 3, 4], Dask("local", 1)))


@pytest.mark.deep
@pytest.mark.waits
def test_a_killed_worker_costs_its_call_only(tmp_path: Path) -> None:
    def once(number: int) -> int:
        mark = tmp_path / "killed"
        if number == 5 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    found = list(outcomes(once, iter(range(30)), Dask("local", 2), in_order=False))
    assert (tmp_path / "killed").exists()
    assert sorted(found) == list(range(30))


@pytest.mark.waits
def test_an_address_without_a_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("molokini.parallel.dask_clusters.ADDRESS_WITHIN_S", 0.3)
    with pytest.raises(MolokiniError, match=r"^--dask tcp://127.0.0.1:1: no Dask scheduler answers there$"):
        list(outcomes(square, [1, 2], Dask("tcp://127.0.0.1:1")))


@pytest.mark.parametrize("where", ["", "locale", "127.0.0.1:8786", "sge"])
def test_a_place_that_is_none(where: str) -> None:
    with pytest.raises(BadValue, match=r"--dask: .* it must be local, an address"):
        Dask(where)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "dask_jobqueue", None)
    with pytest.raises(MissingExtra, match=r"--dask slurm needs dask-jobqueue; .*molokini\[dask\]"):
        Dask("slurm")


@pytest.fixture
def shipped() -> Iterator[Shipped]:
    import cloudpickle

    yield Shipped("test", cloudpickle.dumps(square), dask_work.edition())
    dask_work._functions.clear()


def test_a_worker_of_another_version_refuses_with_both(shipped: Shipped) -> None:
    assert call(shipped, 3) == 9
    other = Shipped("other", shipped.pickled, Edition("0.0.9", "abc"))
    told = call(other, 3)
    assert "0.0.9 (code abc)" in told.text
    assert str(dask_work.edition()) in told.text


def test_a_worker_keeps_a_few_functions(shipped: Shipped) -> None:
    for number in range(9):
        assert call(Shipped(f"{number}", shipped.pickled, shipped.edition), number) == number**2
    assert len(dask_work._functions) <= 4
