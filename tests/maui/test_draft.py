"""A configuration in the making: all that is wrong is found in one run, what follows from it is not."""

from pathlib import Path

from molokini.maui import check, check_text
from tests.kit.maui_file import refused


def test_all_troubles_are_found_in_one_run() -> None:
    text = "NOSUCH 1\nFSWEIGHT x\nUSERCFG[ann] MAXJOB=2,1 FSTARGET=5 NOSUCH=1\nBACKFILLDEPTH 5\n"
    report = check_text(text)
    assert [one.line for one in report.refused] == [1, 2, 3, 3, 3]
    assert len(report.findings) == 6


def test_what_hangs_on_a_refused_value_is_not_told_again() -> None:
    assert refused("FSPOLICY CATS\nUSERCFG[ann] FSTARGET=5").line == 1


def test_nonsense_is_given_up_soon(tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    path.write_text("".join(f"X{number} 1\n" for number in range(5_000)))
    report = check(path)
    assert len(report.refused) == 1001
    assert "the rest was not checked" in report.refused[-1].text
