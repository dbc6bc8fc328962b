"""Closed forms of queues: one server with Poisson arrivals (M/G/1), and hosts that share sizes out."""
