"""Packs of sites (``molokini collect``): one file that holds a log, its configuration and its outages.

A pack is opened into a folder that is gone when the process ends; what is asked of a run is then as if its
files had been named one by one. Files that are named all the same go before those of the pack.
"""

import atexit
import hashlib
import json
import re
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from molokini.experiments.asked import Log, Several, Simulation, texts
from molokini.experiments.choosing import Chosen
from molokini.experiments.logs import several
from molokini.experiments.maui_files import ConfiguredPolicy
from molokini.model.errors import BadFile, BadInput
from molokini.workloads.workload import Workload

SCHEMA = "molokini.site/1"
_MANIFEST = "manifest.json"
_ROLES = ("log", "configuration", "events", "reservations")
_LARGEST_BYTES = 16 << 30
_RELEASE = re.compile(r"^\s*slurm_?version\s*=", re.IGNORECASE | re.MULTILINE)
_CUT = "the pack is cut short or damaged: copy it again, or collect it again"


@dataclass(frozen=True)
class Pack:
    """The files of a pack, where they are now."""

    path: str
    folder: str
    about: Mapping[str, Any]

    def file(self, role: str) -> str | None:
        """The file of a *role* (log, configuration, events, reservations)."""
        name = self.about.get(role)
        return str(Path(self.folder, name)) if isinstance(name, str) else None

    @property
    def log(self) -> str:
        """The file of the jobs. Raises BadFile where there is none."""
        log = self.file("log")
        if log is None:
            raise BadFile(self.path, "holds no log of jobs")
        return log

    @property
    def beside(self) -> tuple[str, ...]:
        """The files that belong to the configuration."""
        return tuple(str(Path(self.folder, name)) for name in self.about.get("beside") or ())


def is_pack(log: Log | None) -> bool:
    """Whether *log* is the name of a pack."""
    return isinstance(log, str) and log.lower().endswith((".tar.gz", ".tgz", ".tar")) and Path(log).exists()


def pack_of(path: str) -> Pack:
    """The pack in the file *path*, opened. Raises BadFile for one that is cut short, or is none."""
    return _opened(path, Path(path).stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _opened(path: str, changed_ns: int) -> Pack:
    folder = tempfile.mkdtemp(prefix="molokini-site-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        found = _unpacked(path, folder)
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        cause = error.strerror if isinstance(error, OSError) and error.strerror else _CUT
        raise BadFile(path, cause) from None
    if _MANIFEST not in found:
        raise BadFile(path, f"holds no {_MANIFEST}: it is no pack of 'molokini collect'")
    try:
        about = json.loads(Path(folder, _MANIFEST).read_text(encoding="utf-8"))
    except ValueError:
        raise BadFile(path, f"{_MANIFEST}: {_CUT}") from None
    if not isinstance(about, dict) or about.get("schema") != SCHEMA:
        raise BadFile(path, f"{_MANIFEST}: schema must be {SCHEMA}; collect it again with this version")
    files = about.get("files")
    if not isinstance(files, dict) or not all(isinstance(one, dict) for one in files.values()):
        raise BadFile(path, f"{_MANIFEST}: it does not say which files there are; collect it again")
    for name, told in files.items():
        # A name of a folder outside of the pack is not among those found.
        if name not in found or _digest(Path(folder, name)) != told.get("sha256"):
            raise BadFile(path, f"{name}: {_CUT}")
    for name in (*(about.get(role) for role in _ROLES), *(about.get("beside") or ())):
        if name is not None and name not in files:
            raise BadFile(path, f"{_MANIFEST}: {name!r} is not among the files of the pack; collect it again")
    return Pack(path, folder, about)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _unpacked(path: str, folder: str) -> set[str]:
    """The names of the files of a pack, which lie in *folder* now."""
    found = set()
    with tarfile.open(path, "r:*") as tar:
        for member in tar:
            name = PurePosixPath(member.name).name
            if not member.isfile() or not name or name.startswith("."):
                continue
            if member.size > _LARGEST_BYTES:
                raise BadFile(path, f"{name}: is larger than {_LARGEST_BYTES:,} bytes")
            source = tar.extractfile(member)
            assert source is not None
            with Path(folder, name).open("wb") as target:
                shutil.copyfileobj(source, target)
            found.add(name)
    return found


def simulation_in(asked: Simulation) -> Simulation:
    """*asked* with the files of the pack that is its log, if it is one."""
    if not is_pack(asked.log):
        return asked
    pack = pack_of(str(asked.log))
    return replace(
        asked,
        log=pack.log,
        input_format="sacct",
        slurm_conf=asked.slurm_conf or pack.file("configuration"),
        slurm_accounts=texts(asked.slurm_accounts) or pack.beside,
        node_events=asked.node_events or pack.file("events"),
        reservations=asked.reservations or pack.file("reservations"),
    )


def called(workload: Workload, log: Log | None) -> Workload:
    """*workload* under the name of the pack that it is from, if *log* is one."""
    return replace(workload, name=Path(str(log)).name) if is_pack(log) else workload


def shown(text: str, log: Log | None) -> str:
    """*text* in which files of the pack *log* are named as in there, and not by the folder where they lie."""
    return text.replace(f"{pack_of(str(log)).folder}/", f"{log}: ") if is_pack(log) else text


def renamed(chosen: Chosen, log: Log | None) -> Chosen:
    """*chosen*, whose configuration is named as in the pack *log* if it is of one."""
    if not isinstance(chosen, ConfiguredPolicy) or not is_pack(log):
        return chosen
    return replace(chosen, file=shown(chosen.file, log), label=shown(chosen.label, log))


def outside(chosen: Chosen, log: Log | None) -> list[str]:
    """What a configuration that is not of the pack *log* does not know of it, a line each."""
    if not isinstance(chosen, ConfiguredPolicy) or not is_pack(log) or chosen.file.startswith(f"{log}: "):
        return []
    about, site = pack_of(str(log)).about, chosen.site
    release = ".".join(str(about.get("release", "")).split(".")[:2])
    notes = []
    if release and not _RELEASE.search(Path(chosen.file).read_text(encoding="utf-8", errors="replace")):
        line = f"SlurmVersion={release}"
        notes.append(
            f"{chosen.file}: it names no release, so the rules of the newest hold; add {line}, as in {log}"
        )
    known = {name.lower() for name in site.known_names().get("account", ())}
    named = (site.queue_words(queue) for queue in site.known_names().get("queue", ()))
    listed = (words.get(f"{word}Accounts", "") for words in named for word in ("Allow", "Deny"))
    lacking = {name for names in listed for name in names.split(",")} - {"", "ALL", *known}
    if about.get("anonymous") and known and lacking:
        some = ", ".join(sorted(lacking)[:3])
        notes.append(
            f"{chosen.file}: {log} has other names of accounts, and knows no {some}: "
            "change a copy of the file in it (tar xzf), or collect with --keep-names"
        )
    return notes


@contextmanager
def in_pack(log: Log | None) -> Iterator[None]:
    """Inside, complaints about files of the pack *log* name it, and not the folder where they lie."""
    try:
        yield
    except BadFile as error:
        if not is_pack(log):
            raise
        raise BadFile(shown(error.path, log), shown(error.cause, log), error.line) from None
    except BadInput as error:
        if not is_pack(log) or (told := shown(str(error), log)) == str(error):
            raise
        raise BadInput(told) from None


def several_in(asked: Several) -> tuple[Several, str | None]:
    """*asked* with the files of the pack that is its log, and the configuration of the pack."""
    logs = several(asked.logs)
    packs = [log for log in logs if is_pack(log)]
    if not packs:
        return asked, None
    if len(logs) > 1:
        raise BadInput(f"{packs[0]}: a pack brings a machine of its own; compare it without other logs")
    pack = pack_of(str(packs[0]))
    made = replace(
        asked,
        logs=[pack.log],
        input_format="sacct",
        slurm_accounts=texts(asked.slurm_accounts) or pack.beside,
        node_events=asked.node_events or pack.file("events"),
        reservations=asked.reservations or pack.file("reservations"),
    )
    return made, pack.file("configuration")
