"""Limit loops: the least work that FCFS, EASY and conservative backfilling can be, by hand.

No tables, no verbs, no facts: a heap of ends, a queue, and the rule. They know what a policy must
not (true ends sit beside estimates) and serve one purpose: to say how much the engine's generality
costs, as a ratio in one run. Their starts equal the engine's, job for job (tests/benchmarks).
Arguments are arrays, one element a job in order of submission; the result is the start times.
"""

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


@njit(cache=True, error_model="numpy")
def _push(ends: Floats, jobs: Ints, count: int, end: float, job: int) -> None:
    k = count
    while k > 0:
        parent = (k - 1) >> 1
        if ends[parent] <= end:
            break
        ends[k] = ends[parent]
        jobs[k] = jobs[parent]
        k = parent
    ends[k] = end
    jobs[k] = job


@njit(cache=True, error_model="numpy")
def _pop(ends: Floats, jobs: Ints, count: int) -> None:
    """Take the least off a heap of *count*; *count* - 1 are left."""
    end = ends[count - 1]
    job = jobs[count - 1]
    k = 0
    while True:
        child = 2 * k + 1
        if child >= count - 1:
            break
        if child + 1 < count - 1 and ends[child + 1] < ends[child]:
            child += 1
        if end <= ends[child]:
            break
        ends[k] = ends[child]
        jobs[k] = jobs[child]
        k = child
    ends[k] = end
    jobs[k] = job


@njit(cache=True, error_model="numpy")
def fcfs(submit: Floats, run: Floats, estimate: Floats, width: Ints, processors: int) -> Floats:
    n = submit.size
    start = np.empty(n)
    ends = np.empty(processors)
    jobs = np.empty(processors, np.int64)
    running, free, arrived, head = 0, processors, 0, 0
    while head < n:
        now = np.inf
        if running > 0:
            now = ends[0]
        if arrived < n and submit[arrived] < now:
            now = submit[arrived]
        while running > 0 and ends[0] == now:
            free += width[jobs[0]]
            _pop(ends, jobs, running)
            running -= 1
        while arrived < n and submit[arrived] == now:
            arrived += 1
        while head < arrived and width[head] <= free:
            start[head] = now
            free -= width[head]
            _push(ends, jobs, running, now + min(run[head], estimate[head]), head)
            running += 1
            head += 1
    return start


@njit(cache=True, error_model="numpy")
def easy(submit: Floats, run: Floats, estimate: Floats, width: Ints, processors: int) -> Floats:
    # Long because it is one loop: arrays handed to helpers would cost what this is to show as the least.
    n = submit.size
    start = np.empty(n)
    ends = np.empty(processors)
    jobs = np.empty(processors, np.int64)
    planned = np.empty(processors)  # estimated ends of running jobs, sorted, and their widths
    busy = np.empty(processors, np.int64)
    queue = np.empty(n, np.int64)
    running, free, arrived, head, tail = 0, processors, 0, 0, 0
    while head < tail or arrived < n:
        now = np.inf
        if running > 0:
            now = ends[0]
        if arrived < n and submit[arrived] < now:
            now = submit[arrived]
        while running > 0 and ends[0] == now:
            job = jobs[0]
            free += width[job]
            _pop(ends, jobs, running)
            running -= 1
            k = 0
            until = start[job] + estimate[job]
            while planned[k] != until or busy[k] != width[job]:
                k += 1
            for j in range(k, running):
                planned[j] = planned[j + 1]
                busy[j] = busy[j + 1]
        while arrived < n and submit[arrived] == now:
            queue[tail] = arrived
            tail += 1
            arrived += 1
        blocked = head
        shadow, extra = 0.0, 0
        k = head
        while k < tail and free > 0:
            job = queue[k]
            fits = width[job] <= free
            if k == blocked and not fits:
                later = free
                j = 0
                while later < width[job]:
                    later += busy[j]
                    shadow = planned[j]
                    j += 1
                while j < running and planned[j] == shadow:
                    later += busy[j]
                    j += 1
                extra = later - width[job]
            elif fits and k > blocked and now + estimate[job] > shadow:
                fits = width[job] <= extra
                if fits:
                    extra -= width[job]
            if fits:
                start[job] = now
                free -= width[job]
                _push(ends, jobs, running, now + min(run[job], estimate[job]), job)
                until = now + estimate[job]
                j = running
                while j > 0 and planned[j - 1] > until:
                    planned[j] = planned[j - 1]
                    busy[j] = busy[j - 1]
                    j -= 1
                planned[j] = until
                busy[j] = width[job]
                running += 1
                if k == blocked:
                    blocked += 1
                # Close up from the head's side; what is before k and waits moves one place back.
                for j in range(k, head, -1):
                    queue[j] = queue[j - 1]
                head += 1
                if blocked < head:
                    blocked = head
            k += 1
    return start


@njit(cache=True, error_model="numpy")
def _split(times: Floats, free: Ints, count: int, at: float) -> tuple[int, int]:
    """Make *at* a boundary of the profile; (segment that begins there, number of segments)."""
    k = 0
    while k + 1 < count and times[k + 1] <= at:
        k += 1
    if times[k] == at:
        return k, count
    for j in range(count, k + 1, -1):
        times[j] = times[j - 1]
        free[j] = free[j - 1]
    times[k + 1] = at
    free[k + 1] = free[k]
    return k + 1, count + 1


@njit(cache=True, error_model="numpy")
def _plan(times: Floats, free: Ints, count: int, begin: float, until: float, width: int) -> int:
    first, count = _split(times, free, count, begin)
    last, count = _split(times, free, count, until)
    for k in range(first, last):
        free[k] -= width
    write = 1
    for k in range(1, count):
        if free[k] != free[write - 1]:
            times[write] = times[k]
            free[write] = free[k]
            write += 1
    return write


@njit(cache=True, error_model="numpy")
def _earliest(times: Floats, free: Ints, count: int, width: int, length: float, now: float) -> float:
    begin = now
    for k in range(count):
        if free[k] < width:
            begin = times[k + 1]
        elif k + 1 == count or times[k + 1] >= begin + length:
            return begin
    return begin


@njit(cache=True, error_model="numpy")
def conservative(submit: Floats, run: Floats, estimate: Floats, width: Ints, processors: int) -> Floats:
    n = submit.size
    start = np.empty(n)
    ends = np.empty(processors)
    jobs = np.empty(processors, np.int64)
    times = np.empty(2 * n + 2)
    free = np.empty(2 * n + 2, np.int64)
    times[0], free[0] = 0.0, processors
    segments, running, arrived, queued = 1, 0, 0, 0
    queue = np.empty(n, np.int64)
    while queued > 0 or arrived < n:
        now = np.inf
        if running > 0:
            now = ends[0]
        if arrived < n and submit[arrived] < now:
            now = submit[arrived]
        for k in range(queued):
            now = min(now, start[queue[k]])
        drop = 0
        while drop + 1 < segments and times[drop + 1] <= now:
            drop += 1
        for k in range(drop, segments):
            times[k - drop] = times[k]
            free[k - drop] = free[k]
        segments -= drop
        times[0] = now
        early = False
        while running > 0 and ends[0] == now:
            job = jobs[0]
            _pop(ends, jobs, running)
            running -= 1
            until = start[job] + estimate[job]
            if until > now:
                segments = _plan(times, free, segments, now, until, -width[job])
                early = True
        if early:
            for k in range(queued):
                job = queue[k]
                segments = _plan(times, free, segments, start[job], start[job] + estimate[job], -width[job])
                start[job] = _earliest(times, free, segments, width[job], estimate[job], now)
                segments = _plan(times, free, segments, start[job], start[job] + estimate[job], width[job])
        while arrived < n and submit[arrived] == now:
            job = arrived
            start[job] = _earliest(times, free, segments, width[job], estimate[job], now)
            segments = _plan(times, free, segments, start[job], start[job] + estimate[job], width[job])
            queue[queued] = job
            queued += 1
            arrived += 1
        kept = 0
        for k in range(queued):
            job = queue[k]
            if start[job] <= now:
                _push(ends, jobs, running, now + min(run[job], estimate[job]), job)
                running += 1
            else:
                queue[kept] = job
                kept += 1
        queued = kept
    return start
