"""The passes: the greedy main pass, and backfill with its plan."""
