"""``molokini matrix`` of a live cluster."""

import json

import pytest

from molokini.testing import cluster
from tests.clients.command_runs import command, environment


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


@pytest.mark.deep
def test_jobs_keep_their_columns_beside_those_of_a_lost_node() -> None:
    with cluster(nodes=3, processors=2, policy="gs", parameters={"mpl": 2}) as one:
        for _ in range(3):
            spec = {"estimate_s": 100, "resources": {"processors": 2}}
            one.call("JobService", "Submit", spec=spec)

        def said(*words: str) -> str:
            done = one.run(*command(*words), env=environment(**one.variables("")))
            assert done.returncode == 0, done
            return str(done.stdout)

        said("nodes", "--down", "node002")
        [now] = json.loads(said("matrix", "--json", "-"))["instants"]
        assert (now["columns"], now["away"]) == (6, [[2, 3]])
        assert [(one["job"], one["columns"]) for one in now["jobs"]] == [
            ("1", [[0, 1]]),
            ("2", [[0, 1]]),
            ("3", [[4, 5]]),
        ]
        assert [(one["used"], one["free"]) for one in now["rows"]] == [(4, 0), (4, 0)]
        lines = said("matrix").splitlines()
        assert lines[1] == " 0 |1===========xxxxxxxxxxxx3===========|"
        assert "x not in service" in "".join(lines)
