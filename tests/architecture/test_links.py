"""Links between documents lead somewhere: to a file that is there, and to a heading in it."""

import re
from pathlib import Path

import pytest

from tests.clients.running import ROOT

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
