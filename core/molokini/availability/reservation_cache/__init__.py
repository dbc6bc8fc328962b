"""What reservations keep, computed once for each pass: steps in time, lists by node, the least that is left."""
