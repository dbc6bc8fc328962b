"""dask-jobqueue's Slurm cluster: two workers compute a sum."""

import sys
from pathlib import Path

from dask.distributed import Client
from dask_jobqueue import SLURMCluster


def main(folder: Path) -> None:
    with (
        SLURMCluster(
            queue="default",
            cores=1,
            processes=1,
            memory="400 MiB",
            walltime="00:05:00",
            interface="lo",
            death_timeout=60,
            log_directory=str(folder),
            local_directory=str(folder),
            shared_temp_directory=str(folder),
            scheduler_options={"dashboard": False, "dashboard_address": None},
            worker_extra_args=["--no-dashboard"],
        ) as cluster,
        Client(cluster) as client,
    ):
        cluster.scale(jobs=2)
        client.wait_for_workers(2, timeout=60)
        parts = client.map(lambda number: number * number, range(10))
        print("sum", client.submit(sum, parts).result(timeout=60))
        print("workers", len(client.scheduler_info()["workers"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
