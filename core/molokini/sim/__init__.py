"""Engines on virtual time."""
