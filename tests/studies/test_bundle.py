"""Bundles of a study: the same bytes each time, and what a check finds in one that was changed."""

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from molokini.clients.arguments.runs import StudyArguments
from molokini.clients.study import check, run, study
from molokini.model.errors import BadFile, BadInput, MolokiniError
from molokini.studies.bundle import MANIFEST, check_bundle
from molokini.studies.claims import Verdict
from molokini.studies.log_files import Log
from molokini.studies.study import Study
from tests.kit.tiny_study import STUDY, arguments

Change = Callable[[dict[str, bytes]], None]


def known(name: str) -> Study:
    assert name == "tiny"
    return STUDY


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    run(STUDY, arguments(folder, bundle=str(folder / "tiny.zip")))
    return folder / "tiny.zip"


def rewritten(bundle: Path, to: Path, change: Change) -> str:
    """A copy in which *change* has been made."""
    with zipfile.ZipFile(bundle) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    with zipfile.ZipFile(to, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return str(to)


def manifest(**more: object) -> Change:
    def change(files: dict[str, bytes]) -> None:
        files[MANIFEST] = json.dumps({**json.loads(files[MANIFEST]), **more}).encode()

    return change


def test_a_bundle_is_the_same_bytes_again_and_all_of_it_is_as_written(bundle: Path, tmp_path: Path) -> None:
    run(STUDY, arguments(tmp_path, 2, bundle=str(tmp_path / "again.zip")))
    assert (tmp_path / "again.zip").read_bytes() == bundle.read_bytes()
    found = check(str(bundle), arguments(tmp_path), known)
    assert (found["study"], found["problems"], found["skipped"]) == ("tiny", [], "")
    with zipfile.ZipFile(bundle) as archive:
        assert {"tiny.md", "tiny.json", "tiny.runs.jsonl", "tiny/means.png"} < set(archive.namelist())
        assert json.loads(archive.read(MANIFEST))["seeds"] == [1, 2, 3, 4, 5, 6]


def _other_page(files: dict[str, bytes]) -> None:
    files["tiny.md"] += b"All of it holds.\n"


def _without_rows(files: dict[str, bytes]) -> None:
    del files["tiny.runs.jsonl"]


def _more(files: dict[str, bytes]) -> None:
    files["notes.txt"] = b"see here"


def _forged(name: str, old: bytes, new: bytes) -> Change:
    """A change of a file, with a manifest that agrees with it."""

    def change(files: dict[str, bytes]) -> None:
        import hashlib

        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)
        made = json.loads(files[MANIFEST])
        made["files"][name] = hashlib.sha256(files[name]).hexdigest()
        files[MANIFEST] = json.dumps(made).encode()

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_other_page, "tiny.md was changed"),
        (_without_rows, "tiny.runs.jsonl is missing"),
        (_more, "notes.txt was added"),
        (manifest(version="0.0.1"), "it was made by version 0.0.1 of Molokini, and this is"),
        (manifest(code="beef"), "code of the key beef made its runs, and the key here is"),
        (
            _forged("tiny.json", b'"contradicted"', b'"holds"'),
            "claim shrinks: the rows say contradicted, the bundle holds",
        ),
        (_forged("tiny.md", b"**contradicted**", b"**holds**"), "tiny.md is not what the rows say"),
        (_forged("tiny.runs.jsonl", b'"bias":0.1', b'"bias":0.7'), "lacks 1 of 60 runs and has 59"),
    ],
    ids=["page", "rows", "more", "version", "code", "verdict", "forged-page", "forged-rows"],
)
def test_what_is_not_as_it_was_written_is_named(
    bundle: Path, tmp_path: Path, change: Change, told: str
) -> None:
    file = rewritten(bundle, tmp_path / "b.zip", change)
    with pytest.raises(MolokiniError) as error:
        check(file, arguments(tmp_path), known)
    assert told in str(error.value)
    assert str(error.value).startswith(f"{file}: ")
    assert error.value.exit_code == 1


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more", b"{}"])
def test_what_is_no_bundle_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.zip").write_bytes(content)
    with pytest.raises(BadFile, match="is no bundle of a study"):
        check(str(tmp_path / "b.zip"), arguments(tmp_path), known)


def test_a_torn_bundle_is_refused(bundle: Path, tmp_path: Path) -> None:
    data = bytearray(bundle.read_bytes())
    at = data.index(b"tiny.md") + 200
    data[at : at + 50] = bytes(50)
    (tmp_path / "b.zip").write_bytes(bytes(data))
    with pytest.raises(BadFile, match="damaged"):
        check(str(tmp_path / "b.zip"), arguments(tmp_path), known)


def test_a_manifest_of_other_kinds_is_refused(bundle: Path, tmp_path: Path) -> None:
    file = rewritten(bundle, tmp_path / "b.zip", manifest(files=["tiny.md"]))
    with pytest.raises(BadFile, match=r"manifest.json: files is missing or no dict"):
        check(file, arguments(tmp_path), known)


@pytest.mark.parametrize(
    "size", [{"name": "full"}, {"name": "full", "seeds": 10**9, "length": 1.0}, {"seeds": "6", "length": []}]
)
def test_a_size_that_no_study_has_is_refused(bundle: Path, tmp_path: Path, size: dict[str, object]) -> None:
    file = rewritten(bundle, tmp_path / "b.zip", manifest(size=size))
    with pytest.raises(BadFile, match="its files are not those of a study"):
        check(file, arguments(tmp_path), known)


def test_a_bundle_needs_a_study(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--bundle: it needs the NAME of a study"):
        study(StudyArguments(bundle=str(tmp_path / "b.zip")))


def test_a_bundle_over_logs_names_those_that_differ(bundle: Path, tmp_path: Path) -> None:
    logs = [{"name": "a.swf", "sha256": "aa"}, {"name": "b.swf", "sha256": "bb"}]
    file = rewritten(bundle, tmp_path / "b.zip", manifest(inputs=logs))
    over = replace(STUDY, over=lambda _: replace(STUDY, inputs=[Log("a.swf", "aa"), Log("b.swf", "cc")]))
    from molokini.model.version import version

    without = check_bundle(file, version(), lambda _: over)
    assert (without.problems, without.skipped) == ([], "it is over logs; --logs DIR names their folder")
    given = check_bundle(file, version(), lambda _: over, tmp_path)
    assert given.problems == ["the log b.swf of --logs has other contents"]


def test_options_that_a_bundle_says_itself_are_refused(bundle: Path, tmp_path: Path) -> None:
    for given in ({"seeds": 3}, {"quick": True}, {"name": "tiny"}):
        with pytest.raises(BadInput, match="a bundle says by itself what was run"):
            check(str(bundle), arguments(tmp_path, **given), known)


def test_one_seed_decides_nothing_that_needs_an_interval(tmp_path: Path) -> None:
    found = run(STUDY, arguments(tmp_path, seeds=1, bundle=str(tmp_path / "one.zip")))
    assert found["seeds"] == [1]
    assert check(str(tmp_path / "one.zip"), arguments(tmp_path), known)["problems"] == []
    assert "nan" not in (tmp_path / "tiny.md").read_text()
    assert str(Verdict.HOLDS) not in {claim["verdict"] for claim in found["claims"]}
