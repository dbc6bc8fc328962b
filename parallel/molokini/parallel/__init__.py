"""Many calls on many processes of this machine, and the bar that shows how far they are.

A root of its own, because both the command's sweeps and the studies stand on it, and neither on the other.
"""
