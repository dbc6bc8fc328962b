"""The state of a server that is stopped, out of its folder, which stays as it is."""

from pathlib import Path

import pytest

from molokini.app.state_folder import present_in
from molokini.model.errors import BadInput
from molokini.policies import load_policy
from tests.kit.serving import served


async def _left(folder: Path) -> None:
    async with served(folder, "easy") as one, one.client() as ann:
        for processors in (12, 16, 4):
            await ann.submit(processors=processors, estimate_s=100)


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


async def test_it_holds_what_the_server_held(tmp_path: Path) -> None:
    await _left(tmp_path)
    before = _contents(tmp_path / "state")
    found = present_in_thread(tmp_path / "state")
    assert _contents(tmp_path / "state") == before
    assert (found.policy, found.waiting, found.nodes) == ("easy", 1, ("n1", "n2", "n3", "n4"))
    assert sorted(found.jobs) == ["1", "2", "3"]


async def test_the_policy_has_its_parameters(tmp_path: Path) -> None:
    """Kernels read them without asking how many there are."""
    await _left(tmp_path)
    declaration = load_policy("easy").declaration
    found = present_in_thread(tmp_path / "state").tables.parameters.tolist()
    assert found == list(declaration.vector(declaration.values({})))
    assert found


def present_in_thread(folder: Path):  # type: ignore[no-untyped-def]
    """It runs a loop of its own, and this test has one."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(present_in, folder).result()


def test_a_folder_without_a_journal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="state"):
        present_in(tmp_path)
