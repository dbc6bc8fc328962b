"""Logs as the tools take them: every record of an SWF file; the jobs of anything else."""

import os
from pathlib import Path

from molokini.experiments.asked import Log, Settings
from molokini.experiments.choosing import settings
from molokini.experiments.logs import read_log
from molokini.workloads.readers import format_of
from molokini.workloads.tools.whole import WholeLog, read_whole, whole


def read_whole_log(log: Log, *, form: str | None = None, seed: int = 0, given: Settings = ()) -> WholeLog:
    """The log in a file, with the records that are no job where it is SWF; or a generated one.

    *form*, *seed* and *given* as for ``read_log``. Raises BadInput and its kinds.
    """
    if isinstance(log, str | os.PathLike):
        path = Path(os.fspath(log))
        # A name with a colon or a question mark may be a model's; a file of that name comes first.
        if path.is_file() and (form or format_of(path)) == "swf" and not settings(given):
            return read_whole(path)
    return whole(read_log(log, form=form, seed=seed, given=given))
