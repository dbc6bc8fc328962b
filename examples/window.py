"""First come, first served with a window: some of the queue may pass a blocked job."""

from molokini.policy import Parameters, Policy, View, parameter, start


class WindowParameters(Parameters):
    """What the user chooses."""

    window: int = parameter(5, "blocked jobs behind which none starts", unit="jobs", low=1, high=1000)


parameters = WindowParameters.of

POLICY = Policy(
    name="window",
    summary="first come, first served; the first few of the queue may pass a blocked job",
    promise="no job behind the window overtakes",
    source="an example",
    parameters=WindowParameters.declared(),
)


def schedule(view: View, now: float) -> None:
    """Start what fits among the first jobs of the queue."""
    blocked = 0
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.jobs.width[row] > view.machine.idle or not start(view, row):
            blocked += 1
        if blocked >= parameters(view).window:
            return
