"""What is said of a name or a value that cannot be: what was meant, or which bound was passed."""

import pytest

from molokini.maui import check_text
from molokini.maui.parameters import OBJECT_TYPES, PARAMETERS


def said(text: str) -> str:
    [one] = check_text(text).refused
    return one.text


ATTRIBUTES = sorted({name for one in OBJECT_TYPES.values() for name in one.attributes} - set(PARAMETERS))


@pytest.mark.parametrize("name", [name for name in ATTRIBUTES if "." not in name])
def test_an_attribute_written_as_a_parameter_is_told_as_one(name: str) -> None:
    refused = check_text(f"{name} 3").refused
    # Some have been parameters in older Mauis, and are read as that.
    assert all(f"{name!r} is an attribute of" in one.text and f"{name}=" in one.text for one in refused)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("NOSUCH 1", "'molokini config parameters' lists them"),
        ("USERCFG[a] ZZZ=3", "'molokini config parameters USERCFG' lists them"),
        ("BACKFILPOLICY NONE", "did you mean 'BACKFILLPOLICY'?"),
        ("USERCFG[a] MAXJOBS=3", "did you mean 'MAXJOB'?"),
        ("INCLUDE x", "did you mean '#INCLUDE'"),
        ("PREEMPTPOLICY OVERCOMMIT", "OVERCOMMIT is not supported"),
        ("QUEUETIMEWEIGHT 1e300", "larger than 1,000,000,000,000"),
        ("DEFERCOUNT 99999999999999999999", "larger than 9,007,199,254,740,992"),
        ("DEFERCOUNT -3", "less than 0"),
        ("FSDECAY 1.5", "larger than 1; it must be a number from 0 to 1"),
    ],
)
def test_what_is_said_helps(line: str, expected: str) -> None:
    assert expected in said(line)
    assert len(said(line)) < 200
