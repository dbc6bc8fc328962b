"""changeparam, and a file read again: what is wrong changes nothing and says why."""

from pathlib import Path

import pytest

from molokini.maui import Running, changed, check_text, write_config
from molokini.model.errors import BadFile, BadInput


def test_one_parameter_is_changed_and_nothing_else() -> None:
    before = check_text("BACKFILLDEPTH 5\nUSERCFG[ann] MAXJOB=3\nFSPOLICY ON").checked()
    after = changed(before, "USERCFG[ann] PRIORITY=7 FSTARGET=10+")
    assert write_config(after) == write_config(before).replace("MAXJOB=3", "PRIORITY=7 FSTARGET=10+ MAXJOB=3")
    assert changed(after, "backfilldepth 6").backfill.depth == 6
    assert before.backfill.depth == 5


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("BACKFILDEPTH 6", "no parameter named 'BACKFILDEPTH'; did you mean 'BACKFILLDEPTH'"),
        ("BACKFILLDEPTH six", "must be a whole number"),
        ("BACKFILLDEPTH", "the value is missing"),
        ("", "needs the name of a parameter"),
        ("FSPOLICY 'ON", "opened and not closed"),
        ("FSPOLICY NONE", "users.ann.target: a fairshare target without a fairshare policy"),
        ("USERCFG[ann] MAXJOB=3,2", "soft limit 3 is above hard limit 2"),
    ],
)
def test_a_bad_change_changes_nothing(text: str, cause: str) -> None:
    before = check_text("FSPOLICY ON\nUSERCFG[ann] FSTARGET=5").checked()
    kept = before.model_copy(deep=True)
    with pytest.raises(BadInput, match=cause) as error:
        changed(before, text)
    assert str(error.value).startswith("changeparam: ")
    assert before == kept


def test_a_bad_file_changes_nothing_at_a_reload(tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_text("BACKFILLDEPTH 5\n")
    running = Running.start(path)
    running.change("BACKFILLDEPTH 6")
    path.write_text("BACKFILLDEPTH 7\nNOSUCH 1\n")
    with pytest.raises(BadFile, match=r"maui.cfg:2: NOSUCH: no parameter"):
        running.reload()
    assert running.config.backfill.depth == 6
    path.write_text("BACKFILLDEPTH 7\n")
    assert running.reload().backfill.depth == 7
    path.unlink()
    with pytest.raises(BadFile, match="No such file"):
        running.reload()
    assert running.config.backfill.depth == 7
