"""``scontrol show config``: what tools read from it is what the server does."""

import re

from molokini.testing import cluster


def test_the_largest_array() -> None:
    """Tools cut their arrays by it: one of more elements is refused, one of so many is taken."""
    with cluster(limits__array_elements=7) as one:
        config = one.run("scontrol", "show", "config").stdout
        found = re.search(r"^MaxArraySize +=\s(\d+)$", config, re.MULTILINE)
        assert found is not None
        last = int(found[1]) - 1
        assert last == 7
        assert one.run("sbatch", f"--array=1-{last}", "--wrap", "true").returncode == 0
        assert one.run("sbatch", f"--array=0-{last}", "--wrap", "true").returncode == 1
