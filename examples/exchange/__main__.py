"""``python3 examples/exchange``: the program."""

import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

if __name__ == "__main__":
    from exchange.program import main

    sys.exit(main(sys.argv[1:]))
