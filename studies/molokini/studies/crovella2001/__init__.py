"""Crovella: Performance Evaluation with Heavy Tailed Distributions (JSSPP 2001)."""
