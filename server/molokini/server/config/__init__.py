"""The configuration of a server: one TOML file, every key documented, nothing unknown accepted."""

from molokini.server.config.changes import Changes, changed
from molokini.server.config.load import load_config
from molokini.server.config.model import Config

__all__ = ["Changes", "Config", "changed", "load_config"]
