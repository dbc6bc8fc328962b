"""Logs of real machines and generated workloads, as arrays."""
