"""A divisible load sent and computed step by step: what every closed form must agree with."""

from collections.abc import Sequence

from molokini.applications.divisible import Costs


def ends(shares: Sequence[float], size: float, costs: Costs) -> list[float]:
    """When each node that has a share ends: one transmission after the other, each node computes once."""
    port_s, found = 0.0, []
    for share in shares:
        if share == 0.0:
            continue
        port_s += costs.setup_send_s + share * size * costs.send_s
        found.append(port_s + costs.setup_compute_s + share * size * costs.compute_s)
    return found
