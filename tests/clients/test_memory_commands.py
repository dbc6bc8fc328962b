"""What ``molokini memory`` refuses: the line that a user reads."""

from pathlib import Path

import pytest

from molokini.clients.command import run

JOBS = """
blocks = 90
[[job]]
name = "a"
footprint = 30
[[job]]
name = "b"
footprint = 40
"""
ABOVE_0 = "it must be a number of references above 0"
WHOLE = "it must be a whole number of 1 or more"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs.toml").write_text(JOBS)
    (tmp_path / "large.toml").write_text(JOBS + "requested = 100\n")
    (tmp_path / "gap.txt").write_text("1\n\n2\n")
    (tmp_path / "negative.txt").write_text("1\n-5\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("pack jobs.toml --slices 3", "slices: 3 is not allowed; it must be at most as many as jobs (2)"),
        (
            "pack jobs.toml --slices 0",
            "slices: 0 is not allowed; it must be at least 1: the jobs have more processes than that holds",
        ),
        ("pack large.toml", "job b: memory: 100 is not allowed; it must be at most the 90 blocks there are"),
        (
            "pack jobs.toml --blocks 0",
            "--blocks: 0 is not allowed; it must be a whole number from 1 to 10,000,000",
        ),
        ("pack jobs.toml --processors 0", f"--processors: 0 is not allowed; {WHOLE}"),
        (
            "pack jobs.toml --quantum 0",
            f"--quantum: 0.0 is not allowed; {ABOVE_0}",
        ),
        (
            "pack jobs.toml --quantum nan",
            "--quantum: nan is not allowed; it must be a number of references above 0",
        ),
        ("pack jobs.toml --latency nan", "--latency: nan is not allowed; it must be a number of 0 or more"),
        ("curves gap.txt", "gap.txt: line 2 is empty: a trace has one address a line, without gaps"),
        ("curves negative.txt", "negative.txt: line 2: address -5 is negative"),
        ("curves", "name a trace, or synthetic; see --help"),
        (
            "curves synthetic --sizes 20,10",
            "--sizes: '20,10' is not allowed; "
            "it must be rising whole numbers from 0 to 10,000,000, separated by commas",
        ),
        (
            "curves gap.txt --block 0",
            "block: 0 is not allowed; it must be a whole number of bytes, 1 or more",
        ),
    ],
)
def test_what_cannot_be_packed_or_read(words: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["memory", *words.split()]) == 2
    assert capsys.readouterr() == ("", f"molokini: {line}\n")
