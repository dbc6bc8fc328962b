"""What divisible jobs are promised, for people and as JSON."""

import math
from typing import Any

from molokini.clients.show.lines import finite
from molokini.model.instants import instant, is_calendar
from molokini.model.text import plural
from molokini.proto.v1.jobs_pb2 import Chunks, Job, Promise

_VERDICTS = {
    Promise.VERDICT_UNSPECIFIED: "undecided",
    Promise.ADMITTED: "admitted",
    Promise.REFUSED: "refused",
}


def promise_text(promise: Promise) -> str:
    """One line: when, on how much, until when; or why not, and what could be had."""
    if promise.verdict == Promise.ADMITTED:
        where = f"on {plural(promise.processors, 'processor')}"
        text = f"admitted: starts at {instant(promise.start_s)} {where}, ends at {instant(promise.end_s)}"
        return f"{text}; its deadline is {instant(promise.deadline_s)}" if promise.deadline_s else text
    if promise.verdict == Promise.REFUSED:
        text = f"refused: {promise.refusal}"
        if not promise.earliest_deadline_s:
            return text
        later_s = math.ceil(promise.earliest_deadline_s - promise.deadline_s)
        more = f", {later_s:,} s later" if later_s > 1 else ""
        return (
            f"{text}; the earliest deadline that could be met: {_met_by(promise.earliest_deadline_s)}{more}"
        )
    return "undecided: it is held, or the policy promises nothing"


def _met_by(at_s: float) -> str:
    """An instant to ask for (``--deadline @...``): no digit is lost, nor a calendar's second rounded down."""
    return instant(math.ceil(at_s)) if is_calendar(at_s) else f"{at_s!r} s"


def promise_document(promise: Promise) -> dict[str, Any]:
    """A promise in JSON; what does not apply is null."""
    admitted = promise.verdict == Promise.ADMITTED
    return {
        "verdict": _VERDICTS.get(promise.verdict, str(promise.verdict)),
        "start_s": finite(promise.start_s) if admitted else None,
        "processors": promise.processors if admitted else None,
        "end_s": finite(promise.end_s) if admitted else None,
        "deadline_s": finite(promise.deadline_s) if promise.deadline_s else None,
        "refusal": promise.refusal or None,
        "earliest_deadline_s": promise.earliest_deadline_s or None,
    }


def chunks_text(chunks: Chunks) -> str:
    """How far the chunks have come."""
    return f"{chunks.sent:,} of {chunks.chunks:,} sent, {chunks.computed:,} computed ({chunks.rule})"


def deadline_text(job: Job) -> str:
    """What became of a deadline; empty while that is open."""
    if not job.HasField("deadline_met"):
        return ""
    return "met" if job.deadline_met else "missed"
