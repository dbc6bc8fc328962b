"""Which jobs may start at all, and in which order: limits, fairshare, accounts, priorities, the ranked list.

Imports ``configuration``, ``knowledge`` and ``nodes``.
"""
