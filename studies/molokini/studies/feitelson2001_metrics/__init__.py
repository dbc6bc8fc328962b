"""Feitelson: Metrics for Parallel Job Scheduling and Their Convergence (JSSPP 2001)."""
