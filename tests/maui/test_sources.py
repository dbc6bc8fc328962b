"""The text of configuration files with what they include: whole, bounded, and never a pipe."""

import os
from pathlib import Path

import pytest

from molokini.maui import check, read_config
from molokini.model.errors import BadFile


def test_an_include_stands_for_its_lines(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "maui.cfg").write_text("BACKFILLDEPTH 1\n#INCLUDE parts/more.cfg\nBACKFILLDEPTH 3\n")
    (tmp_path / "parts" / "more.cfg").write_text("BACKFILLDEPTH 2\nRESERVATIONDEPTH 4\n#INCLUDE last.cfg\n")
    (tmp_path / "parts" / "last.cfg").write_text("FSWEIGHT 5")
    config = read_config(tmp_path / "maui.cfg")
    assert config.backfill.depth == 3
    assert config.reservations.depth == {"0": 4}
    assert config.priority.fairshare.value == 5


def test_a_trouble_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "maui.cfg").write_text("\n#INCLUDE more.cfg\n")
    (tmp_path / "more.cfg").write_text("\n\nNOSUCH 1\n")
    with pytest.raises(BadFile, match=r"more.cfg:3: NOSUCH: no parameter"):
        read_config(tmp_path / "maui.cfg")


def test_include_loops_and_missing_files(tmp_path: Path) -> None:
    (tmp_path / "a.cfg").write_text("#INCLUDE b.cfg\nNOSUCH 1\n")
    (tmp_path / "b.cfg").write_text("BACKFILLDEPTH 2\n#INCLUDE ./a.cfg\n#INCLUDE gone.cfg\n#INCLUDE\n")
    report = check(tmp_path / "a.cfg")
    places = {(Path(one.file).name, one.line) for one in report.refused}
    assert places == {("b.cfg", 2), ("b.cfg", 3), ("b.cfg", 4), ("a.cfg", 2)}
    texts = [one.text for one in report.refused]
    assert any("circular include: " in text for text in texts)
    assert any("No such file" in text for text in texts)
    assert any("no file is named" in text for text in texts)
    assert any("NOSUCH" in text for text in texts)
    assert len(texts) == 4


def test_very_many_includes_end(tmp_path: Path) -> None:
    for number in range(120):
        (tmp_path / f"{number}.cfg").write_text(f"#INCLUDE {number + 1}.cfg\n" * 2)
    report = check(tmp_path / "0.cfg")
    assert any("more than 100 files are included" in one.text for one in report.refused)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_bytes(b"BACKFILLDEPTH 1\n" * (10 * 2**20 // 16))
    with pytest.raises(BadFile, match="larger than 4 MiB"):
        read_config(path)


@pytest.mark.parametrize(
    ("body", "cause"),
    [(b"FSWEIGHT \xff\n", "not UTF-8"), (b"\x00\x01", "unprintable"), (b"FSWEIGHT 1\r\n", None), (b"", None)],
)
def test_odd_files(tmp_path: Path, body: bytes, cause: str | None) -> None:
    path = tmp_path / "maui.cfg"
    path.write_bytes(body)
    if cause is None:
        read_config(path)
    else:
        with pytest.raises(BadFile, match=cause):
            read_config(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, cause in (("", "Is a directory|not a file"), ("gone", "No such file"), ("pipe", "not a file")):
        with pytest.raises(BadFile, match=cause):
            read_config(tmp_path / name)
