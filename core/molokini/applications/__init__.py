"""How long a placed job takes: closed forms, below everything that asks."""
