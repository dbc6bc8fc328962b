"""``NAME=VALUE`` of the commands that set something."""

from collections.abc import Iterable

from molokini.model.errors import BadValue


def settings(option: str, texts: Iterable[str]) -> dict[str, str]:
    """The values by name; BadValue where one is no pair, or comes twice."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise BadValue(option, text, "NAME=VALUE")
        if name in found:
            raise BadValue(option, text, f"without a second value for {name!r}")
        found[name] = value
    return found
