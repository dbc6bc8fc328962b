"""Orders of an outside scheduler: each is a command of its user, checked and journalled like any other."""

import signal
from collections.abc import Awaitable, Callable
from typing import Any

from molokini.model.errors import MolokiniError
from molokini.model.job_specs import JobSpec, Resources
from molokini.server.caller_errors import text_for_caller
from molokini.server.security.permissions import Action, require
from molokini.server.security.roles import Caller
from molokini.server.server import Server
from molokini.server.turn.changing import Alter, Cancel, NoSuchJob, Requeue, Signal
from molokini.server.turn.command import Command
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.starting import StartJob
from molokini.server.wiki.messages import (
    BAD_REQUEST,
    NOT_SUPPORTED,
    REFUSED,
    Request,
    WikiError,
    done,
)
from molokini.server.wiki.object_names import job_named, tasks_by_node

_ENDS = {"ADMIN": "by its administrator", "WALLCLOCK": "wall clock limit", "TIMEOUT": "wall clock limit"}
"""Why a job is cancelled, by TYPE."""
_LONGEST_REASON = 500
_NOT_OURS = frozenset({"JOBADDTASK", "JOBRELEASETASK", "JOBREMOVETASK", "NOTIFYJOB", "JOBWILLRUN"})
"""Orders that the protocol has, and this server has not."""


class Orders:
    """Carries out what *who*, the outside scheduler, orders."""

    def __init__(self, server: Server, who: Caller) -> None:
        self._server, self._who = server, who
        self._by_name: dict[str, tuple[Action, Callable[[Request], Awaitable[str]]]] = {
            "STARTJOB": (Action.START, self._start),
            "CANCELJOB": (Action.CANCEL, self._cancel),
            "SUSPENDJOB": (Action.SUSPEND, self._suspend),
            "RESUMEJOB": (Action.RESUME, self._resume),
            "REQUEUEJOB": (Action.REQUEUE, self._requeue),
            "MODIFYJOB": (Action.ALTER, self._modify),
            "SIGNALJOB": (Action.SIGNAL, self._signal),
        }

    async def answer(self, request: Request) -> str:
        """Carry out *request*: what is answered. WikiError where it is refused, with its code."""
        if request.command in _NOT_OURS:
            raise WikiError(NOT_SUPPORTED, f"{request.command} is not supported")
        if request.command not in self._by_name:
            raise WikiError(BAD_REQUEST, f"no such command: {request.command[:40]}")
        action, carry_out = self._by_name[request.command]
        number, index = job_named(request.argument)
        try:
            job = self._server.state.known(number)
            if job is None:
                raise NoSuchJob(number, index)
            require(self._who, action, job.user, self._server.settings.privacy, number)
            how = await carry_out(request)
        except WikiError:
            raise
        except MolokiniError as error:
            raise WikiError(REFUSED, text_for_caller(error)) from None
        return done(f"job {request.argument} {how}")

    async def _post(self, command: Command) -> Any:
        return await self._server.reactor.post(command)

    async def _start(self, request: Request) -> str:
        tasks = tasks_by_node(_said(request, "TASKLIST"))
        policy, reason = self._server.reactor.running_policy, _comment(request)
        await self._post(StartJob(*job_named(request.argument), self._who.name, policy, reason, tasks=tasks))
        return "started successfully"

    async def _cancel(self, request: Request) -> str:
        kind = _said(request, "TYPE").upper()
        if kind not in _ENDS:
            raise WikiError(BAD_REQUEST, f"TYPE is one of {', '.join(_ENDS)}")
        reason = _comment(request) or f"cancelled by {self._who.name}: {_ENDS[kind]}"
        await self._post(Cancel(*job_named(request.argument), self._who.name, reason))
        return "cancelled successfully"

    async def _suspend(self, request: Request) -> str:
        await self._post(SuspendJob(*job_named(request.argument), self._who.name, _comment(request)))
        return "suspended successfully"

    async def _resume(self, request: Request) -> str:
        await self._post(ResumeJob(*job_named(request.argument), self._who.name, _comment(request)))
        return "resumed successfully"

    async def _requeue(self, request: Request) -> str:
        await self._post(Requeue(*job_named(request.argument), self._who.name, _comment(request)))
        return "requeued successfully"

    async def _modify(self, request: Request) -> str:
        number, _ = job_named(request.argument)
        changes = changes_of(
            request, self._server.state.jobs[number].spec if number in self._server.state.jobs else {}
        )
        await self._post(Alter(number, self._who.name, changes, self._server.settings.limits, True))
        return "modified successfully"

    async def _signal(self, request: Request) -> str:
        number, index = job_named(request.argument)
        value = signal_of(_said(request, "VALUE"))
        for element in await self._post(Signal(number, index, self._who.name, value)):
            self._server.hub.signal(element, value, self._server.state.present_s())
        return "signalled"


def _said(request: Request, key: str) -> str:
    found = request.more.get(key, "")
    if not found:
        raise WikiError(BAD_REQUEST, f"{request.command} needs {key}=")
    return found


def _comment(request: Request) -> str:
    return request.more.get("COMMENT", "")[:_LONGEST_REASON]


def signal_of(text: str) -> int:
    """The signal called *text*: a number, NAME or SIGNAME. WikiError where there is none."""
    if text.isascii() and text.isdigit() and len(text) <= 3:
        return int(text)
    name = text.upper() if text.upper().startswith("SIG") else f"SIG{text.upper()}"
    found = signal.Signals.__members__.get(name)
    if found is None:
        raise WikiError(BAD_REQUEST, f"no such signal: {text[:20]}")
    return int(found)


def changes_of(request: Request, before: JobSpec) -> JobSpec:
    """What MODIFYJOB changes of a job that is *before*. WikiError for what cannot be changed so."""
    changes: JobSpec = {}
    resources: Resources = {**before.get("resources", {})}
    for key, value in request.more.items():
        if key in _TEXTS:
            changes.update(_TEXTS[key](value))
        elif key == "TIMELIMIT":
            changes["estimate_s"] = float(_whole(key, value))
        elif key == "MINSTARTTIME":
            changes["begin_at_s"] = float(_whole(key, value))
        elif key == "RFEATURES":
            changes["resources"] = resources = {**resources, "features": [f for f in value.split(":") if f]}
        elif key == "NODES":
            changes["resources"] = resources = _with_nodes(resources, _whole(key, value))
        else:
            known = ", ".join(sorted({*_TEXTS, "TIMELIMIT", "MINSTARTTIME", "RFEATURES", "NODES"}))
            raise WikiError(BAD_REQUEST, f"MODIFYJOB changes {known}, and not {key[:20]}")
    if not changes:
        raise WikiError(BAD_REQUEST, "MODIFYJOB says nothing that is to be changed")
    return changes


_TEXTS: dict[str, Callable[[str], JobSpec]] = {
    "BANK": lambda text: {"account": text},
    "COMMENT": lambda text: {"comment": text},
    "JOBNAME": lambda text: {"name": text},
    "PARTITION": lambda text: {"queue": text},
}


def _whole(key: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 15):
        raise WikiError(BAD_REQUEST, f"{key} is a whole number")
    return int(value)


def _with_nodes(resources: Resources, nodes: int) -> Resources:
    """On so many nodes, with as many processors on each as before where that was said."""
    rest: Resources = {**resources}
    rest.pop("nodes", 0)
    processors = rest.pop("processors", nodes)
    if resources.get("processors_per_node"):
        return {**rest, "nodes": nodes}
    return {**rest, "nodes": nodes, "processors": processors}
