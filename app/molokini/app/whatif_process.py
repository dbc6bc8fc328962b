"""The process that a server starts for a ``WhatIf``: state and words come in, the document goes out.

``python -m molokini.app.whatif_process``. Standard input is JSON: the state, in base 64, and the words. It
ends with 2, and one line, where the question cannot be asked.
"""

import base64
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from molokini.experiments.whatif import what_if
from molokini.experiments.whatif_asked import Asked, checked
from molokini.model.errors import BadInput
from molokini.whatif.present import Present

_NICE = 10
"""The server goes first."""


def main() -> int:
    """Answer one question."""
    os.nice(_NICE)
    try:
        print(json.dumps(answered(json.load(sys.stdin)), allow_nan=False))
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def answered(given: dict[str, Any]) -> dict[str, Any]:
    """The document of *given*, the state and the words. Raises BadInput."""
    words = given["asked"]
    with TemporaryDirectory() as folder:
        # A configuration comes as its text, and scenarios are called as files are.
        files = [_file(Path(folder), k, text) for k, text in enumerate(words["maui_config"], 1)]
        asked = checked(Asked(**{**words, "maui_config": files}))
        present = Present.from_bytes(base64.b64decode(given["state"]))
        return what_if(present, asked.about(present)).document


def _file(folder: Path, number: int, text: str) -> str:
    path = folder / f"maui-{number}.cfg"
    path.write_text(text, encoding="utf-8")
    return str(path)


if __name__ == "__main__":
    sys.exit(main())
