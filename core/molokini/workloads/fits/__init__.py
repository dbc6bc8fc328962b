"""Distributions fitted to a log, how good they are, and jobs made from them."""
