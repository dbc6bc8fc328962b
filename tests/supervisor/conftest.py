"""Fixtures of tests with real jobs: a node that was welcomed."""

from tests.kit.real_jobs import each_node, node

__all__ = ["each_node", "node"]
