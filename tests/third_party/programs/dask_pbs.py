"""dask-jobqueue: two workers of a PBSCluster compute a sum."""

import os
import sys

from dask.distributed import Client
from dask_jobqueue import PBSCluster

if __name__ == "__main__":
    os.makedirs("logs", exist_ok=True)
    cluster = PBSCluster(
        cores=1,
        memory="200MB",
        processes=1,
        queue="default",
        walltime="00:10:00",
        python=sys.executable,
        log_directory=os.path.abspath("logs"),
        interface="lo",
        local_directory=os.path.abspath("local"),
        scheduler_options={"dashboard_address": ":0"},
    )
    with cluster, Client(cluster) as client:
        cluster.scale(jobs=2)
        client.wait_for_workers(2, timeout=90)
        names = set(client.run(lambda: os.environ["PBS_JOBID"]).values())
        assert len(names) == 2, names
        total = client.submit(sum, client.map(lambda k: k * k, range(100))).result(timeout=60)
        assert total == 328350, total
    print("dask done", *sorted(names))
