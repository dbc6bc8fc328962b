"""How one pass works: tables, transitions, availability profile, placement, verbs, the cycle."""
