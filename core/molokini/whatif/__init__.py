"""What would happen from a present state on: under other policies, with nodes away, with arrivals."""
