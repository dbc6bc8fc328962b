"""Which nodes a job may have, and which it gets."""
