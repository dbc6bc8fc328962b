"""How what a run is made of travels to a process that shares nothing with this one: policies by name or text.

A policy's functions are compiled where they are called, so they travel as what they are loaded from.
"""

import atexit
import copyreg
import hashlib
import os
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from molokini.policies import LoadedPolicy, load_policy


def let_policies_travel() -> None:
    """From now on ``pickle`` takes policies."""
    copyreg.pickle(LoadedPolicy, _reduced)


def _reduced(policy: LoadedPolicy) -> tuple[Any, ...]:
    if policy.from_file:
        path = Path(policy.origin)
        return _of_text, (path.name, path.read_text(encoding="utf-8"))
    return load_policy, (policy.origin,)


@lru_cache(maxsize=64)
def _of_text(name: str, text: str) -> LoadedPolicy:
    """The policy of a file that is called *name* on another machine."""
    folder = _folder() / hashlib.sha256(text.encode()).hexdigest()[:16]
    folder.mkdir(exist_ok=True)
    beside = folder / f".{os.getpid()}"
    beside.write_text(text, encoding="utf-8")
    beside.replace(folder / name)
    return load_policy(str(folder / name))


@lru_cache(maxsize=1)
def _folder() -> Path:
    made = Path(tempfile.mkdtemp(prefix="molokini-policies-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
