"""Which parts of jobs a listing has: fields of Job, and of its specification each field, and each variable.

A listing of thousands of jobs is asked for often, and one variable of each is not worth all of them.
"""

from collections.abc import Sequence
from typing import Any

from molokini.model.errors import BadValue
from molokini.model.job_specs import FIELDS, SECRET, JobSpec
from molokini.server.state.jobs import Job
from molokini.server.translate import EVERY_FIELD, without_fields

_SPEC, _VARIABLES, _ENVIRONMENT = "spec.", "environment", "spec.environment."
_AT_HAND = frozenset(("name", "queue", "account", "estimate_s"))
"""Fields of the specification that a job has beside it, as they are there."""


class Fields:
    """What *names* (of ListJobsRequest.fields) ask for. BadValue for a name of nothing."""

    def __init__(self, names: Sequence[str]) -> None:
        self._all_but_large = not names
        self._of_spec, self._variables = set[str](), set[str]()
        wanted = set[str]()
        for name in names:
            if name.startswith(_ENVIRONMENT) and len(name) > len(_ENVIRONMENT):
                self._variables.add(name.removeprefix(_ENVIRONMENT))
            elif name in EVERY_FIELD:
                wanted.add(name)
            elif name.startswith(_SPEC) and name.removeprefix(_SPEC) in FIELDS:
                self._of_spec.add(name.removeprefix(_SPEC))
            else:
                raise BadValue(
                    "fields", name[:60], "names of fields of Job, spec.FIELD, spec.environment.NAME"
                )
        self._whole = "spec" in wanted
        if self._of_spec or self._variables:
            wanted.add("spec")
        self.wanted = frozenset(wanted) if names else EVERY_FIELD
        """Fields of Job that are to be made."""

    def spec_of(self, job: Job, readable: bool) -> JobSpec:
        """The specification of *job* as far as the caller asks for it; *readable*: script and variables, too.

        Its text is read only where it must be.
        """
        if self._all_but_large or self._whole:
            return without_fields(job.spec, SECRET if self._all_but_large or not readable else ())
        if not self._variables and self._of_spec <= _AT_HAND:
            found: Any = {name: value for name in self._of_spec if (value := getattr(job, name))}
        else:
            spec = job.spec
            found = {name: value for name, value in spec.items() if name in self._of_spec}
            if not readable:
                found = without_fields(found, SECRET)
            elif self._variables and _VARIABLES not in found:
                given = spec.get("environment", {})
                if some := {name: given[name] for name in self._variables if name in given}:
                    found[_VARIABLES] = some
        made: JobSpec = found
        return made
