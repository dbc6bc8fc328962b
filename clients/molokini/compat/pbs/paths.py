"""Where a job writes: ``-o``, ``-e``, ``-j`` and ``-k`` as paths with the agent's patterns."""

from __future__ import annotations

import os

from molokini.compat._types import Values
from molokini.compat.submitting import without_patterns


class Places:
    """What the names of files are made of."""

    def __init__(self, directory: str, server: str, array: bool, torque: bool) -> None:
        self.directory, self.array, self.torque = directory, array, torque
        self.server = without_patterns(server)

    @property
    def job(self) -> str:
        """The pattern for the name of the job."""
        return f"%j[%a].{self.server}" if self.array else f"%j.{self.server}"

    def own(self, letter: str) -> str:
        """The pattern for the default file name; *letter* is ``o`` or ``e``."""
        if not self.array:
            return f"%x.{letter}%j"
        return f"%x.{letter}%j-%a" if self.torque else f"%x.{letter}%j.%a"

    def in_folder(self, letter: str) -> str:
        """The same in a folder that is named: PBS Pro calls it by the job."""
        return self.own(letter) if self.torque else f"{self.job}.{'OU' if letter == 'o' else 'ER'}"


def files(given: Values, places: Places) -> dict[str, str]:
    """``stdout_path`` and ``stderr_path`` of a job; without the second it goes with the first."""
    out = _file(given.one("o"), "o", given, places)
    error = _file(given.one("e"), "e", given, places)
    join = given.one("j", "n")
    if join.startswith("o"):
        return {"stdout_path": out}
    return {"stdout_path": error} if join.startswith("e") else {"stdout_path": out, "stderr_path": error}


def _file(named: str, letter: str, given: Values, places: Places) -> str:
    keep = given.one("k", "n")
    if letter in keep and "n" not in keep and "d" not in keep:
        return f"{without_patterns(_home())}/{places.own(letter)}"
    path = without_host(named)
    if not path:
        return f"{without_patterns(places.directory)}/{places.own(letter)}"
    whole = path if path.startswith("/") else f"{places.directory}/{path}"
    folder = path.endswith("/") or os.path.isdir(whole)
    made = _filled(without_patterns(whole), places)
    return f"{made.rstrip('/')}/{places.in_folder(letter)}" if folder else made


def without_host(text: str) -> str:
    """The path of ``[host:]path``."""
    host, colon, path = text.partition(":")
    return path if colon and host and "/" not in host else text


def _filled(path: str, places: Places) -> str:
    """*path* with what PBS puts into it when the job runs."""
    path = path.replace("^array_index^", "%a")
    if places.torque:
        for name, pattern in (
            ("PBS_JOBID", places.job),
            ("PBS_JOBNAME", "%x"),
            ("PBS_ARRAYID", "%a"),
            ("HOME", without_patterns(_home())),
        ):
            path = path.replace(f"${{{name}}}", pattern).replace(f"${name}", pattern)
    return path


def _home() -> str:
    return os.path.expanduser("~")
