"""Whether choosing among policies by looking ahead is worth it, on logs of real machines."""
