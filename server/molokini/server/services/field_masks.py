"""Which parts of jobs a listing has: fields of Job, and of its specification each field, and each variable.

A listing of thousands of jobs is asked for often, and one variable of each is not worth all of them.
"""

from collections.abc import Sequence

from molokini.model.errors import BadValue
from molokini.model.facts import Spec
from molokini.proto.v1 import jobs_pb2
from molokini.server.state.jobs import Job
from molokini.server.translate import EVERY_FIELD, LARGE

_OF_SPEC = frozenset(jobs_pb2.JobSpec.DESCRIPTOR.fields_by_name)
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
            elif name.startswith(_SPEC) and name.removeprefix(_SPEC) in _OF_SPEC:
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

    def spec_of(self, job: Job, readable: bool) -> Spec:
        """The specification of *job* as far as the caller asks for it; *readable*: script and variables, too.

        Its text is read only where it must be.
        """
        if self._all_but_large or self._whole:
            spec = job.spec
            if self._all_but_large or not readable:
                for name in LARGE:
                    spec.pop(name, None)
            return spec
        if not self._variables and self._of_spec <= _AT_HAND:
            return {name: value for name in self._of_spec if (value := getattr(job, name))}
        spec = job.spec
        found = {name: spec[name] for name in self._of_spec if name in spec}
        if not readable:
            for name in LARGE:
                found.pop(name, None)
        elif self._variables and _VARIABLES not in found:
            given = spec.get(_VARIABLES, {})
            if some := {name: given[name] for name in self._variables if name in given}:
                found[_VARIABLES] = some
        return found
