"""Attributes as text, JSON, XML and in one line."""

import json

from molokini.compat.columns import fit, points_before
from molokini.compat.pbs.printing import delimited, json_text, lines, wrapped, xml_text
from molokini.compat.pbs.tables import word

MADE = {
    "Job_Name": "a",
    "Resource_List": {"ncpus": 2},
    "Variable_List": {"A": "x,y", "B": "1"},
    "Priority": 0,
}


def test_attributes_stand_on_lines_of_their_own() -> None:
    assert list(lines(MADE)) == [
        "    Job_Name = a",
        "    Resource_List.ncpus = 2",
        "    Variable_List = A=x,y,B=1",
        "    Priority = 0",
    ]


def test_no_line_passes_the_last_column_and_each_further_one_begins_with_a_tab() -> None:
    text = ",".join(f"NAME{k}=value-of-it" for k in range(12)) + "," + "p" * 200
    found = wrapped("    Variable_List = ", text)
    rows = found.split("\n")
    assert rows[0].endswith(",")
    assert all(row.startswith("\t") for row in rows[1:])
    assert all(len(row.expandtabs(8)) <= 78 for row in rows)
    assert "".join(row.removeprefix("\t") for row in rows).removeprefix("    Variable_List = ") == text


def test_a_line_that_fits_stays_whole() -> None:
    assert wrapped("    a = ", "b" * 70) == "    a = " + "b" * 70
    assert "\n" in wrapped("    a = ", "b" * 71)


def test_json_has_numbers_as_numbers_and_four_blanks_a_level() -> None:
    text = json_text({"timestamp": 5, "Jobs": {"1.srv": MADE}})
    assert text == json.dumps({"timestamp": 5, "Jobs": {"1.srv": MADE}}, indent=4, separators=(",", ":"))


def test_json_takes_any_text() -> None:
    odd = {"a": 'quote " and \\ and \u202e and \n', "b": {}}
    assert json.loads(json_text(odd)) == {"a": odd["a"], "b": {}} or '"b":{\n' in json_text(odd)


def test_xml_is_one_line_and_nothing_where_there_are_no_jobs() -> None:
    made = {**MADE, "Job_Name": "a<b>&c"}
    assert xml_text([("1.srv", made)]) == (
        "<Data><Job><Job_Id>1.srv</Job_Id><Job_Name>a&lt;b&gt;&amp;c</Job_Name>"
        "<Resource_List><ncpus>2</ncpus></Resource_List><Variable_List>A=x,y,B=1</Variable_List>"
        "<Priority>0</Priority></Job></Data>"
    )
    assert xml_text([]) == ""


def test_delimiters_in_values_are_hidden() -> None:
    assert delimited("Job Id: 1", {"a": "x|y", "b": 2}, "|") == "Job Id: 1|a=x\\|y|b=2"


def test_what_a_terminal_would_obey_is_shown_as_text() -> None:
    assert list(lines({"comment": "\x1b[31mred\nnext"})) == ["    comment = \\x1b[31mred\\nnext"]
    assert word("a b\x07") == "a_b_"
    assert word("") == "-"


def test_long_names_are_cut() -> None:
    assert fit("abcde", 6) == "abcde "
    assert fit("abcdef", 6) == "abcdef"
    assert fit("abcdefg", 6) == "abcde*"
    assert fit("abcdefghij", 6, points_before) == "...hij"
