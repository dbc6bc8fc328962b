"""A live cluster from outside: the Python client, its synchronous face, and the commands that use them.

``client.py`` and ``blocking.py`` are for programs; ``command.py`` is what the shell sees. Only what talks
to a server imports grpc, and a command imports that when it runs.
"""
