"""The modules of the page: of a shape that can be joined, with types that hold, and small enough."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from molokini.page.assets import FOLDER, assets, modules
from molokini.page.columns import NONE, column
from molokini.page.single import document, exports_of, imports_of, joined, loaded_by

MOST_BYTES, MOST_COMPRESSED = 250_000, 80_000
TYPES: dict[str, Any] = {
    "allowJs": True,
    "checkJs": True,
    "noEmit": True,
    "strict": True,
    "target": "es2022",
    "module": "es2022",
    "moduleResolution": "bundler",
    "lib": ["es2022", "dom", "dom.iterable"],
    "types": [],
}


def test_the_page_is_small() -> None:
    loaded = [assets()[name] for name in loaded_by("main.js")]
    assert sum(len(asset.body) for asset in loaded) < MOST_BYTES
    assert sum(len(asset.compressed) for asset in loaded) < MOST_COMPRESSED


@pytest.mark.parametrize("name", modules())
def test_a_module_is_plain_and_imports_what_there_is(name: str) -> None:
    text = assets()[name].body.decode()
    for line in text.splitlines():
        if line.startswith("import"):
            assert re.fullmatch(r'import \{ [\w, ]+ \} from "\.{1,2}/[\w./-]+\.js";', line), line
        if line.startswith("export"):
            assert re.match(r"export (async function|function|class|const) \w+", line), line
    for other, names in imports_of(name).items():
        assert set(names) <= set(exports_of(other)), other
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert word not in text
    assert "http://" not in text
    assert "https://" not in text
    assert text.startswith("/** ")
    assert text.count("\n") <= 500


def test_the_document_names_all_modules_so_that_they_load_at_once() -> None:
    text = assets()["index.html"].body.decode()
    named = re.findall(r'<link rel="modulepreload" href="/page/([^"]+)">', text)
    assert named == sorted(set(loaded_by("main.js")[:-3]) - {"main.js"})


def test_joined_they_are_one_script_that_is_right(tmp_path: Path) -> None:
    for entry in ("file.js", "main.js"):
        script = tmp_path / f"joined-{entry}"
        script.write_text(joined(entry))
        assert "\nimport " not in script.read_text()
        node = shutil.which("node")
        if node is None:
            pytest.skip("node is not installed")
        checked = subprocess.run([node, "--check", str(script)], capture_output=True, text=True, timeout=60)
        assert checked.returncode == 0, checked.stderr


def test_types_hold(tmp_path: Path) -> None:
    checker = shutil.which("tsc")
    if checker is None:
        pytest.skip("tsc (TypeScript) is not installed")
    settings = {"compilerOptions": TYPES, "include": [f"{FOLDER}/**/*.js"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    done = subprocess.run([checker, "-p", str(tmp_path)], capture_output=True, text=True, timeout=300)
    assert done.stdout == ""


def test_nothing_in_a_name_ends_the_data_of_a_file() -> None:
    text = document("</title><script>x", {"title": "</script><script>hit()</script><!--"})
    assert text.count("<script") == 2
    assert text.count("</script>") == 2
    assert document("a", {"b": 1}) == document("a", {"b": 1})


@pytest.mark.parametrize(
    ("values", "kind", "grows"),
    [
        ([0, 5, 5, 900], "i32", True),
        ([3, 1, 2], "i32", False),
        ([1.0, float("nan"), 4.0], "i32", False),
        ([0.5, 2.0], "f64", False),
        ([2.0**40, 1.0], "f64", False),
        ([], "i32", True),
    ],
    ids=str,
)
def test_columns_take_the_smallest_form_that_is_exact(values: list[float], kind: str, grows: bool) -> None:
    made = column(np.array(values))
    assert (made["kind"], made["grows"]) == (kind, grows)
    assert NONE == -2147483648
