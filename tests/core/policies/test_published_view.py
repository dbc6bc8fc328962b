"""What docs/policies.md says that a policy may rely on is there, and plain policies rely on nothing else."""

import ast
import re
from pathlib import Path

import pytest

import molokini.policies
from molokini.tables.tables import Tables

FOLDER = Path(molokini.policies.__file__).parent
PAGE = Path(__file__).parents[3] / "docs" / "policies.md"
PLAIN = [path for path in sorted(FOLDER.glob("*.py")) if path.name != "__init__.py"]


def published() -> set[str]:
    """The fields in the first column of the table of the view."""
    section = PAGE.read_text(encoding="utf-8").partition("## What a view holds")[2].partition("\n## ")[0]
    cells = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    codes = [code for cell in cells for code in re.findall(r"`([^`]+)`", cell)]
    found = [re.match(r"[a-z_]+(\.[a-z_]+)?", code) for code in codes]
    names = {match[0] for match in found if match}
    return names | {name for code in codes for name in re.findall(r"[a-z]+\.[a-z_]+", code)}


def used(text: str) -> set[str]:
    """The fields of ``view`` that a policy names: one of the view itself, or one of a part."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "view":
            names.add(node.attr)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Attribute)
            and isinstance(node.value.value, ast.Name)
            and node.value.value.id == "view"
        ):
            names.add(f"{node.value.attr}.{node.attr}")
    return {name for name in names if name not in Tables.children and not name.endswith((".size", ".shape"))}


def test_what_is_published_is_there() -> None:
    there = set(Tables.columns()) | {
        f"{part}.{name}" for part, struct in Tables.children.items() for name in struct.layout
    }
    assert len(published()) > 30
    assert published() <= there


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_a_plain_policy_relies_on_nothing_else(path: Path) -> None:
    assert used(path.read_text(encoding="utf-8")) <= published()


def test_what_a_policy_uses_is_found() -> None:
    text = "def f(view, row):\n    return view.jobs.width[row] + view.memory_f[row, 0] + view.kept.steps\n"
    assert used(text) == {"jobs.width", "memory_f", "kept.steps"}
