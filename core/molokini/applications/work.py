"""Work of a rigid job: seconds at rate 1, done at a rate that is constant between changes.

The transitions, the simulator and the emulated nodes all count with these two functions. The order of their
floating-point operations is part of the promise: a live run and a simulated one agree to the last bit.
"""

import math


def end_of(now: float, work_s: float, rate: float) -> float:
    """The instant at which *work_s* of work is done at *rate*; never where that is 0."""
    # A division costs as much as the rest of a start, and most jobs run at full rate.
    if rate == 1.0:
        return now + work_s
    if rate == 0.0:
        # Processors are shared, and all are lost. A division of 0 by 0 would give NaN.
        return math.inf
    return now + work_s / rate


def work_after(work_s: float, rate: float, since_s: float, now: float) -> float:
    """The work done by *now* by a job that had done *work_s* at *since_s* and has gone on at *rate*."""
    return work_s + rate * (now - since_s)
