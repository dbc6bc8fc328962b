"""What the policy knows of credentials, of jobs, and of itself."""
