"""Time slices of real jobs: one small process for each agent, which stops and continues them on a grid.

Standard library alone, as the supervisor: these files run in an interpreter of their own (``-I -S -E``). It
runs at a real-time priority where it may, and it alone decides when sliced jobs stand still.
"""
