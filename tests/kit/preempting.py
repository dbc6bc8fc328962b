"""A policy that makes room for wide jobs by taking narrow ones off, in the way that a test wants."""

from pathlib import Path

TEXT = """
from molokini.model.policy import Policy
from molokini.cycle.verbs import {verb}, start

POLICY = Policy(
    name="wide-first-{verb}", summary="the widest first", promise="narrow ones give way", source="a test"
)


def schedule(view, now):
    for k in range(view.waiting_head, view.waiting_tail):
        view.order_key[view.waiting[k]] = 0.0
    for k in range(view.running_count):
        view.order_key[view.running[k]] = 0.0
    while True:
        widest = -1
        for k in range(view.waiting_head, view.waiting_tail):
            row = view.waiting[k]
            if view.order_key[row] == 0.0 and (widest < 0 or view.job_width[row] > view.job_width[widest]):
                widest = row
        if widest < 0:
            return
        view.order_key[widest] = 1.0
        room = view.idle
        for k in range(view.running_count):
            row = view.running[k]
            if view.order_key[row] == 0.0 and view.job_width[row] < view.job_width[widest]:
                room += view.job_held[row]
        if room < view.job_width[widest]:
            return
        while view.idle < view.job_width[widest]:
            young = -1
            for k in range(view.running_count):
                row = view.running[k]
                if view.order_key[row] != 0.0 or view.job_width[row] >= view.job_width[widest]:
                    continue
                if young < 0 or view.job_start_s[row] > view.job_start_s[young] or (
                    view.job_start_s[row] == view.job_start_s[young]
                    and view.job_number[row] > view.job_number[young]
                ):
                    young = row
            view.order_key[young] = 1.0
            {verb}(view, young)
        start(view, widest)
"""


def wide_first(folder: Path, verb: str) -> str:
    """The path of the policy that takes narrow jobs off by *verb*, requeue, checkpoint or cancel."""
    path = folder / f"wide_first_{verb}.py"
    path.write_text(TEXT.format(verb=verb))
    return str(path)
