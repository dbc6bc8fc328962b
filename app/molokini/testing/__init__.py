"""A cluster inside a test: ``with cluster() as one: ...``, and the pytest fixture ``molokini_cluster``.

The names below are the face of this package. They are imported when they are first used, since pytest loads
the plugin in every project in which Molokini is installed.
"""

from typing import TYPE_CHECKING

from molokini.model.lazy_face import lazy_face

if TYPE_CHECKING:
    from molokini.testing.clusters import Cluster as Cluster
    from molokini.testing.clusters import cluster as cluster
    from molokini.testing.faults import Faults as Faults
    from molokini.testing.outcomes import Outcomes as Outcomes

_WHERE = {"Cluster": "clusters", "Faults": "faults", "Outcomes": "outcomes", "cluster": "clusters"}

__all__ = list(_WHERE)
__getattr__, __dir__ = lazy_face(__name__, _WHERE, extra="server,agent")
