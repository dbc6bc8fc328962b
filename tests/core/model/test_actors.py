"""Who changes a cluster: what is written and read of it, in this form and in that of early journals."""

import json
from typing import Any

import pytest

from molokini.model.actors import Actor, Origin, of_word, read, written
from molokini.model.codec import KINDS, UPGRADES, Entry, UnreadableFact, _with_origins, decode, encode
from molokini.model.facts import JobEnded, NodeDrained, NodeLost, NodeReturned

WORDS = [one.value for one in Origin]
of_actors = pytest.mark.parametrize("actor", ["ann", "", *WORDS, *Origin])


@of_actors
def test_what_is_written_is_read_again(actor: Actor) -> None:
    again = read(json.loads(json.dumps(written(actor))))
    assert again == actor
    assert type(again) is type(actor)


@of_actors
def test_a_fact_keeps_it(actor: Actor) -> None:
    fact = NodeLost("n1", actor, "smoke")
    assert decode(encode(fact, 1, 2.0)) == fact


def test_the_bytes_of_a_name_are_what_they_were() -> None:
    assert encode(NodeDrained("n1", "policy", "x"), 1, 2.0).body == '{"by":"policy","node":"n1","reason":"x"}'
    origin = encode(NodeDrained("n1", Origin.POLICY), 1, 2.0).body
    assert origin == '{"by":{"origin":"policy"},"node":"n1"}'


@pytest.mark.parametrize("word", WORDS)
def test_in_early_versions_these_words_are_origins(word: str) -> None:
    early = Entry(1, 2.0, "NodeLost", 1, json.dumps({"node": "n1", "by": word}))
    assert decode(early) == NodeLost("n1", Origin(word))
    assert of_word(word) is Origin(word)


def test_in_early_versions_other_words_are_names() -> None:
    early = Entry(1, 2.0, "NodeReturned", 1, json.dumps({"node": "n1", "by": "ann"}))
    assert decode(early) == NodeReturned("n1", "ann")


def test_what_came_about_by_itself_does_so_in_every_version() -> None:
    body = json.dumps({"job": 1, "index": -1, "attempt": 1, "ending": "completed", "at_s": 5.0})
    for version in range(1, JobEnded.VERSION + 1):
        fact = decode(Entry(1, 5.0, "JobEnded", version, body))
        assert isinstance(fact, JobEnded)
        assert fact.by == ""


@pytest.mark.parametrize("value", [{"origin": "nobody"}, {"who": "ann"}, 7, None])
def test_what_is_no_actor_is_no_fact(value: Any) -> None:
    with pytest.raises(UnreadableFact, match="entry 9"):
        decode(Entry(9, 2.0, "NodeReturned", 2, json.dumps({"node": "n1", "by": value})))


def test_in_print_an_origin_is_its_word() -> None:
    assert [f"cancelled by {one}" for one in Origin] == [f"cancelled by {word}" for word in WORDS]


def test_every_kind_whose_origins_were_texts_is_upgraded_where_that_ended() -> None:
    """By the versions that releases have written: a later version of a kind must not move its upgrade."""
    upgraded = {place for place, upgrade in UPGRADES.items() if upgrade is _with_origins}
    assert {kind for kind, _ in upgraded} <= {
        name for name, kind in KINDS.items() if "by" in kind.__dataclass_fields__
    }
    assert len(upgraded) == len({kind for kind, _ in upgraded}) == 17
    assert {kind for kind, version in upgraded if version == 2} == {
        *("JobHeld", "JobReleased", "JobSuspended", "JobResumed", "JobRequeued")
    }
