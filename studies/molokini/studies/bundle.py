"""A study in one archive that can be cited: its rows, claims, figures, page and pictures, and what made them.

The archive is a zip, of the same bytes for the same rows. ``manifest.json`` names study, size, seeds, version
and code, every input with its digest, and every file with its own. Logs are not in it: a digest names them.
"""

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from molokini.model.errors import BadFile
from molokini.parallel.code import code_key
from molokini.studies.page import page
from molokini.studies.report import Report, report_of
from molokini.studies.running import Finished
from molokini.studies.study import MOST_SEEDS, Row, Size, Study, canonical
from molokini.workloads.atomic import atomic_path

SCHEMA = "molokini.study-bundle/1"
MANIFEST = "manifest.json"
_MOST_BYTES = 1 << 30
"""Of all files together: the largest study has a hundredth of it."""


@dataclass(frozen=True)
class Checked:
    """What a check of a bundle found."""

    study: str
    digest: str
    """Of the manifest, which holds those of all files: with it the bundle is cited."""
    problems: Sequence[str]
    """What is wrong, a sentence each; none: all files are as they were written."""
    skipped: str
    """Why the claims were not judged again from the rows; empty: they were."""


def write_bundle(report: Report, folder: Path, path: str, version: str) -> str:
    """Write the bundle of *report*, whose page is in *folder*; the digest by which it is cited."""
    finished = report.finished
    name = finished.study.name
    pictures = [f"{name}/{one.name}.png" for one in report.pictures]
    files = {one: (folder / one).read_bytes() for one in pictures} | _texts(report)
    manifest = {
        "schema": SCHEMA,
        "study": name,
        "version": version,
        "code": finished.code,
        "size": finished.size.as_dict(),
        "seeds": list(finished.results.seeds),
        "inputs": [{"name": one.name, "sha256": one.digest} for one in finished.study.inputs],
        "files": {file: _digest(data) for file, data in sorted(files.items())},
    }
    written = {MANIFEST: _json(manifest), **dict(sorted(files.items()))}
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for file, data in written.items():
            # The date of an entry is the oldest there is: the same rows are the same bytes.
            archive.writestr(zipfile.ZipInfo(file), data, zipfile.ZIP_DEFLATED)
    return _digest(written[MANIFEST])


def check_bundle(
    path: str, version: str, study_of: Callable[[str], Study], logs: Path | None = None
) -> Checked:
    """Hold the bundle at *path* to its manifest, and judge its rows again if this version made it.

    Raises BadFile where it is no bundle. A study over logs is judged again where *logs* has them.
    """
    files = _read(path)
    manifest = _manifest(path, files)
    problems = _changed(files, manifest["files"])
    study = study_of(manifest["study"])
    skipped = ""
    if study.over is not None and manifest["inputs"]:
        if logs is None:
            skipped = "it is over logs; --logs DIR names their folder"
        else:
            study = study.over(logs)
            problems += _other_inputs(manifest["inputs"], study)
    if manifest["version"] != version:
        problems.append(f"it was made by version {manifest['version']} of Molokini, and this is {version}")
    elif manifest["code"] != (here := code_key(study.sources)):
        problems.append(f"code of the key {manifest['code']} made its runs, and the key here is {here}")
    if not problems and not skipped:
        try:
            problems += _judged_again(files, manifest, study)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadFile(
                path, f"its files are not those of a study: {type(error).__name__}, {error}"
            ) from None
    return Checked(study.name, _digest(files[MANIFEST]), problems, "" if problems else skipped)


def _texts(report: Report) -> dict[str, bytes]:
    """The page, the document and the rows: what can be made again from the rows alone."""
    name = report.finished.study.name
    rows = [canonical({"point": point.as_dict(), "row": dict(row)}) for point, row in report.finished.rows]
    return {
        f"{name}.md": page(report).encode(),
        f"{name}.json": _json(report.as_dict({})),
        f"{name}.runs.jsonl": "".join(f"{line}\n" for line in rows).encode(),
    }


def _read(path: str) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
                raise BadFile(path, "its files are larger than a gigabyte; a bundle of a study is smaller")
            return {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except OSError as error:
        raise BadFile(path, error.strerror or str(error)) from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise BadFile(path, f"is no bundle of a study, or damaged: {error}") from None
    except Exception as error:  # zlib.error, which zipfile does not translate
        raise BadFile(path, f"is damaged: {error}") from None


def _manifest(path: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    try:
        found = json.loads(files.get(MANIFEST, b""))
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise BadFile(path, f"is no bundle of a study: it has no {MANIFEST} of the schema {SCHEMA}")
    wanted = {"study": str, "version": str, "code": str, "size": dict, "inputs": list, "files": dict}
    for key, kind in wanted.items():
        if not isinstance(found.get(key), kind):
            raise BadFile(path, f"{MANIFEST}: {key} is missing or no {kind.__name__}")
    return found


def _changed(files: Mapping[str, bytes], wanted: Mapping[str, str]) -> list[str]:
    found = [f"{name} is missing" for name in wanted if name not in files]
    found += [
        f"{name} was changed" for name in wanted if name in files and _digest(files[name]) != wanted[name]
    ]
    return found + [f"{name} was added" for name in files if name not in wanted and name != MANIFEST]


def _other_inputs(wanted: Sequence[Mapping[str, str]], study: Study) -> list[str]:
    ours = {one.name: one.digest for one in study.inputs}
    told = []
    for one in wanted:
        if one["name"] not in ours:
            told.append(f"the log {one['name']} is not among those of --logs")
        elif ours[one["name"]] != one["sha256"]:
            told.append(f"the log {one['name']} of --logs has other contents")
    more = sorted(set(ours) - {one["name"] for one in wanted})
    return told + [f"the log {name} of --logs was no input" for name in more]


def _judged_again(files: Mapping[str, bytes], manifest: Mapping[str, Any], study: Study) -> list[str]:
    """What comes out of the rows, beside what the bundle says came out."""
    rows: dict[str, Row] = {}
    for line in files.get(f"{study.name}.runs.jsonl", b"").splitlines():
        one = json.loads(line)
        rows[canonical(one["point"])] = one["row"]
    size = Size(**manifest["size"])
    if not 1 <= size.seeds <= MOST_SEEDS or not 0 < size.length <= 1:
        raise ValueError(f"a size of {size.seeds} seeds and length {size.length}")
    points = study.points(size)
    missing = sum(point.key not in rows for point in points)
    if missing or len(rows) != len(points):
        return [f"{study.name}.runs.jsonl lacks {missing:,} of {len(points):,} runs and has {len(rows):,}"]
    made = [(point, rows[point.key]) for point in points]
    report = report_of(Finished(study, size, manifest["code"], made, len(made), 0))
    theirs = json.loads(files[f"{study.name}.json"])
    for ours, other in zip(json.loads(_json(report.as_dict({})))["claims"], theirs["claims"], strict=False):
        if ours != other:
            return [f"claim {other['name']}: the rows say {ours['verdict']}, the bundle {other['verdict']}"]
    texts = _texts(report)
    return [f"{name} is not what the rows say" for name, data in texts.items() if files.get(name) != data]


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
