"""The truth: what is known of jobs, nodes, credentials and reservations, and its transitions."""
