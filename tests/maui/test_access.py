"""Who may use what: entries of access lists, lists of members, and flags."""

from typing import Any

import pytest

from molokini.maui import check_text
from molokini.maui.access import Affinity, Entries, Entry, Flags, MemberList, Members, read_entry
from molokini.maui.findings import Status
from molokini.policies.maui.configuration.words import ListRule


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("ann", Entry("ann")),
        ("ann=", Entry("ann", Affinity.NEUTRAL)),
        ("!bob", Entry("bob", denied=True)),
        ("lab*", Entry("lab", required=True)),
        ("!lab*-", Entry("lab", Affinity.NEGATIVE, required=True, denied=True)),
        ("a-b-", Entry("a-b", Affinity.NEGATIVE)),
    ],
)
def test_an_entry_comes_back_with_its_signs(text: str, entry: Entry) -> None:
    assert read_entry(text) == entry
    assert str(entry) == text


@pytest.mark.parametrize("text", ["", "!", "ann+-", "ann**", "ann--", "a b", "*"])
def test_what_is_no_entry_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not an entry|too many signs|not a name"):
        read_entry(text)


FLAGS = Flags({"NOBF": "", "ADVRES": ""}, ("ADVRES",))


@pytest.mark.parametrize(
    ("kind", "text", "value", "written", "plain"),
    [
        (
            Entries(),
            "ann,!bob lab*",
            (Entry("ann"), Entry("bob", denied=True), Entry("lab", required=True)),
            "ann,!bob,lab*",
            ["ann", "!bob", "lab*"],
        ),
        (MemberList(), "a,b:a", Members(("a", "b")), "a,b", ["a", "b"]),
        (MemberList(), "a,b&", Members(("a", "b"), ListRule.ALL), "a,b&", "a,b&"),
        (MemberList(), "a^", Members(("a",), ListRule.ALONE), "a^", "a^"),
        (MemberList(empty=True), "", Members(()), "", []),
        (
            FLAGS,
            "nobf:ADVRES:Weekend,NOBF",
            ("NOBF", "ADVRES:Weekend"),
            "NOBF,ADVRES:Weekend",
            ["NOBF", "ADVRES:Weekend"],
        ),
        (FLAGS, "ADVRES:NOBF", ("ADVRES", "NOBF"), "ADVRES,NOBF", ["ADVRES", "NOBF"]),
    ],
)
def test_lists_come_back_from_both(kind: Any, text: str, value: Any, written: str, plain: Any) -> None:
    assert kind.read(text) == value
    assert (kind.write(value), kind.plain(value)) == (written, plain)
    assert kind.read(written) == kind.take(plain) == kind.take(value) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [(Entries(), ""), (MemberList(), ""), (MemberList(), "a&b"), (FLAGS, ""), (FLAGS, "NOBF:weekend")],
)
def test_what_is_no_list_is_refused(kind: Any, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 the cause is what the kind allows
        kind.read(text)


def test_a_flag_of_mauis_own_example_is_passed_over_as_maui_does() -> None:
    [finding] = check_text("QOSCFG[hi] QFLAGS=PREEMPTOR:IGNMAXJOB").findings
    assert finding.status is not Status.REFUSED
    assert "nothing follows IGNMAXJOB" in f"{finding.cause} {finding.note}"
