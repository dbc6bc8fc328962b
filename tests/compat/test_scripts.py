"""Job scripts: which there are, and the options in them."""

import io
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.compat.scripts import NoScript, directives, read_input, read_script, words_of


@given(st.lists(st.text("ab \t'\"\\#=%$`*ä", max_size=8), max_size=5))
def test_words_are_those_of_a_shell(words: list[str]) -> None:
    assert words_of(shlex.join(words)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-N x", ["-N", "x"]),
        ('-J "a b"', ["-J", "a b"]),
        ("-J 'a # b' # remark", ["-J", "a # b"]),
        (r'-J "a \"b\" \n"', ["-J", r'a "b" \n']),
        (r"a\ b", ["a b"]),
        ("-o a#b", ["-o", "a#b"]),
        ("''", [""]),
        ("", []),
        ("-t 5\r", ["-t", "5"]),
    ],
)
def test_words_of_a_line(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_directives_end_at_the_first_command() -> None:
    script = "#!/bin/sh\n# a remark\n\n#SBATCH -n 2\n#SBATCHED x\n#SBATCH\t-J y\n\ntrue\n#SBATCH -n 9\n"
    assert directives(script, "#SBATCH") == [(4, ["-n", "2"]), (6, ["-J", "y"])]


def test_a_quotation_without_an_end_is_named_by_its_line() -> None:
    with pytest.raises(ValueError, match=r"line 2 of the script: a quotation that does not end: -J 'a"):
        directives("#!/bin/sh\n#PBS -J 'a\n", "#PBS")


@pytest.mark.parametrize(
    ("body", "kind"), [(b"", "empty"), (b" \n", "empty"), (b"a\0b", "binary"), (b"\xff\xfe", "binary")]
)
def test_what_is_no_script(tmp_path: Path, body: bytes, kind: str) -> None:
    path = tmp_path / "script"
    path.write_bytes(body)
    with pytest.raises(NoScript) as found:
        read_script(str(path))
    assert (found.value.kind, found.value.name) == (kind, str(path))
    with pytest.raises(NoScript) as found:
        read_input(io.TextIOWrapper(io.BytesIO(body)))
    assert found.value.kind == kind


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(NoScript, match="No such file") as missing:
        read_script(str(tmp_path / "none"))
    with pytest.raises(NoScript, match="Is a directory") as unreadable:
        read_script(str(tmp_path))
    assert (missing.value.kind, unreadable.value.kind) == ("missing", "unreadable")


def test_the_text_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_bytes("#!/bin/sh\r\necho ä\r\n".encode())
    assert read_script(str(path)) == "#!/bin/sh\r\necho ä\r\n"
