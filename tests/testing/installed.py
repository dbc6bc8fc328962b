"""``installed.py [PYTHON] install REQUIREMENT...``: whether all is there, here or for the interpreter PYTHON.

Stands for pip where the steps of a workflow are tested: nothing is fetched.
"""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

_HERE = {"molokini", "pytest"}
_LOOK = "import importlib.metadata, sys; importlib.metadata.version(sys.argv[1])"


def main(words: list[str]) -> int:
    """0 where all is installed."""
    other = words.pop(0) if words[0] != "install" else ""
    if words.pop(0) != "install" or not words:
        return 2
    for word in words:
        name = word.partition("[")[0]
        try:
            if name in _HERE:
                version(name)
            elif not other or subprocess.run([other, "-c", _LOOK, name], check=False).returncode:
                raise PackageNotFoundError(name)
        except PackageNotFoundError:
            print(f"{name} is not installed")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
