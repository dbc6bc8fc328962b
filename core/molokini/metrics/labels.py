"""Short names for schedules that stand side by side."""

from collections import Counter
from collections.abc import Sequence

from molokini.sim.schedule import Schedule


def labels(schedules: Sequence[Schedule]) -> list[str]:
    """A name for each schedule: the policy's, with the parameters that differ where it occurs twice."""
    count = Counter(schedule.policy for schedule in schedules)
    names = []
    for schedule in schedules:
        twins = [other.parameters for other in schedules if other.policy == schedule.policy]
        told = [
            f"{name}={value}"
            for name, value in schedule.parameters.items()
            if any(twin.get(name) != value for twin in twins)
        ]
        names.append(
            f"{schedule.policy} ({', '.join(told)})"
            if count[schedule.policy] > 1 and told
            else schedule.policy
        )
    repeated = Counter(names)
    seen: Counter[str] = Counter()
    for at, name in enumerate(names):
        seen[name] += 1
        if repeated[name] > 1:
            names[at] = f"{name} #{seen[name]}"
    return names
