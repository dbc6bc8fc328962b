"""The ``molokini`` command, and later the commands of other batch systems.

``command`` is what the shell starts and must stay quick to import; everything that needs numpy is
imported by the one command that uses it, when it runs.
"""

import os

# gRPC's own remarks on connections are not for users, who get one line. It reads this when it is imported, by
# whichever module does so first.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
