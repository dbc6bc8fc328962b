"""``sprio``: the priorities of jobs that wait."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Invocation, Job
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm import ids
from molokini.compat.slurm.filters import names, user
from molokini.compat.slurm.general import GENERAL, given_to
from molokini.compat.tool import Failed

OPTIONS = (
    *GENERAL,
    option("-h --noheader", text="without the header"),
    option("-j --jobs", "IDS", "only these jobs"),
    option("-l --long", text="with user, group and QOS"),
    option("-M --clusters", "NAMES", "this cluster, or all"),
    option("-o --format", "FORMAT", "columns by letters: %[.][width]letter"),
    option("-p --partition", "NAMES", "only jobs of these partitions"),
    option("-u --user", "NAMES", "only jobs of these users"),
    option("-w --weights", text="the weights of the parts, as the policy has them"),
    without_effect("-v --verbose", why="there are no further details"),
    without_effect("--federation", why="there is one cluster"),
    without_effect("--local", why="there is one cluster"),
    without_effect("--sibling", why="there is one cluster"),
    refused("-n --norm", why="the parts of a priority have no common scale"),
    refused("-S --sort", "LETTERS", "jobs come by their numbers"),
)
_FORMAT = "%.15i %9r %.10Y %.10S %.10A %.10F %.10J %.10P %.10Q %.11N"
_LONG = "%.15i %9r %.8u %.10Y %.10S %.10A %.10F %.10J %.10P %.10Q %.11N"
_PARTS = {"A": ("queue-time",), "J": ("processors", "nodes", "memory"), "P": ("class",), "Q": ("qos",)}
"""By letter, the subcomponents of the policy maui that Slurm's factors answer to."""
_SHOWN = (
    ("A", "age"),
    ("B", "assoc"),
    ("F", "fairshare"),
    ("J", "job_size"),
    ("P", "partition"),
    ("Q", "qos"),
)
"""Slurm's own factors: the letter of the column, and the end of the name of the weight, 0 where it is not
shown."""
_WEIGHT = "priority_weight_"


class _Line:
    __slots__ = ("job", "told")

    def __init__(self, job: Job, told: dict[str, Any]) -> None:
        self.job, self.told = job, told

    def part(self, *subcomponents: str, component: str | tuple[str, ...] = "") -> str:
        """What these parts give together."""
        components = (component,) if isinstance(component, str) else component
        found = sum(
            one.get("product", 0.0)
            for one in self.told.get("priority_parts", ())
            if one.get("subcomponent", "") in subcomponents or one["component"] in components
        )
        return f"{found:.0f}"

    @property
    def tres(self) -> str:
        """``CPU=250,Mem=12``."""
        parts = [one for one in self.told.get("priority_parts", ()) if one["component"] == "tres"]
        named = ((_TRES.get(one["subcomponent"], one["subcomponent"]), one["product"]) for one in parts)
        return ",".join(f"{name}={product:.0f}" for name, product in named)

    @property
    def priority(self) -> str:
        """Under a policy without priorities, what its user gave it."""
        if "priority" in self.told:
            return f"{self.told['priority']:.0f}"
        return str(self.job.user_priority)


_TRES = {"cpu": "CPU", "mem": "Mem", "node": "Node", "billing": "Billing"}
_LETTERS = {
    "i": ("JOBID", lambda one: ids.shown(one.job)),
    "r": ("PARTITION", lambda one: ",".join(one.job.queues)),
    "u": ("USER", lambda one: one.job.user),
    "a": ("AGE", lambda one: one.part(*_PARTS["A"], component="age")),
    "A": ("AGE", lambda one: one.part(*_PARTS["A"], component="age")),
    "f": ("FAIRSHARE", lambda one: one.part(component="fairshare")),
    "F": ("FAIRSHARE", lambda one: one.part(component="fairshare")),
    "j": ("JOBSIZE", lambda one: one.part(component=("resource", "job-size"))),
    "J": ("JOBSIZE", lambda one: one.part(component=("resource", "job-size"))),
    "p": ("PARTITION", lambda one: one.part(*_PARTS["P"], component="partition")),
    "P": ("PARTITION", lambda one: one.part(*_PARTS["P"], component="partition")),
    "q": ("QOS", lambda one: one.part(*_PARTS["Q"], component="qos")),
    "Q": ("QOS", lambda one: one.part(*_PARTS["Q"], component="qos")),
    "S": ("SITE", lambda one: one.part(component="administrator")),
    "N": ("NICE", lambda one: str(-one.job.user_priority)),
    "y": ("PRIORITY", lambda one: one.priority),
    "Y": ("PRIORITY", lambda one: one.priority),
    **dict.fromkeys("bB", ("ASSOC", lambda one: one.part(component="association"))),
    **dict.fromkeys("tT", ("TRES", lambda one: one.tres)),
    "c": ("CLUSTER", lambda one: ""),
    "s": ("SITE", lambda one: one.part(component="administrator")),
    "n": ("NICE", lambda one: str(-one.job.user_priority)),
    "o": ("ACCOUNT", lambda one: one.job.account),
}


def run(run: Invocation) -> int:
    """List the priorities of jobs that wait, and what they are made of."""
    given = given_to(run, OPTIONS)
    if given.flag("clusters"):
        from molokini.compat.slurm.cluster import check_clusters

        check_clusters(run, given.one("clusters"))
    if given.flag("weights"):
        return _weights(run, given.one("format"))
    from molokini.compat.columns import line
    from molokini.compat.listing import jobs
    from molokini.compat.slurm import formats

    policy = run.transport.call("ClusterService", "GetPolicy", {}).get("parameters", {})
    text = given.one("format") or run.variables.get("SPRIO_FORMAT") or _format(policy, given.flag("long"))
    prefix, columns = formats.lettered(
        text,
        _LETTERS,
        lambda name: run.complain(f"sprio: error: Invalid job format specification: {name}"),
    )
    try:
        numbers = [ref["id"] for ref in ids.refs(given.one("jobs"))]
    except ValueError as error:
        raise Failed(f"sprio: error: Invalid job id: {error}") from None
    asked: dict[str, Any] = {
        "job_ids": numbers,
        "users": [user(run, one) for one in names(given.one("user"))],
        "queues": names(given.one("partition")),
        "states": ["WAITING"],
    }
    if not given.flag("noheader"):
        run.say(prefix + line(columns, [column.header for column in columns]))
    for job in jobs(run, **asked):
        told = _Line(job, run.transport.call("JobService", "ExplainJob", {"id": job.id}))
        run.say(prefix + line(columns, [column.cell(told) for column in columns]))
    return 0


def _format(policy: dict[str, str], long: bool) -> str:
    """The columns: under Slurm's own policy those of factors that have a weight, and all with *long*."""
    if f"{_WEIGHT}job_size" not in policy:
        return _LONG if long else _FORMAT
    shown = [f"%.10{letter}" for letter, name in _SHOWN if long or float(policy[_WEIGHT + name])]
    tres = any(float(value) for name, value in policy.items() if name.startswith(f"{_WEIGHT}tres"))
    more = [*(["%.11N"] if long else []), *(["%.20T"] if long or tres else [])]
    return " ".join(["%.15i", "%9r", *(["%.8u"] if long else []), "%.10Y", "%.10S", *shown, *more])


def _weights(run: Invocation, text: str) -> int:
    """The weights; under Slurm's own policy in its columns."""
    from molokini.compat.columns import line
    from molokini.compat.slurm import formats

    policy = run.transport.call("ClusterService", "GetPolicy", {}).get("parameters", {})
    if f"{_WEIGHT}job_size" not in policy:
        for name, value in sorted(policy.items()):
            if "weight" in name.lower():
                run.say(f"{name}={value}")
        return 0
    prefix, columns = formats.lettered(text or _format(policy, False), _WEIGHTS, lambda name: None)
    run.say(prefix + line(columns, [column.header for column in columns]))
    of = {letter: f"{float(policy[_WEIGHT + name]):.0f}" for letter, name in _SHOWN}
    run.say(prefix + line(columns, [column.cell({**of, **_tres_weights(policy)}) for column in columns]))
    return 0


def _tres_weights(policy: dict[str, str]) -> dict[str, str]:
    found = {
        name.removeprefix(f"{_WEIGHT}tres_"): float(value)
        for name, value in policy.items()
        if "_tres_" in name
    }
    return {"T": ",".join(f"{_TRES.get(name, name)}={value:g}" for name, value in found.items() if value)}


def _weight(letter: str) -> Callable[[dict[str, str]], str]:
    return lambda of: of.get(letter, "")


_WEIGHTS: dict[str, tuple[str, Callable[[dict[str, str]], str]]] = {
    **{letter: (_LETTERS[letter][0], _weight(letter.upper())) for letter in _LETTERS},
    "i": ("JOBID", lambda of: "Weights"),
    "S": ("SITE", lambda of: "1"),
    "s": ("SITE", lambda of: "1"),
}
"""The columns of ``-w``: a line of weights in the place of jobs."""
