"""Submissions of one instant as one fact."""

from collections.abc import Sequence

from molokini.model.facts import Fact, JobsSubmitted

MOST_TOGETHER = 1000
"""Jobs of one line of the journal that several submissions share."""


def joined(facts: Sequence[Fact], most: int = MOST_TOGETHER) -> list[Fact]:
    """*facts* with neighbouring submissions of one user made one, of up to *most* jobs.

    What many clients, or many requests over one stream, submit at one instant is then one line of the
    journal and one step of the state. Ids of neighbours follow each other.
    """
    made: list[Fact] = []
    gathered: list[JobsSubmitted] = []
    jobs = 0
    for fact in facts:
        if not isinstance(fact, JobsSubmitted):
            made += [*_one(gathered), fact]
            gathered, jobs = [], 0
            continue
        jobs += len(fact.specs)
        if gathered and (fact.user != gathered[0].user or jobs > most):
            made += _one(gathered)
            gathered, jobs = [], len(fact.specs)
        gathered.append(fact)
    return made + _one(gathered)


def _one(gathered: list[JobsSubmitted]) -> list[Fact]:
    if len(gathered) < 2:
        return list(gathered)
    specs = tuple(spec for fact in gathered for spec in fact.specs)
    return [JobsSubmitted(gathered[0].first_id, gathered[0].user, specs)]
