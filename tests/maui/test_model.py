"""Maui's whole configuration as one value."""

from hypothesis import given, settings

from molokini.maui import MauiConfig
from tests.kit.maui_configs import configs


@given(configs())
@settings(deadline=None, max_examples=20)
def test_a_model_comes_back_from_json(config: MauiConfig) -> None:
    assert MauiConfig.model_validate(config.model_dump(exclude_unset=True)) == config
