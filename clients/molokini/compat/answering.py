"""Answers that a test puts in the place of a command's own: cut off, empty, behind a banner, or recorded.

MOLOKINI_ANSWERS names a folder. In it a folder for each command holds files, one an answer, in the order in
which they are given; each is good for as many calls as it says. Only test clusters set the variable.
"""

from __future__ import annotations

import io
import json
import os
import sys

from molokini.compat._types import Any, Callable, Sequence

FOLDER = "MOLOKINI_ANSWERS"
CUT, SILENT, BANNER, RECORDED = "cut", "silent", "banner", "recorded"


def answered(command: str, line: Sequence[str], own: Callable[[], int]) -> int:
    """The exit code of *command*, with what stands in the folder in the place of what *own* says."""
    wish = _next(os.path.join(os.environ[FOLDER], command), line)
    if wish is None:
        return own()
    if wish["kind"] == RECORDED:
        sys.stdout.write(wish["out"])
        sys.stderr.write(wish["err"])
        return int(wish["code"])
    said, code = _said(own)
    if wish["kind"] == SILENT:
        return 0
    if wish["kind"] == BANNER:
        sys.stdout.write(wish["text"] + said)
        return code
    letters = int(wish["letters"])
    sys.stdout.write(said[: len(said) // 2 if letters < 0 else letters])
    return code


def _said(own: Callable[[], int]) -> tuple[str, int]:
    """What the command says by itself, and its exit code."""
    real, caught = sys.stdout, io.StringIO()
    sys.stdout = caught
    try:
        code = own()
    finally:
        sys.stdout = real
    return caught.getvalue(), code


def _next(folder: str, line: Sequence[str]) -> dict[str, Any] | None:
    """The next answer that is meant for *line*, which is then used up; None for none."""
    import fcntl

    try:
        lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in sorted(one for one in os.listdir(folder) if one.endswith(".json")):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                wish: dict[str, Any] = json.load(file)
            if wish.get("words") is not None and wish["words"] != list(line):
                continue
            wish["times"] -= 1
            if wish["times"]:
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(wish, file)
            else:
                os.unlink(path)
            return wish
        return None
    finally:
        os.close(lock)
