"""The page as one document that opens without a server: the same modules, joined, and its data.

A file loads no modules, so each becomes a function whose result are its exports. That needs modules of a
plain shape, which a test holds them to: named imports of other modules, and exports where things are defined.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from html import escape
from posixpath import dirname, join, normpath
from typing import Any

from molokini.page.assets import DOCUMENT, assets

ENTRY = "file.js"

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^[ ]*/\*\*(?:(?!\*/).)*\*/[ ]*\n", re.MULTILINE | re.DOTALL)


def document(title: str, data: Mapping[str, Any]) -> str:
    """The page called *title*, with *data* as ``recorded.js`` reads it. The same text for the same data."""
    script, style = joined(ENTRY), assets()["page.css"].body.decode("utf-8")
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    # Nothing in a name can end the element that holds the data.
    told = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<script type="application/json" id="data">{told}</script>\n<script>{script}</script>\n'
        "</body>\n</html>\n"
    )


def joined(entry: str) -> str:
    """The module *entry* and all that it imports, as one script; comments of types are left out."""
    order: list[str] = []
    _visit(entry, order, ())
    parts = [_wrapped(name, order) for name in order]
    return '"use strict";\n' + "\n".join(parts) + "\n"


def imports_of(name: str) -> dict[str, list[str]]:
    """What the module *name* imports: names by the module that has them."""
    found = {}
    for names, path in _IMPORT.findall(_text(name)):
        found[normpath(join(dirname(name), path))] = [one.strip() for one in names.split(",") if one.strip()]
    return found


def exports_of(name: str) -> list[str]:
    """What the module *name* exports."""
    return _EXPORT.findall(_text(name))


def loaded_by(entry: str) -> list[str]:
    """The files that a browser loads for the module *entry* on a server: modules, document, style, icon."""
    order: list[str] = []
    _visit(entry, order, ())
    return [*order, DOCUMENT, "page.css", "icon.svg"]


def _visit(name: str, order: list[str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"modules import each other: {' -> '.join([*above, name])}")
    if name in order:
        return
    for other in imports_of(name):
        _visit(other, order, (*above, name))
    order.append(name)


def _wrapped(name: str, order: list[str]) -> str:
    given = [
        f"const {{ {', '.join(names)} }} = m{order.index(other)};"
        for other, names in imports_of(name).items()
    ]
    body = _EXPORT.sub("", _IMPORT.sub("", _COMMENT.sub("", _text(name)))).strip()
    made = f"return {{ {', '.join(exports_of(name))} }};"
    return f"const m{order.index(name)} = (() => {{\n" + "\n".join([*given, body, made]) + "\n})();"


def _text(name: str) -> str:
    return assets()[name].body.decode("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
