"""What ``diagnose`` prints: one module a subject, each with ``show``."""
