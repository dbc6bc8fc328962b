"""When generated jobs come: gaps in operational time, the rhythm of day and week, and the load."""
