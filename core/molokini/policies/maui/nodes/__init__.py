"""Which nodes a job may have and gets: allocation, partitions, sharing, and what reservations hold of nodes.

Imports ``configuration`` and ``knowledge``.
"""
