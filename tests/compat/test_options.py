"""Command lines as getopt, getopt_long and LSF read them."""

import pytest

from molokini.compat.failures import UsageError
from molokini.compat.options import Reader, option, refused, usage, without_effect

OPTIONS = (
    option("-J --job-name", "NAME", "name"),
    option("-f", text="full"),
    option("-x", text="with those that ended"),
    option("-o --output", "FILE", "output"),
    option("--exclusive", "[USER]", "alone on its nodes"),
    option("--exclude", "NODES", "not there"),
    option("--array", "LIST", "elements", many=True),
    without_effect("-Q --quiet", why="nothing is said anyway"),
    refused("-I --interactive", why="there is no terminal"),
)
GNU = Reader(OPTIONS)


def read(*line: str) -> tuple[dict[str, list[str]], list[str]]:
    found = GNU.read(line)
    return found.given, found.words


@pytest.mark.parametrize(
    ("line", "given", "words"),
    [
        (["-J", "a"], {"job_name": ["a"]}, []),
        (["-Ja"], {"job_name": ["a"]}, []),
        (["--job-name=a=b"], {"job_name": ["a=b"]}, []),
        (["--job-name", "a"], {"job_name": ["a"]}, []),
        (["--job", "a"], {"job_name": ["a"]}, []),
        (["--job-name="], {"job_name": [""]}, []),
        (["-fx"], {"f": [""], "x": [""]}, []),
        (["-fxoout"], {"f": [""], "x": [""], "output": ["out"]}, []),
        (["-fo", "out", "word"], {"f": [""], "output": ["out"]}, ["word"]),
        (["--exclusive", "script"], {"exclusive": [""]}, ["script"]),
        (["--exclusive=user", "script"], {"exclusive": ["user"]}, ["script"]),
        (["a", "-f", "b"], {"f": [""]}, ["a", "b"]),
        (["-", "--", "-f"], {}, ["-", "-f"]),
        (["--array", "1", "--array=2"], {"array": ["1", "2"]}, []),
        (["-o", "-f"], {"output": ["-f"]}, []),
        (["-Q"], {"quiet": [""]}, []),
    ],
)
def test_what_a_line_says(line: list[str], given: dict[str, list[str]], words: list[str]) -> None:
    assert read(*line) == (given, words)


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        (["-z"], "unknown", "invalid option -- 'z'"),
        (["-fz"], "unknown", "invalid option -- 'z'"),
        (["--zebra"], "unknown", "unrecognized option '--zebra'"),
        (["--excl", "x"], "ambiguous", "option '--excl' is ambiguous"),
        (["-J"], "argument", "option requires an argument -- 'J'"),
        (["--quiet=yes"], "argument", "option '--quiet' doesn't allow an argument"),
        (["-I"], "refused", "-I is not supported: there is no terminal"),
    ],
)
def test_what_is_no_command_line(line: list[str], kind: str, text: str) -> None:
    with pytest.raises(UsageError) as found:
        read(*line)
    assert (found.value.kind, str(found.value)) == (kind, text)


def test_a_command_behind_the_options_keeps_its_own() -> None:
    found = Reader(OPTIONS, stops=True).read(["-f", "script", "-x", "--", "-J"])
    assert (found.given, found.words) == ({"f": [""]}, ["script", "-x", "--", "-J"])


def test_words_behind_one_dash() -> None:
    options = (
        option("-noheader", text="no header"),
        option("-a", text="all"),
        option("-J", "NAME", "name"),
        option("-o", "FORMAT", "columns"),
    )
    lsf = Reader(options, words=True)
    assert lsf.read(["-noheader", "-o", "jobid", "-aJ", "*x*", "7"]).given == {
        "noheader": [""],
        "o": ["jobid"],
        "a": [""],
        "J": ["*x*"],
    }
    with pytest.raises(UsageError, match="-zebra: Illegal option"):
        lsf.read(["-zebra"])


def test_the_command_line_goes_before_the_script() -> None:
    found = GNU.read(["-J", "line", "words"]).behind(GNU.read(["-J", "script", "-o", "out", "other"]))
    assert (found.one("job_name"), found.one("output"), found.words) == ("line", "out", ["words"])
    assert found.one("exclude", "none") == "none"
    assert not found.flag("f")


def test_help_names_all_but_what_is_refused() -> None:
    text = usage("tool", "FILE", OPTIONS)
    assert text.startswith("usage: tool [options] FILE\n")
    assert "-J, --job-name NAME           name" in text
    assert "--exclusive[=USER]" in text
    assert "accepted without effect: nothing is said anyway" in text
    assert "--interactive" not in text
