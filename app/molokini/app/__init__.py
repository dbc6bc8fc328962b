"""Composition alone: what starts servers, agents and both together."""

import os

# gRPC's own remarks on ports and connections are not for users, who get one line; it reads this when it is
# imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
