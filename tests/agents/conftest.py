"""The fixture of tests of agents: a server that is played by hand."""

from tests.kit.agents import server

__all__ = ["server"]
