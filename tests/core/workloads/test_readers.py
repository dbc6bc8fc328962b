from pathlib import Path

import pytest

from molokini.model.errors import BadFile, BadValue
from molokini.workloads.readers import FORMATS, read_workload, write_workload
from tests.core.workloads.builders import log, record, workload


@pytest.mark.parametrize("ending", [*FORMATS, ".SWF", ".CSV"])
def test_every_format_is_written_and_read_by_its_ending(tmp_path: Path, ending: str) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"log{ending}"
    write_workload(workload((0, 1, 1), (2, 3, 4)), path)
    assert read_workload(path, strict=True, limit=1).number.tolist() == [1]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["log", "log.txt", "log.data"])
def test_other_names_are_read_as_swf_and_not_written(tmp_path: Path, name: str) -> None:
    assert len(read_workload(log(tmp_path, record(), name=name))) == 1
    with pytest.raises(BadValue, match=r"\.swf\.gz"):
        write_workload(workload((0, 1, 1)), tmp_path / name)


def test_a_folder_that_is_not_there_is_a_bad_file(tmp_path: Path) -> None:
    for ending in (".swf", ".csv.gz"):
        with pytest.raises(BadFile):
            write_workload(workload((0, 1, 1)), tmp_path / "no" / f"log{ending}")
