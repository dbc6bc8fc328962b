"""The commands on a live cluster.

Only what talks to a server imports grpc, by way of ``molokini.client``; a command imports that when it runs.
"""
