"""What is asked of a server and changes nothing: reasons, forecasts, dry runs, snapshots for reports."""
