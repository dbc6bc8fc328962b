"""Canonical JSON: keys sorted, no blanks, no NaN, so that the same value always gives the same bytes."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from molokini.model import actors
from molokini.model.actors import Origin


def _plain(value: object) -> Any:
    """What JSON does not know."""
    if isinstance(value, Origin):
        return actors.written(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


_encoder = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False, default=_plain
)


_quoted = json.encoder.encode_basestring


def _writer() -> Callable[[Any], str]:
    """The function that writes canonical JSON.

    ``JSONEncoder.encode`` rebuilds the compiled encoder for each value, which takes longer than its work;
    where there is a compiled encoder, it is kept.
    """
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _encoder.encode
    parts = make(None, _encoder.default, _quoted, None, ":", ",", True, False, False)
    return lambda value: "".join(parts(value, 0))


_write = _writer()


def text_of(value: Any) -> str:
    """*value* as canonical JSON."""
    return _write(value)


def texts_of(column: Sequence[Any]) -> list[str]:
    """The canonical JSON of each of these texts, lists of texts, or finite numbers (floats)."""
    if isinstance(column[0], str):
        return list(map(_quoted, column))
    if isinstance(column[0], list):
        return ["[" + ",".join(map(_quoted, one)) + "]" for one in column]
    return list(map(float.__repr__, column))


def form_of(spec: Mapping[str, Any], own: Sequence[str]) -> str:
    """The canonical JSON of *spec* as a form in which each field of *own* has a ``%s`` for its JSON.

    In the order of the names, which are sorted; ``outcome.run_s`` is that field of the field ``outcome``.
    """
    inner = {one.partition(".")[0]: one.partition(".")[2] for one in own}
    parts = []
    for name in sorted({*spec, *inner}):
        within = inner.get(name)
        if within is None:
            value = _escaped(spec[name])
        else:
            value = form_of(spec.get(name, {}), (within,)) if within else "%s"
        parts.append(f"{_escaped(name)}:{value}")
    return "{" + ",".join(parts) + "}"


def _escaped(value: Any) -> str:
    return text_of(value).replace("%", "%%")
