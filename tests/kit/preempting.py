"""A policy that makes room for wide jobs by taking narrow ones off, in the way that a test wants."""

from pathlib import Path

TEXT = """
from molokini.model.policy import Policy
from molokini.cycle.verbs import {verb}, start

POLICY = Policy(
    name="wide-first-{verb}", summary="the widest first", promise="narrow ones give way", source="a test"
)


def schedule(view, now):
    for k in range(view.queue.head, view.queue.tail):
        view.cycle.order_key[view.queue.waiting[k]] = 0.0
    for k in range(view.queue.running_count):
        view.cycle.order_key[view.queue.running[k]] = 0.0
    while True:
        widest = -1
        for k in range(view.queue.head, view.queue.tail):
            row = view.queue.waiting[k]
            wider = widest < 0 or view.jobs.width[row] > view.jobs.width[widest]
            if view.cycle.order_key[row] == 0.0 and wider:
                widest = row
        if widest < 0:
            return
        view.cycle.order_key[widest] = 1.0
        room = view.machine.idle
        for k in range(view.queue.running_count):
            row = view.queue.running[k]
            if view.cycle.order_key[row] == 0.0 and view.jobs.width[row] < view.jobs.width[widest]:
                room += view.jobs.held[row]
        if room < view.jobs.width[widest]:
            return
        while view.machine.idle < view.jobs.width[widest]:
            young = -1
            for k in range(view.queue.running_count):
                row = view.queue.running[k]
                if view.cycle.order_key[row] != 0.0 or view.jobs.width[row] >= view.jobs.width[widest]:
                    continue
                if young < 0 or view.jobs.start_s[row] > view.jobs.start_s[young] or (
                    view.jobs.start_s[row] == view.jobs.start_s[young]
                    and view.jobs.number[row] > view.jobs.number[young]
                ):
                    young = row
            view.cycle.order_key[young] = 1.0
            {verb}(view, young)
        start(view, widest)
"""


def wide_first(folder: Path, verb: str) -> str:
    """The path of the policy that takes narrow jobs off by *verb*, requeue, checkpoint or cancel."""
    path = folder / f"wide_first_{verb}.py"
    path.write_text(TEXT.format(verb=verb))
    return str(path)
