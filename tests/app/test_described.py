"""What a live server takes over from a slurm.conf: nodes with what they hold, partitions with their nodes."""

from pathlib import Path

from molokini.app.described import offers_of_site, queue_of_site
from molokini.model.site import Site
from molokini.policies import load_policy

CONF = """\
ClusterName=small
GresTypes=gpu
NodeName=n[1-3] CPUs=4 Feature=fast
NodeName=g1 CPUs=8 Gres=gpu:4
PartitionName=batch Nodes=n[1-3] Default=YES
PartitionName=gpu Nodes=g1 State=DOWN
PartitionName=all Nodes=ALL State=INACTIVE
"""


def site(folder: Path) -> Site:
    (folder / "slurm.conf").write_text(CONF)
    loaded = load_policy("slurm")
    return loaded.configurations.site_in(loaded.plain, folder / "slurm.conf", {}, [])


def test_each_node_is_offered_with_what_jobs_may_have_of_it(tmp_path: Path) -> None:
    found = {one.names: one for one in offers_of_site(site(tmp_path))}
    assert {name: one.processors for name, one in found.items()} == {"n1": 4, "n2": 4, "n3": 4, "g1": 8}
    assert {name: dict(one.generic) for name, one in found.items() if one.generic} == {"g1": {"gpu": 4}}
    assert list(found["n2"].features) == ["fast"]


def test_a_partition_is_a_queue_on_its_nodes(tmp_path: Path) -> None:
    described = site(tmp_path)
    queues = [queue_of_site(described, name) for name in described.known_names()["queue"]]
    assert queues == [
        {"name": "batch", "nodes": ["n1", "n2", "n3"], "enabled": True, "started": True},
        {"name": "gpu", "nodes": ["g1"], "enabled": True, "started": False},
        {"name": "all", "nodes": ["g1", "n1", "n2", "n3"], "enabled": False, "started": False},
    ]
