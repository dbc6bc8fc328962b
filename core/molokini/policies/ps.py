"""Processor sharing: every job in the system progresses, all at the same rate.

The FAIR scheduling that Harchol-Balter et al. (JSSPP 2001) set SRPT against, for parallel jobs: with
P processors and a total width W in the system each job runs at rate min(1, P / W). Promises that
no job waits and that the processors in use never exceed P.
"""

from molokini.policy import Policy, View, share_all, start_shared

POLICY = Policy(
    name="ps",
    family="sharing and preemption",
    summary="processor sharing: all jobs run at once, each at rate min(1, P / sum of widths)",
    promise="no job waits; all jobs progress at one rate",
    source="the FAIR of Harchol-Balter et al., SRPT Scheduling for Web Servers, JSSPP 2001",
    counted_only=True,
    reservable=False,
    only_shares=True,
)


def schedule(view: View, now: float) -> None:
    """Start all waiting jobs and give every job the common rate."""
    widths = 0
    for k in range(view.queue.head, view.queue.tail):
        widths += view.jobs.width[view.queue.waiting[k]]
    for k in range(view.queue.running_count):
        widths += view.jobs.width[view.queue.running[k]]
    rate = 1.0
    if widths > view.machine.processors:
        rate = view.machine.processors / widths
    for k in range(view.queue.running_count):
        if view.jobs.rate[view.queue.running[k]] != rate:
            share_all(view, rate)
            break
    for k in range(view.queue.head, view.queue.tail):
        start_shared(view, view.queue.waiting[k], rate)
