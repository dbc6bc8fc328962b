"""maui.cfg and TOML are two spellings of one model: whatever it holds comes back from both."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings

from molokini.maui import MauiConfig, check_text, read_config, write_config, write_toml
from molokini.maui.draft import Draft
from molokini.maui.grammar import parsed
from molokini.maui.interpreting import interpret
from molokini.maui.writing import parameter_lines
from tests.kit.maui_configs import configs

EXAMPLE = Path(__file__).parents[2] / "examples" / "maui.cfg"


def from_lines(text: str) -> MauiConfig:
    """The model of a maui.cfg, whether its values go together or not."""
    draft = Draft()
    lines = [parsed(line, "maui.cfg", number) for number, line in enumerate(text.split("\n"), 1)]
    interpret([line for line in lines if line is not None], draft)
    assert [one.text for one in draft.findings if one.status == "refused"] == []
    return MauiConfig.model_validate(draft.values)


@given(configs())
@settings(deadline=None, max_examples=60)
def test_a_model_comes_back_from_maui_cfg(config: MauiConfig) -> None:
    text = write_config(config)
    assert from_lines(text) == config
    assert write_config(from_lines(text)) == text


@pytest.mark.parametrize("write", [write_config, write_toml])
def test_the_example_comes_back(write: Callable[[MauiConfig], str], tmp_path: Path) -> None:
    config = read_config(EXAMPLE)
    path = tmp_path / ("maui.toml" if write is write_toml else "maui.cfg")
    path.write_text(write(config))
    assert read_config(path) == config
    assert {one.status for one in check_text(EXAMPLE.read_text()).findings} == {"understood"}


def test_a_parameter_is_shown_as_it_would_be_written() -> None:
    config = check_text("BACKFILLDEPTH 5\nUSERCFG[ann] MAXJOB=3,4").checked()
    assert parameter_lines(config, "BACKFILLDEPTH") == ["BACKFILLDEPTH 5"]
    assert parameter_lines(config, "USERCFG") == ["USERCFG[ann] MAXJOB=3,4"]
    assert parameter_lines(config, "RMPOLLINTERVAL") == ["RMPOLLINTERVAL 00:01:00"]
    assert parameter_lines(MauiConfig(), "SIMSTARTTIME") == ["SIMSTARTTIME"]
