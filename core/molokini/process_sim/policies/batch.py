"""Batch, first come, first served, without backfilling: a process has its CPU until its job ends.

What Yoo and Jette (2001, figure 4) compare waits with. As ``uncoordinated`` with one process on a CPU.
"""

from molokini.process_sim.policies.uncoordinated import needs, policy

__all__ = ["NEEDS", "policy"]

NEEDS = needs(1)
