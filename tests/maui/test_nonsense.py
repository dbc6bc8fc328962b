"""Whatever stands in a file, reading it ends with a report: no other error, and nothing half right."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from molokini.maui import check_text
from molokini.maui.parameters import OBJECT_TYPES, PARAMETERS

_NAMES = st.sampled_from(
    [*PARAMETERS, *OBJECT_TYPES, "QOSNAME", "SRFLAGS", "RMTYPE", "SMAXJOBPERUSER", "MAXPEPERQOS"]
)
_INDICES = st.sampled_from(["", "[0]", "[DEFAULT]", "[x]", "[1]", "[]", "[a b]", "[²]"])
_SIGNS = st.text("0123456789.,:;|+-~%^*!=[]()'\"#aMUSER \t²é", max_size=12)
_ATTRIBUTES = st.sampled_from(sorted({name for one in OBJECT_TYPES.values() for name in one.attributes}))
_PAIRS = st.sampled_from(["", "[USER]", "[USER:ann]", "[]", "[x:y:z]"])
_WORDS = _SIGNS | st.builds("{}{}={}".format, _ATTRIBUTES, _PAIRS, _SIGNS)
_LINES = st.builds("{}{} {} {}".format, _NAMES, _INDICES, _WORDS, _WORDS) | st.text(max_size=40)


@given(st.lists(_LINES, max_size=8).map("\n".join))
@settings(deadline=None, max_examples=120)
@example("NODESETLIST '²'")
@example("RESERVATIONDEPTH[²] 1")
@example("QOSNAME[1] 'a b'\nQOSPRIORITY[1] 5")
def test_nonsense_in_maui_cfg(text: str) -> None:
    report = check_text(text)
    assert (report.config is None) == bool(report.refused)
    assert all(one.line for one in report.refused)
    for one in report.findings:
        assert one.meaning or one.cause


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
