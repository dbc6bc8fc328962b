"""Estimates of run times for jobs that have none."""
