"""Names of a package's face are imported when they are first used, and once."""

import sys
from pathlib import Path

import pytest

from molokini.model.lazy_face import lazy_face


def test_a_name_is_imported_when_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "faced"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from molokini.model.lazy_face import lazy_face\n"
        "__getattr__, __dir__ = lazy_face(__name__, {'two': 'numbers', 'one': 'numbers'})\n"
    )
    (folder / "numbers.py").write_text("one, two = 1, 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    import faced  # type: ignore[import-not-found]

    assert dir(faced) == ["one", "two"]
    assert "faced.numbers" not in sys.modules
    assert faced.two == 2
    assert faced.__dict__["two"] == 2
    with pytest.raises(AttributeError, match="module 'faced' has no attribute 'three'"):
        _ = faced.three
    for name in ("faced", "faced.numbers"):
        monkeypatch.delitem(sys.modules, name)


def test_it_says_what_there_is() -> None:
    _, names = lazy_face("some.package", {"b": "x", "a": "y"})
    assert names() == ["a", "b"]
