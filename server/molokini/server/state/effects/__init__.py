"""What each kind of fact makes of a state, by subject; ``applying`` knows which is which."""
