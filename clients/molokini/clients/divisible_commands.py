"""``molokini divisible``: closed forms of divisible loads, without a simulation."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from molokini.applications.divisible import LEAST, MOST, Costs, checked_nodes, checked_rule, fractions
from molokini.applications.divisible_ranges import Range, common, lemma_applies, ranges
from molokini.applications.divisible_unlike import distribute
from molokini.clients.arguments.divisible import CostArguments, RangeArguments, SplitArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.model.errors import BadInput, BadValue

RANGE_SCHEMA = "molokini.divisible-range/1"
SPLIT_SCHEMA = "molokini.divisible-split/1"
_MOST_SHOWN = 100_000


def show_range(arguments: RangeArguments) -> dict[str, Any]:
    """Write and print in which periods ALG-K rejects nothing and ALG-AN some; returns what the JSON holds."""
    check_outputs({"--json": arguments.json})
    costs = _costs(arguments)
    ks = _counts(arguments.k, checked_nodes(arguments.nodes))
    each = ranges(costs, _sigma(arguments), arguments.nodes, ks)
    shared = common(each)
    found = {
        "schema": RANGE_SCHEMA,
        "nodes": arguments.nodes,
        "size": arguments.sigma,
        "costs": asdict(costs),
        "lemma_applies": lemma_applies(costs, arguments.nodes),
        "ranges": [_range_part(one) for one in each],
        "common": None if shared is None else list(shared),
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.divisible_tables import show_ranges

        show_ranges(found)
    return found


def _range_part(one: Range) -> dict[str, Any]:
    return {
        "k": one.k,
        "execution_s": one.execution_s,
        "divides": one.divides,
        "printed_bound_s": _finite(one.printed_s),
        "tight_bound_s": one.tight_s,
        "upper_bound_s": one.upper_s,
        "range": [_finite(bound) for bound in one.bounds],
        "tight_range": [_finite(bound) for bound in one.tight_bounds],
    }


def _finite(bound_s: float) -> float | None:
    return None if bound_s == float("inf") else bound_s


def _counts(text: str | None, nodes: int) -> Sequence[int]:
    """``1,2,5`` or ``1:8``; without a text every number that divides *nodes*, *nodes* itself left out."""
    allowed = "whole numbers separated by commas, or FIRST:LAST"
    if text is None:
        if nodes > _MOST_SHOWN:
            raise BadInput(f"--k: say which, of {nodes:,} nodes")
        return [k for k in range(1, nodes) if nodes % k == 0] or [1]
    try:
        first, colon, last = text.partition(":")
        if not colon:
            return [int(part) for part in text.split(",")]
        found = range(int(first), int(last) + 1)
    except ValueError:
        raise BadValue("--k", text, allowed) from None
    if not 0 < len(found) <= _MOST_SHOWN:
        raise BadValue("--k", text, f"{allowed}, at least one and at most {_MOST_SHOWN:,}")
    return found


def show_split(arguments: SplitArguments) -> dict[str, Any]:
    """Write and print each node's chunk, and when it is sent and done; also returns what the JSON holds."""
    check_outputs({"--json": arguments.json})
    checked_rule(arguments.rule)
    _sigma(arguments)
    nodes = [_node(text) for text in arguments.node]
    order, chunks, execution_s = _unlike(arguments, nodes) if nodes else _alike(arguments)
    costs = nodes or [_costs(arguments)] * len(chunks)
    found = {
        "schema": SPLIT_SCHEMA,
        "rule": arguments.rule,
        "size": arguments.sigma,
        "beyond_the_paper": bool(nodes),
        "execution_s": execution_s,
        "nodes": _timeline(order, chunks, costs),
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.divisible_tables import show_chunks

        show_chunks(found)
    return found


_Split = tuple[Sequence[int], Sequence[float], float]
"""Nodes in order of sending, units of load of each node, execution time."""


def _alike(arguments: SplitArguments) -> _Split:
    costs = _costs(arguments)
    if arguments.nodes > _MOST_SHOWN:
        raise BadValue("--nodes", arguments.nodes, f"at most {_MOST_SHOWN:,} to be shown")
    shares = fractions(arguments.rule, arguments.sigma, arguments.nodes, costs)
    execution_s = costs.execution_s(arguments.rule, arguments.sigma, arguments.nodes)
    order = [k for k, share in enumerate(shares) if share > 0]
    return order, [share * arguments.sigma for share in shares], execution_s


def _unlike(arguments: SplitArguments, nodes: Sequence[Costs]) -> _Split:
    if arguments.rule != "opr":
        raise BadInput(f"--rule {arguments.rule}: nodes that differ (--node) are given opr's chunks")
    found = distribute(arguments.sigma, nodes)
    return found.order, found.chunks, found.execution_s


def _timeline(order: Sequence[int], chunks: Sequence[float], costs: Sequence[Costs]) -> list[dict[str, Any]]:
    """One line a node in order of sending, then those that get nothing."""
    port_s, lines = 0.0, []
    for k in order:
        sent_s = port_s + costs[k].setup_send_s + chunks[k] * costs[k].send_s
        done_s = sent_s + costs[k].setup_compute_s + chunks[k] * costs[k].compute_s
        lines.append({"node": k + 1, "chunk": chunks[k], "from_s": port_s, "sent_s": sent_s, "end_s": done_s})
        port_s = sent_s
    idle = sorted(set(range(len(chunks))) - set(order))
    nothing: Mapping[str, Any] = {"chunk": 0.0, "from_s": None, "sent_s": None, "end_s": None}
    return lines + [{"node": k + 1, **nothing} for k in idle]


def _node(text: str) -> Costs:
    """``CMS,CPS[,ST[,SC]]``."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not 2 <= len(numbers) <= 4:
        raise BadValue("--node", text, "CMS,CPS[,ST[,SC]], numbers of seconds")
    return _made(*numbers)


def _costs(arguments: CostArguments) -> Costs:
    return _made(arguments.cms, arguments.cps, arguments.st, arguments.sc)


def _made(cms: float, cps: float, st: float = 0.0, sc: float = 0.0) -> Costs:
    """The costs, if a unit of load has some of either kind; set-ups may take no time."""
    for name, value in (("cms", cms), ("cps", cps)):
        _above_0(name, value)
    return Costs(cms, cps, st, sc)


def _sigma(arguments: CostArguments) -> float:
    return _above_0("sigma", arguments.sigma)


def _above_0(name: str, value: float) -> float:
    if not LEAST <= value <= MOST:
        raise BadValue(name, value, f"a finite number above 0 (from {LEAST:g} to {MOST:g})")
    return value
