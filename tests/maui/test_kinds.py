"""Kinds of values: what each reads, what it refuses, and what it remarks."""

from typing import Any

import pytest

from molokini.maui import check_text
from molokini.maui.kinds import (
    LARGEST,
    Amount,
    Choice,
    Duration,
    Flag,
    HardLimit,
    Kind,
    Limits,
    Name,
    Names,
    Number,
    Text,
    Whole,
    is_name,
)
from molokini.maui.limits import Limit
from molokini.model.banks import MOST_AMOUNT, UNLIMITED
from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.words import Charge

MANY = Limits(Whole(), "(whole numbers)")


@pytest.mark.parametrize(
    ("kind", "text", "value", "written", "plain"),
    [
        (Number(), "1.50", 1.5, "1.5", 1.5),
        (Number(), "+2e3", 2000.0, "2000", 2000),
        (Whole(), "0012", 12, "12", 12),
        (Amount(), "infinity", UNLIMITED, "INFINITY", "INFINITY"),
        (Amount(), str(MOST_AMOUNT), MOST_AMOUNT, str(MOST_AMOUNT), MOST_AMOUNT),
        (Flag(), "Yes", True, "TRUE", True),
        (Flag(), "0", False, "FALSE", False),
        (Duration(), "1:30", 90, "00:01:30", "00:01:30"),
        (Duration(-1), "-1", -1, "-1", "-1"),
        (Text(), "it's so", "it's so", "it's so", "it's so"),
        (Name(), "a:b", "a:b", "a:b", "a:b"),
        (Names(), "a b:c,a", ("a", "b", "c"), "a,b,c", ["a", "b", "c"]),
        (
            Choice(Charge, {"ON": "DEDICATEDPS"}),
            "on",
            Charge.DEDICATED_PROCESSOR_SECONDS,
            "DEDICATEDPS",
            "DEDICATEDPS",
        ),
        (Choice(CredentialType), "class", CredentialType.QUEUE, "CLASS", "CLASS"),
        (MANY, "3,4", Limit(3, 4), "3,4", [3, 4]),
        (MANY, "4", Limit(4, 4), "4", 4),
        (
            Limits(Duration(), "(times)"),
            "1:00,1:00:00",
            Limit(60, 3600),
            "00:01:00,01:00:00",
            ["00:01:00", "01:00:00"],
        ),
        (HardLimit(Whole(), ""), "3,4", Limit(4, 4), "4", 4),
    ],
)
def test_a_value_comes_back_from_both(kind: Kind, text: str, value: Any, written: str, plain: Any) -> None:
    assert kind.read(text) == value
    assert (kind.write(value), kind.plain(value)) == (written, plain)
    assert kind.read(written) == kind.take(plain) == kind.take(value) == value


@pytest.mark.parametrize(
    ("kind", "texts", "taken"),
    [
        (
            Number(0, 1),
            ("", "1.1", "-0.1", "nan", "1e9999", "\u0661", "1 2"),
            (True, float("inf"), None, "0.5"),
        ),
        (Whole(1, 3), ("", "0", "4", "1.0", "2 "), (True, 2.0, 0, None)),
        (Whole(), (str(LARGEST + 1), "1" * 401), (LARGEST + 1,)),
        (Amount(), ("-1", str(MOST_AMOUNT + 1)), (MOST_AMOUNT + 1, True)),
        (Flag(), ("maybe", ""), (1, "TRUE", None)),
        (Duration(), ("-1", "1h"), (-1, True, 2**40)),
        (Text(), ("", "\x07", "both ' and \"", "x" * 4097), (3,)),
        (Name(), ("", "a b", "a,b", "a#b", "x" * 257), (3,)),
        (Names(), ("", ",", "a[b"), ([], ["a:b"], [1], 3)),
        (Choice(Charge), ("", "cats"), (3, None)),
        (MANY, ("5,4", "1,2,3", "x"), ([5, 4], [1, 2, 3], None)),
    ],
)
def test_what_is_no_value_is_refused(kind: Kind, texts: tuple[str, ...], taken: tuple[Any, ...]) -> None:
    for read, value in [*((kind.read, one) for one in texts), *((kind.take, one) for one in taken)]:
        if isinstance(kind, Number) and value == "0.5":
            read = kind.take
        with pytest.raises(ValueError):  # noqa: PT011 the cause is what the kind allows
            read(value)


@pytest.mark.parametrize(
    ("kind", "allowed"),
    [
        (Number(), "a number"),
        (Number(0), "a number from 0"),
        (Whole(1, 32), "a whole number from 1 to 32"),
        (Duration(-1), "a time [[[DD:]HH:]MM:]SS, INFINITY, or -1 for none"),
        (MANY, "[SOFT,]HARD (whole numbers), 0 for no limit, soft not above hard"),
    ],
)
def test_a_kind_says_what_it_allows(kind: Kind, allowed: str) -> None:
    assert kind.allowed == allowed


def test_names_have_nothing_that_separates() -> None:
    assert all(map(is_name, ("ann", "a.b-c", "n[1".replace("[", "_"), "\u00e9", "a:b")))
    assert not any(is_name(f"a{sign}b") for sign in " []{}\"',=#|;\t\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("DEFERTIME 00:99:99", "read as 01:40:39"),
        ("USERCFG[a] MAXWC=1:75:00,9:00:00", "read as 02:15:00,09:00:00"),
        ("SRCFG[a] TASKCOUNT=1 TIMELIMIT=1:60:00*", "read as 02:00:00*"),
        ("DEFERTIME 99:59:59", ""),
        ("DEFERTIME 90:00", ""),
        ("DEFERTIME 5000", ""),
    ],
)
def test_a_time_that_no_clock_shows_is_noted(line: str, said: str) -> None:
    assert said in check_text(line).findings[-1].note
    assert said or not check_text(line).findings[-1].note
