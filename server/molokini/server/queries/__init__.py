"""What is asked of a server and changes nothing: reasons, forecasts, dry runs, pictures of its state."""
