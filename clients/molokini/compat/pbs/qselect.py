"""``qselect``: ids of the jobs that fit, a line each."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Job, Values
from molokini.compat.job import PBS, fields_of
from molokini.compat.listing import jobs
from molokini.compat.options import option, refused
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.comparing import Condition, conditions, fits
from molokini.compat.pbs.dialect import torque
from molokini.compat.pbs.failing import usage as wrong
from molokini.compat.pbs.finding import with_elements
from molokini.compat.pbs.ids import name_of
from molokini.compat.pbs.remembered import of
from molokini.compat.pbs.server import server_name
from molokini.compat.pbs.shown_resources import resource_list
from molokini.compat.pbs.states import letter
from molokini.compat.pbs.times import instant_s
from molokini.compat.pbs.values import hold_types

OPTIONS = (
    *USUAL,
    option("-a", "TIME", "by the earliest start; .OP. may stand before it"),
    option("-A", "ACCOUNT", "by account"),
    refused("-c", "WHEN", why="there are no checkpoints"),
    option("-h", "HOLDS", "by holds: any of u, o and s, or n"),
    option("-H", text="jobs that have ended"),
    option("-J", text="only arrays"),
    option("-l", "RESOURCES", "name.OP.value, OP one of eq, ne, gt, ge, lt and le", many=True),
    option("-N", "NAME", "by name"),
    option("-p", "PRIORITY", "by priority; .OP. may stand before it"),
    option("-P", "PROJECT", "by project"),
    option("-q", "DESTINATION", "by queue"),
    option("-r", "YN", "whether the jobs may be rerun"),
    option("-s", "STATES", "by the letters of their states"),
    option("-t", "WHICH", "by a time: a, c, e, m, q or s, the operator, and the time", many=True),
    option("-T", text="include array elements"),
    option("-u", "USERS", "only of these users, separated by commas"),
    option("-x", text="include jobs that have ended"),
)

_FIELDS = (
    *(
        "state",
        "holds",
        "cause",
        "submitted_s",
        "eligible_s",
        "start_s",
        "elements",
        "spec.array",
        "spec.account",
    ),
    *("spec.requeue", "spec.user_priority", "spec.begin_at_s", "spec.resources", "spec.estimate_s"),
    *fields_of(PBS),
)
_NO_PROJECT = "_pbs_project_default"
_LETTERS = "BCEFHMQRSTUWX"
_TIMES = {"a": "begin_at_s", "c": "submitted_s", "e": "eligible_s", "q": "submitted_s", "s": "start_s"}


def run(run: Invocation) -> int:
    """Print the ids."""
    given = given_to(run, OPTIONS, "")
    if given.words:
        raise wrong(run, f"expected options only, not {given.words[0][:60]!r}")
    search = _Search(run, given)
    server = server_name(run)
    for job in search.found():
        run.say(name_of(job, server))
    return 0


class _Search:
    def __init__(self, run: Invocation, given: Values) -> None:
        self.run, self.given, self.torque = run, given, torque(run.variables)
        try:
            self.resources = conditions(given.all("l"))
            self.priority = Condition("", given.one("p"), "eq") if given.flag("p") else None
            self.times = self._times()
        except ValueError as error:
            raise wrong(run, str(error)) from None
        states = given.one("s")
        if any(letter not in _LETTERS for letter in states):
            raise wrong(run, f"illegal -s value {states[:40]!r}: must be job state letters ({_LETTERS})")

    def _times(self) -> list[tuple[str, Condition]]:
        found = []
        asked = [*self.given.all("t"), *(f"a{text}" for text in self.given.all("a"))]
        now_s = self.run.transport.call("ClusterService", "GetClock", {}).get("now_s", 0.0) if asked else 0.0
        for text in asked:
            field = _TIMES.get(text[:1])
            if field is None:
                raise ValueError(f"illegal -t value {text[:60]!r}: it begins with one of {', '.join(_TIMES)}")
            one = Condition("", text[1:], "eq")
            try:
                one.value = str(instant_s(one.value, now_s))
            except ValueError:
                raise ValueError(f"illegal -t value {text[:60]!r}: expected [[CC]YY]MMDDhhmm[.SS]") from None
            found.append((field, one))
        return found

    def found(self) -> list[Job]:
        """The jobs that fit."""
        given, past = self.given, self.given.flag("x") or self.given.flag("H")
        asked: dict[str, Any] = {"include_ended": True} if past else {}
        if given.flag("u"):
            asked["users"] = [name.partition("@")[0] for name in given.one("u").split(",") if name]
        queue = given.one("q").partition("@")[0]
        if queue:
            asked["queues"] = [queue]
        if given.flag("N"):
            asked["name"] = given.one("N")
        fields = _FIELDS if given.flag("l") or given.flag("P") else _FIELDS[:-2]
        jobs_found = [job for job in jobs(self.run, fields, **asked) if self._fits(job)]
        return with_elements(self.run, jobs_found, fields) if given.flag("T") else jobs_found

    def _fits(self, job: Job) -> bool:
        given = self.given
        plain = (
            (not given.flag("A") or job.account == given.one("A"))
            and (not given.flag("r") or job.may_run_again is (given.one("r") == "y"))
            and (not given.flag("s") or letter(job, self.torque) in given.one("s"))
            and (not given.flag("J") or job.is_array)
            and (not given.flag("H") or job.over)
            and (not given.flag("h") or hold_types(job.holds) == given.one("h"))
            and (not given.flag("P") or of(job).attributes.get("project", _NO_PROJECT) == given.one("P"))
        )
        return plain and self._compares(job)

    def _compares(self, job: Job) -> bool:
        if self.priority is not None and not fits(str(job.user_priority), self.priority):
            return False
        for field, condition in self.times:
            value = job.spec.get(field, job.answer.get(field))
            if value is None or not fits(str(value), condition):
                return False
        shown = resource_list(job, of(job), self.torque) if self.resources else {}
        return all(one.name in shown and fits(str(shown[one.name]), one) for one in self.resources)
