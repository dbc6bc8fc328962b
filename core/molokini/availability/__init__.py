"""May a job start here, now, and when else: placement, profiles, reservations of others, shadow times."""
