"""Refusals as data in the fact that a job is over, and the sentences that they were in early journals."""

import json
from typing import Any

import pytest

from molokini.model.actors import Origin
from molokini.model.codec import Entry, decode, encode
from molokini.model.decisions import Refusal
from molokini.model.facts import NO_INDEX, Ending, JobEnded

names = pytest.mark.parametrize("name", [one.name.lower() for one in Refusal if one])


def ended(ending: Ending = Ending.REFUSED, **more: Any) -> JobEnded:
    return JobEnded(7, NO_INDEX, 0, ending, 5.0, by=Origin.POLICY, **more)


def early(reason: str, version: int, ending: str = "refused") -> JobEnded:
    """What is read of a fact as an early version wrote it."""
    body = {
        "job": 7,
        "index": -1,
        "attempt": 0,
        "ending": ending,
        "at_s": 5.0,
        "by": "policy",
        "reason": reason,
    }
    fact = decode(Entry(1, 5.0, "JobEnded", version, json.dumps(body)))
    assert isinstance(fact, JobEnded)
    return fact


@names
@pytest.mark.parametrize("detail", ["", "MaxProc is 4", "a: b is 4"])
@pytest.mark.parametrize("version", [1, 2])
def test_an_early_sentence_is_read_and_printed_as_it_was(name: str, detail: str, version: int) -> None:
    sentence = name.replace("_", " ") + (f": {detail}" if detail else "")
    found = early(sentence, version)
    assert found == ended(refusal=name, detail=detail)
    assert found.why == sentence


@names
def test_a_refusal_is_kept(name: str) -> None:
    fact = ended(refusal=name, detail="MaxProc is 4", earliest_deadline_s=9.0)
    assert decode(encode(fact, 1, 5.0)) == fact


@pytest.mark.parametrize("ending", ["cancelled", "failed", "node-lost"])
def test_what_a_user_writes_is_no_refusal(ending: str) -> None:
    found = early("deadline too tight", 2, ending)
    assert (found.refusal, found.reason) == ("", "deadline too tight")
    assert found.why == "deadline too tight"


def test_an_early_sentence_of_another_kind_stays_one() -> None:
    assert early("no such thing: 4", 2).why == "no such thing: 4"
