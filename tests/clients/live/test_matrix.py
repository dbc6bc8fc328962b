"""``molokini matrix`` of a live cluster."""

import json

from molokini.testing import cluster
from tests.clients.running import command, environment


def test_the_matrix_of_a_live_cluster() -> None:
    with cluster(nodes=2, processors=2, policy="gs", parameters={"mpl": 2}) as one:
        for processors in (3, 4, 1):
            spec = {"estimate_s": 100, "resources": {"processors": processors}}
            one.call("JobService", "Submit", spec=spec)

        def said(*words: str) -> str:
            done = one.run(*command("matrix", *words), env=environment(**one.variables("")))
            assert done.returncode == 0, done
            return str(done.stdout)

        found = json.loads(said("--json", "-"))
        [now] = found["instants"]
        assert [(one["job"], one["home"], one["columns"]) for one in now["jobs"]] == [
            ("1", 0, [[0, 2]]),
            ("2", 1, [[0, 3]]),
            ("3", 0, [[3, 3]]),
        ]
        assert said().splitlines()[1:3] == [" 0 |1=================3=====|", " 1 |2=======================|"]
