"""Bucur and Epema, JSSPP 2001, held against our runs."""
