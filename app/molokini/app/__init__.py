"""Composition alone: what starts servers, agents and both together."""
