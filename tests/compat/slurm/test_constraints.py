"""Constraints on features from sbatch to the nodes that a job gets, and as listings show them."""

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, system_variables

NODES = """
[server]
listen = "127.0.0.1:0"
[[nodes]]
names = "a[1-2]"
processors = 4
features = ["amd", "rack1"]
[[nodes]]
names = "b[1-2]"
processors = 4
features = ["intel", "rack1"]
[[nodes]]
names = "c[1-2]"
processors = 4
features = ["intel", "rack2", "gpu"]
[[nodes]]
names = "d1"
processors = 4
"""

PLACED = [
    (("-N2", "-C", "amd|gpu"), "a[1-2]"),
    (("-N3", "-C", "amd|gpu"), "a[1-2],c1"),
    (("-N4", "-C", "[rack1|rack2]"), "a[1-2],b[1-2]"),
    (("-N2", "-C", "intel&[rack2|rack1]"), "b[1-2]"),
    (("-N3", "-C", "gpu*1&intel*1"), "a1,b1,c1"),
    (("-N2", "-C", "(intel&rack2)|amd"), "a[1-2]"),
    (("-N3", "-C", "[(intel&rack2)*2&amd*1]"), "a1,c[1-2]"),
    (("-n4", "-C", "gpu|amd&rack2"), "c1"),
    (("-n4", "-C", "gpu*1"), "c1"),
    (("-N1", "-C", "gpu*2"), "c1"),
    (("-N2", "-C", "amd|"), "a[1-2]"),
    (("-N2", "-C", "intel,gpu"), "c[1-2]"),
]


@pytest.mark.parametrize("policy", ["easy", "slurm"])
async def test_where_jobs_go(tmp_path: Path, policy: str) -> None:
    async with featured(tmp_path, "--policy", policy) as cluster:
        wrong = []
        for words, nodes in PLACED:
            sent = await cluster.ran("sbatch", "--parsable", *words, "--wrap", "true")
            assert sent.code == 0, sent
            job = sent.out.strip()
            # Slurm's passes follow a submission after seconds.
            assert (await cluster.molokini("clock", "advance", 60)).code == 0
            shown = (await cluster.ran("squeue", "-h", "-j", job, "-o", "%T %N")).out.strip()
            if shown != f"RUNNING {nodes}":
                wrong.append((words, shown, nodes))
            assert (await cluster.ran("scancel", job)).code == 0
            assert (await cluster.molokini("clock", "advance", 60)).code == 0
            assert (await cluster.ran("squeue", "-h")).out == ""
        assert not wrong


async def test_what_listings_show_and_alter(tmp_path: Path) -> None:
    async with featured(tmp_path) as cluster:
        run = cluster.ran
        assert (await run("sbatch", "-N2", "-C", "[amd|gpu]", "-t", "5", "--wrap", "true")).code == 0
        assert (await run("squeue", "-h", "-o", "%f")).out == "[amd|gpu]\n"
        assert (await run("squeue", "-h", "-O", "feature:.12")).out == "   [amd|gpu]\n"
        assert " Features=[amd|gpu] DelayBoot=00:00:00" in (await run("scontrol", "show", "job", 1)).out
        assert (await run("sacct", "-n", "-X", "-P", "-o", "Constraints")).out == "[amd|gpu]\n"
        [job] = json.loads((await run("squeue", "--json")).out)["jobs"]
        assert job["features"] == "[amd|gpu]"
        assert (await run("sbatch", "-H", "-N2", "-C", "amd|intel", "--wrap", "true")).code == 0
        assert (await run("scontrol", "update", "JobId=2", "Features=gpu*1&amd*1")).code == 0
        assert (await run("scontrol", "release", 2)).code == 0
        assert (await run("squeue", "-h", "-j", 2, "-o", "%f %N")).out == "gpu*1&amd*1 a1,c1\n"
        assert (await run("scontrol", "update", "JobId=2", "Features=amd")).code == 1


async def test_what_waits_for_its_nodes_starts_when_they_are_free(tmp_path: Path) -> None:
    async with featured(tmp_path) as cluster:
        run = cluster.ran
        assert (await run("sbatch", "-N1", "-n4", "-c1", "-t10", "-C", "gpu", "--wrap", "true")).code == 0
        for _ in range(2):
            words = ("-N2", "-n8", "-t10", "-C", "[gpu|amd]", "--wrap", "true")
            assert (await run("sbatch", *words)).code == 0
        shown = (await run("squeue", "-h", "-S", "i", "-o", "%i %T %N")).lines
        assert shown == ["1 RUNNING c1", "2 RUNNING a[1-2]", "3 PENDING "]
        assert (await cluster.molokini("clock", "advance", 601)).code == 0
        assert (await run("squeue", "-h", "-o", "%i %T %N")).out == "3 RUNNING a[1-2]\n"


BAD = [
    ("nix|amd", "no feature named 'nix'"),
    ("(amd|gpu", "a ) is missing"),
    ("[amd|gpu", "a ] is missing"),
    ("&amd", "a feature on both sides"),
    ("amd*0", "a whole number of nodes"),
    ("amd*x", "a whole number of nodes"),
    ("amd*2&gpu*1", "no more than the job's 2 nodes"),
    ("[amd|gpu]|intel", "no | beside a number of nodes or a pair of brackets"),
]


async def test_what_is_no_constraint(tmp_path: Path) -> None:
    async with featured(tmp_path) as cluster:
        for text, why in BAD:
            done = await cluster.ran("sbatch", "-N2", "-C", text, "--wrap", "true")
            first, last = done.err.splitlines()
            assert (done.out, done.code) == ("", 1)
            assert why in first
            failed = "sbatch: error: Batch job submission failed: Invalid feature specification"
            assert last == failed
        done = await cluster.ran("sbatch", "-N3", "-C", "[amd|gpu]", "--wrap", "true")
        assert done.err.endswith("Requested node configuration is not available\n")


def featured(folder: Path, *more: object) -> AbstractAsyncContextManager[Cluster]:
    """Nodes of several features, and a clock that stands."""
    (folder / "cluster.toml").write_text(NODES)
    up = ("--config", folder / "cluster.toml", "--clock", "stepped", *more)
    return system_variables(folder, "slurm", up=up)
