"""README.md as a package index shows it: links and pictures cannot be relative there.

``pyproject.toml`` has two addresses below ``[tool.hatch.metadata.hooks.custom]``, one for pages and one for
pictures, in which ``{path}`` and ``{version}`` stand for what is linked and for the version. As long as the
project has no public address both are empty: a link is then its text, and a picture its caption.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")
_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")


def for_index(text: str, pages: str, pictures: str, version: str) -> str:
    """*text* with absolute links: to *pages* and *pictures*, with ``{path}`` and ``{version}`` filled in."""

    def picture(found: re.Match[str]) -> str:
        caption, path = found.groups()
        return f"![{caption}]({pictures.format(path=path, version=version)})" if pictures else f"*{caption}*"

    def link(found: re.Match[str]) -> str:
        words, path = found.groups()
        if pages:
            return f"[{words}]({pages.format(path=path, version=version)})"
        return words

    return _LINK.sub(link, _PICTURE.sub(picture, text))


class ReadmeHook(MetadataHookInterface):
    """Gives the distribution its long description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in ``readme``."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        pages, pictures = self.config.get("pages", ""), self.config.get("pictures", "")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": for_index(text, pages, pictures, metadata["version"]),
        }
