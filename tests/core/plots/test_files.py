from pathlib import Path

import pytest
from matplotlib.figure import Figure

from molokini.model.errors import BadFile, BadValue
from molokini.plots import gantt, overview, save
from tests.kit.schedules import Ran, random_workload, replayed, schedule


def picture() -> Figure:
    return gantt(schedule(Ran(0, 0, 10, processors=3), Ran(0, 10, 5), name="`;`$x_ --> $a$"))


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize(
    ("name", "magic"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("b.PNG", b"\x89PNG"), ("a.pdf", b"%PDF")]
)
def test_the_ending_says_the_format(tmp_path: Path, name: str, magic: bytes) -> None:
    save(picture(), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(magic)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.eps", "a", "a.png.txt", ".svg"])
def test_other_endings_are_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadValue, match=r"\.png, \.svg or \.pdf"):
        save(picture(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_picture_is_the_same_bytes(tmp_path: Path, ending: str) -> None:
    many = replayed(random_workload(4000, 64), 64)
    for name in ("one", "two"):
        save(overview(many), tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="nowhere"):
        save(picture(), tmp_path / "nowhere" / "a.png")


def test_a_failure_leaves_the_old_picture_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"old")
    figure = picture()

    def full(name: Path, **_: object) -> None:
        Path(name).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(figure, "savefig", full)
    with pytest.raises(BadFile, match="No space left"):
        save(figure, path)
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["a.png"]
