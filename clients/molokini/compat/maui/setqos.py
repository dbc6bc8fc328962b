"""``setqos``: gives a job another quality of service."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.failing import no
from molokini.compat.maui.jobs import one
from molokini.compat.maui.reading import HELP, at_most, read

OPTIONS = (HELP,)


def run(run: Invocation) -> int:
    """Set the quality of service of one job."""
    given = read(run, OPTIONS, "QOS JOB")
    at_most(run, given, 2)
    if len(given.words) < 2:
        raise no("setqos wants a QOS and a job")
    qos, job = given.words
    asked = {"job": one(job), "spec": {"qos": qos}, "fields": ["qos"]}
    run.transport.call("JobService", "AlterJob", asked)
    run.say("\nJob QOS adjusted")
    return 0
