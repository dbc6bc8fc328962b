"""``molokini theory``: closed forms of queues with heavy-tailed sizes, beside simulations where asked for."""

import math
from collections.abc import Sequence
from typing import Any

from molokini.clients.arguments.theory import SitaArguments, SrptArguments, TailArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, write_json
from molokini.model.errors import BadValue
from molokini.queueing.assignment import Hosts, equal_load, least_slowdown, random_split, served
from molokini.queueing.single_server import (
    DISCIPLINES,
    AgainstSharing,
    against_sharing,
    checked_load,
    response_at,
)
from molokini.queueing.sizes import Sizes, expected_beyond
from molokini.workloads.distributions.named import distribution_of

SRPT_SCHEMA = "molokini.theory-srpt/1"
SITA_SCHEMA = "molokini.theory-sita/1"
TAIL_SCHEMA = "molokini.theory-tail/1"
OF_RESPONSE = "response over size"
OF_WAITING = "waiting over size"
_SHARES = (0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0)
"""The sizes of a table by size: quantiles of the jobs."""
_MOST_LOADS, _MOST_SIMULATED = 20, 10_000_000


def srpt(arguments: SrptArguments) -> dict[str, Any]:
    """Write and print what jobs of each size wait for; returns what the JSON holds."""
    check_picture("--plot", arguments.plot)
    check_outputs({"--json": arguments.json, "--plot": arguments.plot})
    loads = _loads(arguments.load)
    if arguments.simulate is not None and not 1000 <= arguments.simulate <= _MOST_SIMULATED:
        raise BadValue("--simulate", arguments.simulate, f"a whole number from 1,000 to {_MOST_SIMULATED:,}")
    sizes = Sizes(distribution_of(arguments.distribution))
    queues = [against_sharing(sizes, load) for load in loads]
    simulated: list[dict[str, Any]] = []
    if arguments.simulate is not None:
        # Both load numba, which takes as long as all closed forms.
        from molokini.clients.hosting import COMMAND
        from molokini.experiments.one_server import simulated_queues

        simulated = simulated_queues(
            arguments.distribution, loads, arguments.simulate, arguments.seed, COMMAND
        )
    found = {
        "schema": SRPT_SCHEMA,
        "distribution": arguments.distribution,
        **_moments(sizes),
        "slowdown": OF_RESPONSE,
        "loads": [_load_part(sizes, queue) for queue in queues],
        "simulated": simulated,
    }
    if arguments.plot is not None:
        from molokini.plots.files import save
        from molokini.plots.response_by_size import by_size

        save(by_size(arguments.distribution, sizes, queues, simulated), arguments.plot)
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.theory_tables import show_srpt

        show_srpt(found)
    return found


def _load_part(sizes: Sizes, found: AgainstSharing) -> dict[str, Any]:
    queues = {name: getattr(found, name) for name in DISCIPLINES}
    at = [sizes.distribution.quantile(share) if share < 1 else float(sizes.x[-1]) for share in _SHARES]
    kept = [(share, x) for share, x in zip(_SHARES, at, strict=True)]
    return {
        "load": found.load,
        "disciplines": {
            name: {
                "mean_response": finite(one.mean_response),
                "mean_response_in_means": finite(one.mean_response / sizes.mean),
                "mean_slowdown": finite(one.mean_slowdown),
            }
            for name, one in queues.items()
        },
        "srpt_over_ps": {
            "largest_ratio": found.largest_ratio,
            "largest_ratio_at": found.largest_at,
            "ratio_of_largest": found.ratio_of_largest,
            "share_better": found.share_better,
            "mean_slowdown_of_smaller_99_percent": found.small_slowdown,
        },
        "by_size": [
            {
                "quantile": share,
                "size": x,
                **{name: finite(response_at(sizes, one, x)) for name, one in queues.items()},
            }
            for share, x in kept
        ],
    }


def sita(arguments: SitaArguments) -> dict[str, Any]:
    """Write and print both kinds of cutoffs at each load; returns what the JSON holds."""
    check_outputs({"--json": arguments.json})
    loads = _loads(arguments.load)
    sizes = Sizes(distribution_of(arguments.distribution))
    rows = []
    equal = equal_load(sizes, arguments.hosts)
    for load in loads:
        least = least_slowdown(sizes, arguments.hosts, load)
        wait, slowdown = random_split(sizes, load)
        rows.append(
            {
                "load": load,
                "sita_e": _hosts_part(sizes, served(sizes, equal, load)),
                "sita_u": _hosts_part(sizes, served(sizes, least, load)),
                "random": {
                    "mean_wait": finite(wait),
                    "mean_wait_in_means": finite(wait / sizes.mean),
                    "mean_slowdown": finite(slowdown),
                },
            }
        )
    found = {
        "schema": SITA_SCHEMA,
        "distribution": arguments.distribution,
        **_moments(sizes),
        "hosts": arguments.hosts,
        "slowdown": OF_WAITING,
        "loads": rows,
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.theory_tables import show_sita

        show_sita(found)
    return found


def _hosts_part(sizes: Sizes, hosts: Hosts) -> dict[str, Any]:
    return {
        "cutoffs": list(hosts.cutoffs),
        "loads": list(hosts.loads),
        "shares_of_jobs": list(hosts.shares),
        "mean_waits": [finite(one) for one in hosts.waits],
        "mean_wait": finite(hosts.wait),
        "mean_wait_in_means": finite(hosts.wait / sizes.mean),
        "mean_slowdown": finite(hosts.slowdown),
    }


def tail(arguments: TailArguments) -> dict[str, Any]:
    """Write and print how the mass of a distribution lies; returns what the JSON holds."""
    from molokini.workloads.statistics.mass import mass_count_of

    check_outputs({"--json": arguments.json})
    law = distribution_of(arguments.distribution)
    sizes = Sizes(law)
    shares = [0.0, *_SHARES[:-1]]
    at = [float(sizes.x[0]) if share == 0.0 else law.quantile(share) for share in shares]
    beyond = expected_beyond(law, at).tolist()
    found = {
        "schema": TAIL_SCHEMA,
        "distribution": arguments.distribution,
        **_moments(sizes),
        "mass_count": mass_count_of(law),
        "beyond": [
            {"quantile": share, "size": x, "expected": finite(y), "ratio": finite(y / x)}
            for share, x, y in zip(shares, at, beyond, strict=True)
        ],
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.theory_tables import show_tail

        show_tail(found)
    return found


def _moments(sizes: Sizes) -> dict[str, Any]:
    second = sizes.moment(2.0)
    return {
        "mean": sizes.mean,
        "second_moment_over_mean_squared": finite(second / sizes.mean**2),
        "mean_inverse": finite(sizes.moment(-1.0)),
    }


def finite(value: float) -> float | None:
    """*value* for JSON: None where a formula diverges."""
    return value if math.isfinite(value) else None


def _loads(text: str) -> Sequence[float]:
    try:
        loads = [float(part) for part in text.split(",")]
    except ValueError:
        raise BadValue("--load", text, "numbers above 0 and below 1, separated by commas") from None
    if len(loads) > _MOST_LOADS:
        raise BadValue("--load", text, f"at most {_MOST_LOADS} loads")
    return [checked_load(load) for load in loads]
