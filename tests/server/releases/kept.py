"""The portraits that are kept of releases: the first in full, each later one as what differs from the last.

``read`` puts one together again, so that it is compared in full. A file says, in this order, what became of
the portrait before: ``jobs_gone`` and ``jobs_moved`` (a life that does more gives later jobs other numbers),
``gone`` (paths), and ``changes``, which are laid over the rest. Releases of one portrait share a file.

In a file the runs of a job leave out what is ``USUAL``, and elements that say the same stand together, as
``13-199``.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from difflib import SequenceMatcher
from operator import itemgetter
from pathlib import Path
from typing import Any

SCHEMA = "molokini.portrait/2"
USUAL = {
    "attempt": 1,
    "exit_code": 0,
    "memory_kb": 0,
    "reason": "",
    "reserved_s": None,
    "signal": 0,
    "stopping": "",
}
"""What most runs say."""
WIDTH = 110
"""Longest line of a file."""
Portrait = dict[str, Any]


@dataclass(frozen=True)
class Kept:
    """The portraits in one folder."""

    folder: Path

    def read(self, release: str) -> Portrait:
        """The whole portrait of *release*."""
        return self._whole(self._file_of(release))

    def releases(self) -> list[str]:
        """All releases of which a portrait is kept, the first one first."""
        return [release for said in self._files() for release in said["releases"]]

    def keep(self, release: str, portrait: Portrait) -> None:
        """Write down that *release* says *portrait*."""
        files = list(self._files())
        said: Portrait = {"schema": SCHEMA, "releases": [release]}
        if not files:
            self._write({**said, "changes": _shortened(portrait)})
            return
        last = files[-1]
        if self._whole(last) == portrait:
            self._write({**last, "releases": [*last["releases"], release]})
            return
        differs = differences(_shortened(self._whole(last)), _shortened(portrait))
        self._write({**said, "since": last["releases"][-1], **differs})

    def _files(self) -> Iterator[Portrait]:
        found = [json.loads(path.read_text(encoding="utf-8")) for path in self.folder.glob("*.json")]
        return iter(sorted(found, key=lambda said: _order(said["releases"][0])))

    def _file_of(self, release: str) -> Portrait:
        [said] = [said for said in self._files() if release in said["releases"]]
        return said

    def _whole(self, said: Portrait) -> Portrait:
        assert said["schema"] == SCHEMA
        chain = [said]
        while "since" in chain[0]:
            chain.insert(0, self._file_of(chain[0]["since"]))
        made: Portrait = {}
        for one in chain:
            made = after(made, one)
        return _in_full(made)

    def _write(self, said: Portrait) -> None:
        path = self.folder / f"{said['releases'][0]}.json"
        path.write_text(_text(said) + "\n", encoding="utf-8")


def _order(release: str) -> list[int]:
    return [int(part) for part in release.split(".")]


# What differs.


def differences(old: Portrait, new: Portrait) -> Portrait:
    """What ``after`` needs to make *new* of *old*; nothing stands there that is empty."""
    moved = _moved(old.get("jobs", {}), new.get("jobs", {}))
    lost = [number for number in old.get("jobs", {}) if number not in moved]
    renumbered = {number: to for number, to in moved.items() if number != to}
    gone: list[list[str]] = []
    changes = _changes(_renumbered(old, lost, renumbered), new, [], gone)
    found = {"jobs_gone": lost, "jobs_moved": renumbered, "gone": gone, "changes": changes}
    return {name: one for name, one in found.items() if one}


def after(old: Portrait, said: Portrait) -> Portrait:
    """The portrait that *said* makes of *old*."""
    made = _renumbered(old, said.get("jobs_gone", []), said.get("jobs_moved", {}))
    for path in said.get("gone", []):
        place = made
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]
    _lay_over(made, said.get("changes", {}))
    return made


def _moved(old: Portrait, new: Portrait) -> dict[str, str]:
    """The number that each job of *old* has in *new*, if it is there: submitted alike, in the same order."""
    numbers = [sorted(jobs, key=int) for jobs in (old, new)]
    asked = [
        [json.dumps([jobs[number]["user"], jobs[number]["spec"]], sort_keys=True) for number in those]
        for jobs, those in zip((old, new), numbers, strict=True)
    ]
    matched = SequenceMatcher(None, asked[0], asked[1], autojunk=False).get_matching_blocks()
    return {numbers[0][m.a + k]: numbers[1][m.b + k] for m in matched for k in range(m.size)}


def _renumbered(portrait: Portrait, lost: list[str], moved: dict[str, str]) -> Portrait:
    made = deepcopy(portrait)
    if "jobs" in made:
        made["jobs"] = {moved.get(n, n): job for n, job in made["jobs"].items() if n not in lost}
    return made


def _changes(old: Portrait, new: Portrait, where: list[str], gone: list[list[str]]) -> Portrait:
    found: Portrait = {}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(before, dict) and before and isinstance(value, dict):
            if inner := _changes(before, value, [*where, key], gone):
                found[key] = inner
        elif key not in old or before != value:
            found[key] = value
    gone.extend([*where, key] for key in old if key not in new)
    return found


def _lay_over(made: Portrait, changes: Portrait) -> None:
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(made.get(key), dict):
            _lay_over(made[key], value)
        else:
            made[key] = deepcopy(value)


# How runs are shortened.


def _shortened(portrait: Portrait) -> Portrait:
    made = deepcopy(portrait)
    for job in made["jobs"].values():
        short: Portrait = {}
        for number, run in sorted(
            ((int(number), run) for number, run in job["runs"].items()), key=itemgetter(0)
        ):
            assert run.keys() >= USUAL.keys()
            own = {name: one for name, one in run.items() if name not in USUAL or USUAL[name] != one}
            last = next(reversed(short), "")
            first, _, until = last.rpartition("-") if number > 0 else ("", "", "")
            if until and int(until) == number - 1 and short[last] == own:
                del short[last]
                short[f"{first or until}-{number}"] = own
            else:
                short[str(number)] = own
        job["runs"] = short
    return made


def _in_full(portrait: Portrait) -> Portrait:
    for job in portrait["jobs"].values():
        short, job["runs"] = job["runs"], {}
        for numbers, run in short.items():
            first, _, last = numbers.rpartition("-")
            for number in range(int(first), int(last) + 1) if first else [numbers]:
                job["runs"][str(number)] = {**USUAL, **deepcopy(run)}
    return portrait


# How it is written.


def _text(value: Any, indent: int = 0, taken: int = 0) -> str:
    """JSON with what fits into a line on one."""
    line = json.dumps(value)
    if not isinstance(value, dict | list) or not value or indent + taken + len(line) < WIDTH:
        return line
    pad = "\n" + " " * (indent + 1)
    if isinstance(value, list):
        lines = [_text(one, indent + 1) for one in value]
        return "[" + ",".join(pad + one for one in lines) + "\n" + " " * indent + "]"
    named = [(json.dumps(key) + ": ", one) for key, one in value.items()]
    lines = [name + _text(one, indent + 1, len(name)) for name, one in named]
    return "{" + ",".join(pad + one for one in lines) + "\n" + " " * indent + "}"
