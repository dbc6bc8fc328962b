"""A configuration in TOML: what is wrong in it has its line, and whatever the model holds comes back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.maui import MauiConfig, check_text, toml, write_toml
from molokini.maui.draft import Draft
from tests.kit.maui_configs import configs
from tests.kit.maui_file import refused


@pytest.mark.parametrize(
    ("text", "cause", "line"),
    [
        ("[backfil]\npolicy = 'NONE'", "no key named 'backfil'; did you mean 'backfill'?", 1),
        ("[backfill]\n\npolicies = 'NONE'", "did you mean 'policy'?", 3),
        ("[backfill]\npolicy = 3", "it must be one of FIRSTFIT", 2),
        ("[backfill]\ndepth = '3 or so'", "a whole number", 2),
        ("[backfill]\ndepth = true", "a whole number", 2),
        ("backfill = 3", "must be a table", 1),
        ("[users.ann.running]\njobs = [3, 2]", "soft limit 3 is above hard limit 2", 2),
        ("[users.ann]\nrunning.jobs = [3, 2, 1]", "soft not above hard", 2),
        ("[users.ann]\ntarget = 50", "a fairshare target without a fairshare policy", 2),
        ("[users.'a b']\npriority = 1", "is not a name of a user", 1),
        ("[[users.ann.pairs]]\ncounted = 'CATS'\nwhose = 'USER'\nlimit = 3", "counted: wrong", 1),
        ("[priority.by_partition.fast]\nqueue_tim = 3", "did you mean 'queue_time'?", 2),
        ("[priority]\nqueue_time = nan", "a number", 2),
        ("[standing.a]\nstart_s = '9:00:00'\nend_s = 60", "never occurs", 3),
        ("[backfill]\ndepth = 3\ndepth = 4", "cannot overwrite", 3),
        ("[reservations]\ndepth = {0 = 'x'}", "a whole number", 2),
        ("[", "", 1),
    ],
)
def test_refused_toml(text: str, cause: str, line: int) -> None:
    one = refused(text, "maui.toml")
    assert cause in one.text
    assert one.line == line


_KEYS = st.sampled_from(
    ["backfill", "users", "qos", "pairs", "running", "depth", "jobs", "priority", "ann", "x y"]
)
_VALUES = st.recursive(
    st.integers() | st.floats() | st.booleans() | st.text(max_size=5) | st.datetimes().map(str),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
_TABLES = st.recursive(
    st.dictionaries(_KEYS, _VALUES, max_size=3),
    lambda inner: st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=6,
)


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {_toml(one)}' for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return (
        repr(value)
        if isinstance(value, int | float)
        else '"' + str(value).encode("unicode_escape").hex() + '"'
    )


@given(st.dictionaries(_KEYS, _TABLES | _VALUES, max_size=4) | st.text(max_size=60))
@settings(deadline=None, max_examples=100)
def test_nonsense_in_toml(document: dict[str, object] | str) -> None:
    text = (
        document
        if isinstance(document, str)
        else "".join(f'"{key}" = {_toml(value)}\n' for key, value in document.items())
    )
    report = check_text(text, "maui.toml")
    assert (report.config is None) == bool(report.refused)
    assert all(one.line for one in report.refused)


def from_toml(text: str) -> MauiConfig:
    """The model of a TOML text, whether its values go together or not."""
    draft = Draft()
    toml.interpret(text, "maui.toml", draft)
    assert [one.text for one in draft.findings if one.status == "refused"] == []
    return MauiConfig.model_validate(draft.values)


@given(configs())
@settings(deadline=None, max_examples=60)
def test_a_model_comes_back_from_toml(config: MauiConfig) -> None:
    text = write_toml(config)
    assert from_toml(text) == config
    assert write_toml(from_toml(text)) == text
