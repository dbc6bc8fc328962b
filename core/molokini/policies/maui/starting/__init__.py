"""Which jobs start now, and what is promised to others: room, reservations, preemption, backfill.

Imports ``selection`` and the rooms that it imports.
"""
