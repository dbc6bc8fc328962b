"""Bounds of the tables' memory, and widths of two-dimensional columns."""

import numpy as np

MEMORY_COLUMNS = 4
"""Columns of a policy's memory for each job row."""
GLOBAL_WORDS = 64
"""Length of a policy's global line of memory."""
SCOPES = 12
"""Columns of ``credentials.scope``: user, group, account, queue, QoS, then pairs of them that have limits."""
SCOPE_LIMITS = 14
"""Columns of ``scopes.limit``."""
LIMIT_KINDS = 7
"""Columns of ``scopes.active`` and ``scopes.idle``."""
USAGE_WINDOWS = 32
"""Columns of ``usage.windows``."""
MOST_HELD = 12
"""How many reservations of a policy can hold nodes."""
MOST_PARTITIONS = 48
"""Partitions of nodes: a bit each, in a number that a float holds."""
MOST_STEPS, MOST_STRETCHES = 4096, 64
"""How many steps of what reservations keep are remembered, and of how many stretches of time."""
MOST_LISTS, LISTS_OF_ALL = 64, 16
"""How many lists of nodes that reservations keep are remembered, and how many may hold every node."""
MOST_LEASTS, LEAST_STEPS = 8, 64
"""For how many sets of reservations the least room is remembered, and in how many steps."""
FEW_KEYS = 8
"""Where nodes have no more keys than this, they are counted by key, and not compared with each other."""
MOST_CLASSES = 64
"""The most classes of nodes: a walk over more of them is little shorter than one over all nodes."""
DECISION_COLUMNS = 4
"""kind, row, argument, first allocation entry."""
COLUMNS_A_WORD = 62
"""Columns of the matrix in a number: no number gets a sign, and Python and compiled code agree."""
MOST_ROWS = 62
"""Rows of the matrix, where all take turns: a bit each."""
MOST_SLOTS = 16 * MOST_ROWS
"""Rows of the matrix where only those take turns that are in use."""
MOST_PLANNED = 2048
"""Stretches of a plan on nodes by name."""
NODES_A_WORD = 62
"""Nodes of a set in a number: no number gets a sign, and Python and compiled code agree."""
NEVER = np.inf
"""The instant that does not come."""
