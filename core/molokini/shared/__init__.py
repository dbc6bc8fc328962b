"""What policies share: orders of the queue, backfilling, the choice of a cluster."""
