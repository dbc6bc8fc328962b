"""Benchmarks: how much the engine's generality costs, as ratios measured in one run (``make bench``)."""
