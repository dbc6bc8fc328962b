"""The pytest plugin: the fixture ``molokini_cluster``, and the mark ``molokini`` that says what cluster.

Every project in which Molokini is installed loads this file, so it imports nothing before a test asks.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from molokini.testing.clusters import Cluster

_NOT_OF_THIS_CLUSTER = ("MOLOKINI_", "PBS_", "SLURM_", "LSB_")


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    text = "molokini(nodes=4, processors=16, policy='easy', mode='emulate', ...): what molokini_cluster is"
    config.addinivalue_line("markers", text)


@pytest.fixture
def molokini_cluster(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> "Iterator[Cluster]":
    """A live cluster for one test, with its commands (qsub, bsub, sbatch, ...) first on the path.

    ``@pytest.mark.molokini(...)`` takes what ``molokini.testing.cluster`` does.
    """
    from molokini.testing import cluster

    mark = request.node.get_closest_marker("molokini")
    # The positional ones, too: that there are none is for the function to say.
    with cluster(*(mark.args if mark else ()), **(mark.kwargs if mark else {})) as one:
        for name in [name for name in os.environ if name.startswith(_NOT_OF_THIS_CLUSTER)]:
            monkeypatch.delenv(name)
        for name, value in one.variables(os.environ.get("PATH", os.defpath)).items():
            monkeypatch.setenv(name, value)
        yield one
