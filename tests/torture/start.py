"""One process of a torture run: ``serve CONFIG`` or ``agent ...``, as ``molokini`` would start it."""

import json
import logging
import sys
from types import SimpleNamespace

from molokini.app import agent, serve
from molokini.clients.failures import guarded

_SERVE = {"new": False, "state": None, "policy": None, "set": (), "listen": None, "clock": None}
_AGENT = {
    "mode": "emulate",
    "procs_per_node": None,
    "token_file": None,
    "seed": 0,
    "mtbf": None,
    "repair": None,
    "clock": None,
}


def main() -> int:
    what, given = sys.argv[1], json.loads(sys.argv[2])
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if what == "serve":
        arguments = SimpleNamespace(**{**_SERVE, **given})
        return guarded(lambda: serve.run(arguments))
    arguments = SimpleNamespace(**{**_AGENT, **given})
    return guarded(lambda: agent.run(arguments))


if __name__ == "__main__":
    sys.exit(main())
