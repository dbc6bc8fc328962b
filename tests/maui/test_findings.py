"""Findings as data: counted, as JSON, and as the error that is raised for the first of what is wrong."""

import pytest

from molokini.maui import check_text
from molokini.maui.findings import Finding, Status, as_data, counted
from molokini.model.errors import BadFile


def test_findings_are_counted_by_status_and_none_is_left_out() -> None:
    report = check_text("BACKFILLDEPTH 5\nSERVERPORT 1\nNOSUCH 1\n", "site.cfg")
    assert counted(report.findings) == {"understood": 1, "without effect": 1, "refused": 1}
    assert counted(()) == {"understood": 0, "without effect": 0, "refused": 0}


def test_the_error_is_the_first_of_what_is_wrong_and_says_how_much_more_there_is() -> None:
    with pytest.raises(BadFile, match=r"^site.cfg:1: NOSUCH: no parameter .*$") as one:
        check_text("NOSUCH 1", "site.cfg").checked()
    assert "more" not in str(one.value)
    with pytest.raises(BadFile, match=r"\(and 2 more; 'molokini config check' lists them\)"):
        check_text("NOSUCH 1\n" * 3, "site.cfg").checked()


def test_a_finding_is_json_by_the_names_of_its_fields() -> None:
    one = Finding("site.cfg", 3, "BACKFILLDEPTH", "x", Status.REFUSED, cause="no number")
    where = {"file": "site.cfg", "line": 3, "parameter": "BACKFILLDEPTH", "value": "x"}
    assert as_data(one) == where | {"status": "refused", "meaning": "", "cause": "no number", "note": ""}
    assert str(one.error()) == "site.cfg:3: BACKFILLDEPTH: no number"
    assert Finding("site.cfg", None, "", "", Status.REFUSED, cause="a pipe").text == "a pipe"
