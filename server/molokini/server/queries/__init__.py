"""Queries of a server, which change nothing: reasons, forecasts, dry runs, snapshots for reports."""
