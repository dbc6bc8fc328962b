"""Links between documents lead to a file and a heading that are there, and the indexes leave no page out."""

import re
from pathlib import Path

import pytest

from tests.clients.command_runs import ROOT

_LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
DOCUMENTS = [
    *ROOT.glob("*.md"),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]


def anchors(document: Path) -> set[str]:
    """The names of the headings of *document*, as they stand in links."""
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w -]", "", heading).replace(" ", "-") for heading in plain}


def broken(document: Path) -> list[str]:
    """The links of *document* that lead nowhere."""
    text = _CODE.sub("", document.read_text(encoding="utf-8"))
    found = []
    for place, anchor in _LINK.findall(text):
        if re.match(r"[a-z]+:", place):
            continue
        target = (document.parent / place).resolve() if place else document
        known = not anchor or (target.suffix == ".md" and target.is_file() and anchor in anchors(target))
        if not target.exists() or not known:
            found.append(f"{place}#{anchor}")
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    assert not broken(document)


def test_a_link_to_nothing_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# One\n[x](b.md) [y](a.md#one) [z](#two) [w](https://x.org/#x) `[v](no)`\n"
    )
    assert broken(tmp_path / "a.md") == ["b.md#", "#two"]


def linked(document: Path) -> list[Path]:
    """The files that *document* links to, in its order."""
    places = [
        place for place, _ in _LINK.findall(_CODE.sub("", document.read_text(encoding="utf-8"))) if place
    ]
    return [(document.parent / place).resolve() for place in places if not re.match(r"[a-z]+:", place)]


def test_every_page_has_one_line_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    rows = [row for row in index.read_text(encoding="utf-8").splitlines() if row.startswith("| [")]
    named = [
        (index.parent / found[1]).resolve()
        for row in rows
        if (found := re.match(r"\| \[[^]]*\]\(([^)]*)\)", row))
    ]
    pages = {*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "studies").glob("*.md")} - {index}
    pages.add(ROOT / "docs" / "decisions" / "README.md")
    assert sorted(path for path in named if path.suffix == ".md") == sorted(pages)


def test_every_decision_has_one_line_and_its_number_and_no_number_is_left_out() -> None:
    folder = ROOT / "docs" / "decisions"
    text = (folder / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| .+? \| (.+?) \|$", text.partition("|--:|")[2], re.MULTILINE)
    numbers: list[int] = []
    for cell, status in rows:
        assert re.match(r"accepted|superseded by \d+|folded into|unused", status), cell
        first, *more = map(int, re.findall(r"\d+", re.sub(r"\([^)]*\)", "", cell)))
        numbers += range(first, (more or [first])[-1] + 1) if " to " in cell else [first, *more]
        if record := re.search(r"\((\d+)-", cell):
            assert int(record[1]) == first
    assert numbers == list(range(1, len(numbers) + 1))
    assert {path for path in linked(folder / "README.md") if path.parent == folder} == {
        *folder.glob("[0-9]*.md")
    }
