"""What stands behind a name on a command line: ``NAME?key=value&key=value``."""

from molokini.model.errors import BadInput


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """``name?key=value&key=value`` in its parts."""
    name, _, query = spec.partition("?")
    own = {}
    for pair in filter(None, query.split("&")):
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"{spec}: after the question mark stands KEY=VALUE, joined by &")
        if key in own:
            raise BadInput(f"{spec}: {key} stands there twice; give each parameter once")
        own[key] = value
    return name, own
