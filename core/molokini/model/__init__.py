"""What there is: states, requests, facts, decisions, errors. Standard library only."""
