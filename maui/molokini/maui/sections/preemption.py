"""Preemption."""

from molokini.maui.fields import Section, parameter
from molokini.maui.kinds import Word
from molokini.maui.sections.reasons import PREEMPTION


class PreemptPolicy(Word):
    """How a job is preempted."""

    REQUEUE = "REQUEUE"
    SUSPEND = "SUSPEND"
    CHECKPOINT = "CHECKPOINT"
    OVERCOMMIT = "OVERCOMMIT"


class Preemption(Section):
    """How a job makes room for another."""

    policy: PreemptPolicy = parameter(
        "PREEMPTPOLICY", PreemptPolicy.REQUEUE, "How a job is preempted.", without=PREEMPTION
    )
