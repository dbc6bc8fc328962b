"""The plain worlds and simulators of the tests use nothing of what they are compared with."""

import ast
from pathlib import Path

import pytest

KIT = Path(__file__).parents[1] / "kit"
PLAIN = sorted(path.stem for pattern in ("plain_*.py", "reference*.py") for path in KIT.glob(pattern))
WRITTEN_DOWN = ("molokini.model", "molokini.policies.maui.configuration")
"""In which both sides are told what they are to do."""


@pytest.mark.parametrize("name", PLAIN)
def test_it_uses_only_words_and_says_what_it_is_independent_of(name: str) -> None:
    tree = ast.parse((KIT / f"{name}.py").read_text(encoding="utf-8"))
    assert "Independent of" in (ast.get_docstring(tree) or "")
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported += [one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names]
    ours = [module for module in imported if module.split(".")[0] == "molokini"]
    assert [module for module in ours if not module.startswith(WRITTEN_DOWN)] == []


def test_there_are_plain_worlds() -> None:
    assert {"plain_world", "plain_live", "reference"} <= set(PLAIN)
