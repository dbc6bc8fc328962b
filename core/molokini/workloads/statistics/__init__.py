"""Statistics of a log beyond sizes and run times: tails, masses, rhythms, users, estimates, memory.

Every function gives plain values ready for JSON; what is not defined is None. Curves have at most a few
hundred points, however many jobs there are.
"""
