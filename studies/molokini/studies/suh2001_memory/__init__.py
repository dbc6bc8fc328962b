"""Suh, Rudolph and Devadas: Effects of Memory Performance on Parallel Job Scheduling (JSSPP 2001)."""
