"""What the policy tells of itself."""
