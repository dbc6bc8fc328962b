"""The supervisor: a small process for each job, which starts it, outlives the agent, and notes how it ended.

Standard library alone, and little of that: these files run in an interpreter of their own (``-I -S -E``) that
loads none of the agent's libraries, and no ``typing`` either, which alone takes a megabyte. The agent writes
what is to be run into a folder, the spawner forks a supervisor for it, and the supervisor writes its record
there; neither ever waits for the other.
"""
