"""The model: states, requests, facts, decisions, errors. Standard library only."""
