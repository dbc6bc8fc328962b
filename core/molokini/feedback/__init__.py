"""Rates as targets: (period, slice) schedules and the controller that keeps applications at their targets."""
