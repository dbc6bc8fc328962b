"""What the policy tells after a pass: priorities and their parts, limits, reservations, steps, in words.

Imports ``selection`` and the rooms that it imports; no iteration imports it.
"""
