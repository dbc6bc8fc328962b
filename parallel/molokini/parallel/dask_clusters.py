"""Where workers of Dask come from: this machine, a scheduler at an address, jobs of a batch system."""

import contextlib
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from molokini.model.errors import BadInput, BadValue, MissingExtra, MolokiniError

BATCH_SYSTEMS = {"slurm": "SLURMCluster", "pbs": "PBSCluster", "lsf": "LSFCluster"}
"""By the word of ``--dask``, the class of dask-jobqueue."""
LOCAL = "local"
_ADDRESSES = ("tcp://", "tls://", "ws://", "wss://", "ucx://")
_ALLOWED = "local, an address (tcp://HOST:PORT), slurm, pbs or lsf"
ADDRESS_WITHIN_S = 10
_JOB_MEMORY, _JOB_WORKERS = "2GB", 2
_QUIET = {
    # With it glibc gives every large array back to the kernel at once, and a replay takes 1.4 times as long.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    # Samples of what calls do, and figures for a dashboard which is not shown: 7% of a core for two workers.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "10s",
}
"""How clusters of our own differ from what Dask does by itself."""


def check_where(where: str) -> None:
    """Complain about a place that is none, or about a package that is missing."""
    if where != LOCAL and where not in BATCH_SYSTEMS and not where.startswith(_ADDRESSES):
        raise BadValue("--dask", where, _ALLOWED)
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise MissingExtra("distributed", "dask", "--dask") from None
    if where in BATCH_SYSTEMS:
        try:
            import dask_jobqueue  # noqa: F401
        except ImportError:
            raise MissingExtra("dask-jobqueue", "dask", f"--dask {where}") from None


@contextmanager
def connected(where: str, workers: int | None) -> Iterator[Any]:
    """A client of the cluster at *where*, with *workers* of our own where the cluster is ours.

    Raises BadInput for an address that is none, MolokiniError where no scheduler answers.
    """
    check_where(where)
    from distributed import Client

    # What goes wrong is told in one line; the log of Dask would be told between.
    for name in ("distributed", "dask_jobqueue", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with contextlib.ExitStack() as stack:
        if where in (LOCAL, *BATCH_SYSTEMS):
            from dask import config

            stack.enter_context(config.set(_QUIET))
            at: Any = stack.enter_context(_cluster(where, workers))
        else:
            at = where
        try:
            client = Client(at, timeout=ADDRESS_WITHIN_S, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            why = "no Dask scheduler answers there" if isinstance(error, OSError) else str(error)
            raise MolokiniError(f"--dask {where}: {why.splitlines()[0]}") from None
        stack.callback(_closed, client)
        yield client


def _cluster(where: str, workers: int | None) -> Any:
    if where == LOCAL:
        from distributed import LocalCluster

        count = workers or len(os.sched_getaffinity(0))
        # No limit of memory: what a replay holds cannot be spilled, and a worker would be stopped instead.
        return LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            memory_limit=0,
            # Any free port: the usual one may be taken, and no user is told of it.
            dashboard_address=":0",
            silence_logs=logging.CRITICAL + 1,
        )
    import dask_jobqueue
    from dask import config

    given = {"cores": 1, "processes": 1, "memory": _JOB_MEMORY, "python": sys.executable}
    # What the site says in its jobqueue.yaml goes before what we would choose.
    ours = {name: value for name, value in given.items() if not config.get(f"jobqueue.{where}.{name}", None)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # No nanny: the batch system watches the job, and a second watcher would start it again.
            cluster = getattr(dask_jobqueue, BATCH_SYSTEMS[where])(
                nanny=False, scheduler_options={"dashboard_address": ":0"}, **ours
            )
        except ValueError as error:
            raise BadInput(f"--dask {where}: {str(error).splitlines()[0]} (see jobqueue.yaml)") from None
        cluster.scale(jobs=workers or _JOB_WORKERS)
    return cluster


def _closed(client: Any) -> None:
    with contextlib.suppress(Exception):
        client.close(timeout=5)
