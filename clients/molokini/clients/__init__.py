"""The ``molokini`` command, and later the commands of other batch systems.

``command`` is what the shell starts and must stay quick to import; everything that needs numpy is
imported by the one command that uses it, when it runs.
"""
