"""The jobs that ``qstat`` shows, and how."""

from __future__ import annotations

import sys

from molokini.compat._types import Any, Invocation, Iterator, Job, Values
from molokini.compat.listing import jobs
from molokini.compat.pbs import explaining
from molokini.compat.pbs.details import FIELDS, attributes, comment_of
from molokini.compat.pbs.dialect import KEEP_COMPLETED_S, PRO_VERSION
from molokini.compat.pbs.failing import FINISHED, UNKNOWN_QUEUE, code_of, line
from molokini.compat.pbs.finding import GOES_ON, Complaints, listed, named, with_elements
from molokini.compat.pbs.hosts import exec_host
from molokini.compat.pbs.ids import name_of
from molokini.compat.pbs.printing import delimited, json_text, lines, xml_text
from molokini.compat.pbs.server import here_is, server_name
from molokini.compat.pbs.states import letter
from molokini.compat.pbs.tables import OF_LINES, OF_REQUESTS, Plain, Requests
from molokini.compat.pbs.times import short_clock

_ALTERNATE = "ainrsGMHTu"
"""Options with which the table of what was asked for is printed."""
_RUNNING, _FEW = ("RUNNING", "SUSPENDED"), 10
"""So many jobs are asked why they wait by ``-f``, which names all attributes."""


def show(run: Invocation, given: Values, torque: bool) -> int:
    """Print the jobs; the exit code."""
    view = _View(run, given, torque)
    found = view.jobs()
    if given.flag("f") or (torque and given.flag("x")):
        view.show_all(found)
    else:
        view.show_table(found)
    return view.complaints.code


class _View:
    def __init__(self, run: Invocation, given: Values, torque: bool) -> None:
        self.run, self.given, self.torque = run, given, torque
        self.complaints = Complaints(run)
        self.server = server_name(run)
        self.xml = torque and given.flag("x")
        self.full = given.flag("f") or self.xml
        self.past = (given.flag("x") and not torque) or given.flag("H")
        self.alternate = any(given.flag(name) for name in _ALTERNATE)
        self.fields = self._fields()
        self._now_s = -1.0

    def _fields(self) -> tuple[str, ...]:
        """What is needed of jobs; a listing of thousands takes as long as what it carries."""
        if self.full:
            return FIELDS
        found = OF_REQUESTS if self.alternate or self.given.flag("p") else OF_LINES
        return (*found, "spec.array") if self.given.flag("t") else found

    # Which.

    def jobs(self) -> list[Job]:
        """The jobs that the command line asks for."""
        ids, queues, everything = self._split()
        found = self._named(ids)
        if everything or queues:
            known = {(job.id, job.index) for job in found}
            found += [job for job in self._all(queues) if (job.id, None) not in known]
        found = [job for job in found if self._fits(job)]
        return with_elements(self.run, found, self.fields) if self.given.flag("t") else found

    def _split(self) -> tuple[list[str], list[str], bool]:
        """Ids, queues, and whether all jobs of the server are meant."""
        ids, queues, everything = [], [], not self.given.words
        for word in self.given.words:
            name, at, server = word.partition("@")
            if word[:1].isdigit():
                ids.append(word)
            elif at and not here_is(self.server, server):
                self.complaints.tell(f"qstat: cannot connect to server {server} (errno=15010)", 1)
            elif name:
                queues.append(name)
            else:
                everything = True
        return ids, self._known(queues), everything

    def _known(self, queues: list[str]) -> list[str]:
        if not queues:
            return []
        answer = self.run.transport.call("ClusterService", "ListQueues", {})
        known = [queue["name"] for queue in answer.get("queues", ())]
        for name in queues:
            if name not in known:
                self.complaints.tell(line(self.run, UNKNOWN_QUEUE, name), code_of(UNKNOWN_QUEUE))
        return [name for name in queues if name in known]

    def _named(self, ids: list[str]) -> list[Job]:
        wanted = named(self.run, ids, self.complaints)
        found = []
        for job in listed(self.run, wanted, self.fields, self.complaints):
            if not job.over or self.past or job.answer.get(GOES_ON):
                found.append(job)
            elif self.torque:
                if self._recent(job):
                    found.append(job)
                else:
                    self.complaints.unknown(name_of(job, self.server))
            else:
                text = "Job has finished, use -x or -H to obtain historical job information"
                self.complaints.tell(f"qstat: {name_of(job, self.server)} {text}", code_of(FINISHED))
        return found

    def _all(self, queues: list[str]) -> Iterator[Job]:
        asked: dict[str, Any] = {"queues": queues} if queues else {}
        if users := self._users():
            asked["users"] = users
        if self.past or self.torque:
            asked["include_ended"] = True
        if not self.past and self.torque:
            asked["ended_since_s"] = max(0.0, self._now() - KEEP_COMPLETED_S)
        for job in jobs(self.run, self.fields, **asked):
            if self.past or not job.over or self._recent(job):
                yield job

    def _users(self) -> list[str]:
        return [name.partition("@")[0] for name in self.given.one("u").split(",") if name]

    def _recent(self, job: Job) -> bool:
        """Whether Torque would still list it."""
        return self._now() - _end_s(job) <= KEEP_COMPLETED_S

    def _now(self) -> float:
        """The server's clock; it is asked for once."""
        if self._now_s < 0:
            self._now_s = float(self.run.transport.call("ClusterService", "GetClock", {}).get("now_s", 0.0))
        return self._now_s

    def _fits(self, job: Job) -> bool:
        given, users = self.given, self._users()
        if users and job.user not in users:
            return False
        if given.flag("J") and not job.is_array:
            return False
        if given.flag("H") and not job.over:
            return False
        if given.flag("r") and job.state not in _RUNNING:
            return False
        return not given.flag("i") or not (job.over or job.state in _RUNNING)

    # How.

    def show_all(self, found: list[Job]) -> None:
        """All attributes."""
        made = [(name_of(job, self.server), self._attributes(job, len(found))) for job in found]
        if self.xml:
            text = xml_text(made)
            sys.stdout.write(f"{text}\n" if text else "")
        elif self.given.one("F") == "json":
            sys.stdout.write(json_text(self._document(dict(made))) + "\n")
        elif self.given.one("F") == "dsv":
            for name, one in made:
                self.run.say(delimited(f"Job Id: {name}", one, self.given.one("D", "|")))
        else:
            wraps = not (self.given.flag("w") or self.given.flag("1"))
            for name, one in made:
                sys.stdout.write("\n".join([f"Job Id: {name}", *lines(one, wraps), "", ""]))

    def _attributes(self, job: Job, count: int) -> dict[str, Any]:
        comment = explaining.comment(self.run, job) if count <= _FEW else ""
        return attributes(job, self.server, self.torque, comment, bool(job.answer.get(GOES_ON)))

    def _document(self, found: dict[str, Any]) -> dict[str, Any]:
        import time

        document = {
            "timestamp": int(time.time()),
            "pbs_version": PRO_VERSION,
            "pbs_server": self.server,
        }
        return {**document, "Jobs": found} if found else document

    def show_table(self, found: list[Job]) -> None:
        """A line for each job, and further ones below it."""
        given = self.given
        table: Plain | Requests
        if self.alternate:
            unit = "gb" if given.flag("G") else "mw" if given.flag("M") else ""
            start = self._start if given.flag("T") else None
            table = Requests(self.server, given.flag("w"), unit, start)
        else:
            table = Plain(self.server, self.torque, given.flag("w"), given.flag("p"))
        if found:
            made = table.titles()
            for job in found:
                made += self._lines(job, table)
            sys.stdout.write("\n".join([*made, ""]))

    def _lines(self, job: Job, table: Plain | Requests) -> list[str]:
        made = [table.line(job, letter(job, self.torque, bool(job.answer.get(GOES_ON))))]
        more = []
        if self.given.flag("n"):
            more.append(exec_host(job.nodes, self.torque) or "--")
        if self.given.flag("s"):
            more.append(explaining.comment(self.run, job) or comment_of(job) or "--")
        if self.given.flag("1"):
            return [" ".join([*made, *more])]
        return [*made, *(f"   {text}" for text in more)]

    def _start(self, job: Job) -> str:
        """When a job is expected to start, from now on."""
        if job.reserved_s is None or job.start_s is not None:
            return "--"
        if self._now_s < 0:
            self._now_s = self.run.transport.call("ClusterService", "GetClock", {}).get("now_s", 0.0)
        return short_clock(job.reserved_s - self._now_s)


def _end_s(job: Job) -> float:
    return job.submitted_s if job.end_s is None else job.end_s
