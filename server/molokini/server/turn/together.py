"""Jobs that were sent together, accepted together: what they share is checked once.

Only a batch in which everything is in order is accepted so. Where anything is not, nothing has been done, and
each of its jobs is looked at by itself, which finds what is wrong with which.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from molokini.model.canonical import texts_of
from molokini.model.errors import BadInput
from molokini.model.written_specs import WrittenSpec, written_together
from molokini.server.state.queues import Queue
from molokini.server.state.state import State
from molokini.server.turn.asked import AskedBatch, AskedSpec
from molokini.server.turn.checks import Limits, all_in_order
from molokini.server.turn.command import Draft
from molokini.server.turn.counts import Places

_ALONE = frozenset(
    {"divisible", "dependencies", "communication", "submission_key", "least_estimate_s", "further_queues"}
)
"""Shared fields for which each job is looked at by itself: they ask of others, or of the instant."""

Kinds = Mapping[int, tuple[WrittenSpec, Queue]]
"""Of what jobs share, by its identity: what is kept of it, and the queue."""
Full = Callable[[AskedSpec], tuple[WrittenSpec, Queue]]
"""The specification that is kept, and its queue; BadInput for one that is refused."""


def accepted_together(
    batch: AskedBatch, limits: Limits, places: Places, full: Full
) -> list[WrittenSpec] | None:
    """The specifications of *batch* as they are kept, its places taken; None where not all are in order."""
    shared = {id(spec): spec for spec in batch.bare}
    if not all(_stands_alone(spec) for spec in shared.values()):
        return None
    try:
        kinds = {number: full(spec) for number, spec in shared.items()}
    except BadInput:
        return None
    counts = Counter(map(id, batch.bare))
    if not _own_in_order(batch, limits, kinds):
        return None
    if not places.take_all([(kinds[number][1], count) for number, count in counts.items()]):
        return None
    return _kept(batch, kinds)


def _stands_alone(spec: AskedSpec) -> bool:
    """Whether *spec* can be checked without the fields that its jobs have of their own."""
    return _ALONE.isdisjoint(spec.spec)


def _own_in_order(batch: AskedBatch, limits: Limits, kinds: Kinds) -> bool:
    longest_s = [queue.max_estimate_s for _, queue in kinds.values() if queue.max_estimate_s]
    most_s = min([limits.most_estimate_s, *longest_s])
    return all(all_in_order(name, column, limits, most_s) for name, column in batch.own.items())


def _kept(batch: AskedBatch, kinds: Kinds) -> list[WrittenSpec]:
    shared = [kinds[id(asked)][0] for asked in batch.bare]
    if not batch.own:
        return shared
    names = tuple(batch.own)
    forms = {number: spec.shared.form(names) for number, (spec, _) in kinds.items()}
    columns = zip(*[texts_of(column) for column in batch.own.values()], strict=True)
    texts = [forms[id(asked)] % parts for asked, parts in zip(batch.bare, columns, strict=True)]
    return written_together(shared, texts, batch.own)


def keys_free(keys: Sequence[str], user: str, state: State, draft: Draft) -> bool:
    """Whether these submission keys of *user* are all new, and each is another."""
    if len(set(keys)) < len(keys):
        return False
    return not any((user, key) in state.keys or (user, key) in draft.keys for key in keys)
