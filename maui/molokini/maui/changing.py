"""Changes while the scheduler runs: one parameter, or the file read again; what is wrong changes nothing."""

from dataclasses import dataclass
from pathlib import Path

from molokini.maui.draft import Draft, values_of
from molokini.maui.grammar import BadLine, parsed
from molokini.maui.interpreting import interpret
from molokini.maui.model import MauiConfig
from molokini.maui.reading import read_config
from molokini.model.errors import BadInput

_COMMAND = "changeparam"


def changed(config: MauiConfig, text: str, nodes: frozenset[str] | None = None) -> MauiConfig:
    """*config* with one more line, ``NAME VALUE``, as ``changeparam`` has it. Raises BadInput."""
    try:
        line = parsed(text, _COMMAND, 1)
    except BadLine as error:
        raise BadInput(f"{_COMMAND}: {error}") from None
    if line is None:
        raise BadInput(f"{_COMMAND}: needs the name of a parameter and a value")
    draft = Draft(values_of(config))
    interpret([line], draft)
    report = draft.report(_COMMAND, nodes)
    if report.config is None:
        raise BadInput(f"{_COMMAND}: {report.refused[0].text}")
    return report.config


@dataclass
class Running:
    """The configuration of a scheduler that runs, and the file that it came from."""

    path: str | Path
    config: MauiConfig
    nodes: frozenset[str] | None = None

    @classmethod
    def start(cls, path: str | Path, nodes: frozenset[str] | None = None) -> "Running":
        """Read *path*. Raises BadFile."""
        return cls(path, read_config(path, nodes), nodes)

    def reload(self) -> MauiConfig:
        """Read the file again; what ``change`` did is gone. Raises BadFile, and changes nothing then."""
        self.config = read_config(self.path, self.nodes)
        return self.config

    def change(self, text: str) -> MauiConfig:
        """Change one parameter until the next reload. Raises BadInput, and nothing is changed then."""
        self.config = changed(self.config, text, self.nodes)
        return self.config
