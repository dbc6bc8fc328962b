"""Priorities, and the queue in their order."""
