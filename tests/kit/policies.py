"""The policies that tests of all policies run."""

from molokini.policies import load_policy, policy_names


def different_policies() -> list[str]:
    """Every policy by name, and of a family the first only.

    The members of a family are the same functions with other numbers; those of ``divisible`` differ in what
    they do with divisible loads, which has tests of its own, and not in what they do with other jobs.
    """
    found: dict[object, str] = {}
    for name in policy_names():
        found.setdefault(load_policy(name).schedule, name)
    return sorted(found.values())
