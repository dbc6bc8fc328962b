"""Real-time divisible loads: a family of policies made of three decisions, each named as in its paper.

Lin, Lu, Deogun and Goddard (UNL-CSE-2006-0016): ORDER-RULE-NODES. In which order admitted jobs are planned:
FIFO, EDF (absolute deadline) or MWF (largest workload derivative first). How a load is cut: OPR (all nodes
end together) or EPR (equal chunks). How many nodes a job gets: MN (the fewest that meet its deadline), AN
(all) or K (always K, section 5.2.2). A job is admitted or refused when it arrives.
"""

from molokini.applications.kinds import RULES
from molokini.model.policy import Policy
from molokini.policies.divisible.admission import begin as begin
from molokini.policies.divisible.admission import schedule as schedule
from molokini.policies.divisible.decisions import TOGETHER
from molokini.policies.divisible.memory import ASSIGNMENTS, ORDERS, DivisibleParameters

_SOURCE = "Lin, Lu, Deogun and Goddard, UNL-CSE-2006-0016, 2006"
_NAMES = (
    "edf-opr-mn",
    "edf-opr-an",
    "edf-epr-mn",
    "edf-epr-an",
    "fifo-opr-mn",
    "fifo-opr-an",
    "fifo-epr-mn",
    "fifo-epr-an",
    "mwf-opr-mn",
    "mwf-epr-mn",
    "edf-opr-k",
    "edf-epr-k",
    "fifo-opr-k",
    "fifo-epr-k",
)
"""The ten of section 4.3, and ALG-K of each that has an ALG-AN."""

_IN_WORDS = {
    "fifo": "in order of arrival",
    "edf": "earliest deadline first",
    "mwf": "largest workload derivative first",
    "opr": "all nodes of a task end together",
    "epr": "equal chunks",
    "mn": "the fewest nodes that meet the deadline",
    "an": "all nodes",
    "k": "always K nodes",
}

_DECLARED = {parameter.name: parameter for parameter in DivisibleParameters.declared()}
_PARTS = "; ".join(
    f"{part}: " + ", ".join(f"{name} ({_IN_WORDS[name]})" for name in names.split())
    for part, names in (("ORDER", "edf fifo mwf"), ("CUT", "opr epr"), ("NODES", "mn an k"))
)
"""The parts of names; MWF goes with MN alone (section 4.3)."""


def _policy(name: str) -> Policy:
    parts = name.split("-")
    order, rule, nodes = parts
    decided = (float(ORDERS.index(order)), float(RULES[rule]), float(ASSIGNMENTS.index(nodes)))
    return Policy(
        name=name,
        family="divisible loads with deadlines",
        one_of=("ORDER-CUT-NODES", f"{_PARTS}; mwf with mn alone"),
        summary="divisible loads with deadlines: " + "; ".join(_IN_WORDS[part] for part in parts),
        promise="an admitted job meets its deadline; a job that puts a deadline at risk is refused",
        source=_SOURCE,
        parameters=(
            *([_DECLARED["release"]] if rule == "epr" else []),
            _DECLARED["port"],
            _DECLARED["take"],
            *([_DECLARED["k"]] if nodes == "k" else []),
        ),
        counted_only=True,
        reservable=False,
        # Under OPR all chunks end together: the place of ``release`` is taken.
        fixed=(*decided, TOGETHER) if rule == "opr" else decided,
    )


POLICIES = tuple(_policy(name) for name in _NAMES)
"""One declaration a name; ``begin`` and ``schedule`` serve all of them."""
