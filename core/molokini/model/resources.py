"""The columns of a resource vector.

Every node's capacity and every task's need is a vector of this fixed width, so that tables are
plain arrays. Processors are whole numbers; memory, swap and disk are kilobytes.
"""

from enum import IntEnum


class Resource(IntEnum):
    """One column of the vector."""

    PROCESSORS = 0
    MEMORY_KB = 1
    SWAP_KB = 2
    DISK_KB = 3
    GENERIC_0 = 4
    GENERIC_1 = 5
    GENERIC_2 = 6
    GENERIC_3 = 7


WIDTH = len(Resource)
"""Columns of every resource vector."""
