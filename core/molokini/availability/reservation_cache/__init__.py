"""What reservations keep, computed once a pass: steps in time, lists by node, the least that is left."""
