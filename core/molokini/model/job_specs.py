"""What a user asks for: the fields of a job specification, each declared once.

A ``JobSpec`` holds the fields that are set, by their names on the wire and in the journal, and no others: in
memory it is what is sent, kept and altered, so that nothing translates one into the other (decision 50).
Ranges, lengths, who may see a field, whether it can be altered, what documents have of it and
``docs/job-fields.md`` follow from the declarations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from math import nextafter
from typing import Annotated, Any, Final, TypedDict, get_type_hints

LATEST_S: Final = 2.0**43


class Length(Enum):
    """How many characters a text may have."""

    SHORT = "limits.text_characters"
    LONG = 4096
    KEY = 128


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that a field may hold."""

    least: float
    most: float
    words: str
    """The same for users."""

    def holds(self, value: float) -> bool:
        """Whether it is one of these."""
        return self.least <= value <= self.most


class Shown(Enum):
    """Where the document of a job has a field."""

    LINE = "molokini.jobs/1"
    WHOLE = "molokini.job/1"
    NOWHERE = "-"


@dataclass(frozen=True, slots=True)
class Field:
    """What a field is beside its type."""

    text: str
    """What it says, for users."""
    unit: str = ""
    length: Length | None = None
    """Of each of its texts, which then hold no control characters; None: another check bounds it."""
    range: Range | None = None
    shown: Shown = Shown.WHOLE
    secret: bool = False
    """Whether only those see it who may read the job; listings leave it out unless asked."""
    own: bool = False
    """Whether jobs of one batch mostly differ in it."""
    altered: bool = False
    """Whether AlterJob changes it."""
    altered_late: bool = True
    """Whether it does so while the job runs, too."""


INSTANT: Final = Range(0.0, nextafter(LATEST_S, 0.0), "an instant from 0 to 2^43 seconds")
_SPAN: Final = Range(0.0, LATEST_S, "from 0 to 2^43 seconds")


class Resources(TypedDict, total=False):
    """Processors and more, for the whole job or per node."""

    processors: int
    nodes: int
    processors_per_node: int
    memory_kb: int
    """A processor."""
    generic: dict[str, int]
    """A task."""
    licenses: dict[str, int]
    """Of the whole job."""
    features: list[str]
    constraint: str
    """Features as one expression (``model.constraints``)."""
    components: list[int]
    request: str


class ArraySpec(TypedDict, total=False):
    """Which elements an array has; of an accepted job all fields are set."""

    first: int
    last: int
    step: int
    running_limit: int
    indices: list[int]
    """In ascending order, where they are no progression; else not there."""
    own_numbers: bool
    """Whether elements get numbers of their own; not there where they do not."""


class Dependency(TypedDict, total=False):
    """A condition on another job of the same user."""

    kind: str
    job_id: int
    array_index: int
    elementwise: bool
    group: int
    negated: bool
    delay_s: float
    comparison: str
    value: int


class Outcome(TypedDict, total=False):
    """What an emulated node pretends."""

    run_s: Annotated[float, Field("Seconds of work before its end", "s", range=_SPAN)]
    exit_code: Annotated[int, Field("Exit code", range=Range(0, 255, "from 0 to 255"))]
    signal: Annotated[int, Field("Signal that ends it", range=Range(0, 64, "from 0 to 64"))]
    memory_kb: Annotated[int, Field("Memory used", "kB", range=Range(0, 2**53, "from 0 to 2^53 kilobytes"))]
    node_dies_after_s: Annotated[float, Field("When its first node is lost", "s", range=_SPAN)]
    never_starts: Annotated[bool, Field("Whether the launch fails", range=Range(0, 1, "true or false"))]


class Divisible(TypedDict, total=False):
    """A load that can be cut anywhere; of an accepted job all costs are set, and no deadline."""

    load: float
    send_s: float
    compute_s: float
    setup_send_s: float
    setup_compute_s: float
    deadline_after_s: float


class Communication(TypedDict, total=False):
    """Messages between the processes of a job; of an accepted job all fields are set."""

    pattern: str
    inside_s: float
    between_s: float


class JobSpec(TypedDict, total=False):
    """A job as its user asks for it; what is not set is not there. A new field also needs one on the wire."""

    name: Annotated[str, Field("Name", length=Length.SHORT, shown=Shown.LINE, own=True, altered=True)]
    queue: Annotated[
        str,
        Field("Queue", length=Length.SHORT, shown=Shown.LINE, altered=True, altered_late=False),
    ]
    further_queues: Annotated[
        list[str],
        Field("Queues beside it in which it may start", shown=Shown.LINE, altered=True, altered_late=False),
    ]
    account: Annotated[str, Field("Account", length=Length.SHORT, shown=Shown.LINE, altered=True)]
    group: Annotated[
        str, Field("Group for which it runs", length=Length.SHORT, shown=Shown.LINE, altered=True)
    ]
    qos: Annotated[str, Field("Quality of service", length=Length.SHORT, shown=Shown.LINE, altered=True)]
    resources: Annotated[
        Resources,
        Field("Processors, nodes, memory and more", shown=Shown.LINE, altered=True, altered_late=False),
    ]
    estimate_s: Annotated[
        float,
        Field("Work after which it is ended", "s", shown=Shown.LINE, own=True, altered=True),
    ]
    least_estimate_s: Annotated[
        float,
        Field(
            "Work after which it may be ended at the earliest, where its start shortens its estimate",
            "s",
            range=_SPAN,
            altered=True,
            altered_late=False,
        ),
    ]
    argv: Annotated[list[str], Field("Command and its arguments", own=True)]
    script: Annotated[str, Field("Script", secret=True, own=True)]
    environment: Annotated[dict[str, str], Field("Environment variables", secret=True)]
    annotations: Annotated[dict[str, str], Field("What a client keeps with the job for itself", secret=True)]
    working_directory: Annotated[str, Field("Working directory", length=Length.LONG, own=True)]
    stdin_path: Annotated[str, Field("File of standard input", length=Length.LONG, own=True)]
    stdout_path: Annotated[str, Field("File of standard output", length=Length.LONG, own=True)]
    stderr_path: Annotated[str, Field("File of standard error", length=Length.LONG, own=True)]
    begin_at_s: Annotated[
        float, Field("Instant before which it waits", "s", range=INSTANT, altered=True, altered_late=False)
    ]
    deadline_s: Annotated[
        float, Field("Instant by which it is to have ended", "s", range=INSTANT, altered=True)
    ]
    user_priority: Annotated[
        int,
        Field(
            "Priority among its user's jobs",
            range=Range(-1024, 1023, "from -1024 to 1023"),
            shown=Shown.LINE,
            altered=True,
        ),
    ]
    system_priority: Annotated[
        int,
        Field(
            "Added by operators to its priority; from 10^9 on in place of it",
            range=Range(-(10**9), 2 * 10**9, "from -1,000,000,000 to 2,000,000,000"),
            shown=Shown.NOWHERE,
            altered=True,
        ),
    ]
    dependencies: Annotated[
        list[Dependency], Field("Conditions on other jobs", altered=True, altered_late=False)
    ]
    keep_if_never_met: Annotated[
        bool,
        Field(
            "Whether it goes on waiting where a condition can never be met", altered=True, altered_late=False
        ),
    ]
    held: Annotated[bool, Field("Whether it is held from the start", shown=Shown.NOWHERE)]
    array: Annotated[ArraySpec, Field("Elements of an array; running_limit alone is altered", altered=True)]
    requeue: Annotated[bool, Field("Whether it may run again", altered=True)]
    first_node_alone: Annotated[bool, Field("Whether it is started on its first real node alone")]
    keep_going: Annotated[bool, Field("Whether the rest goes on when one node's part has failed")]
    mail_events: Annotated[list[str], Field("Events of which its user wants mail")]
    mail_to: Annotated[list[str], Field("Addresses for mail")]
    notify: Annotated[str, Field("Whom or what else to notify", length=Length.SHORT)]
    comment: Annotated[str, Field("Any remark", length=Length.LONG, own=True, altered=True)]
    submission_key: Annotated[
        str, Field("Key by which a second submission is known", length=Length.KEY, own=True)
    ]
    outcome: Annotated[Outcome, Field("What an emulated node pretends")]
    divisible: Annotated[Divisible, Field("A load that can be cut")]
    communication: Annotated[Communication, Field("How its processes talk to each other")]
    rate: Annotated[
        str, Field("Rate at which it is to go, of a program that reports iterations", length=Length.KEY)
    ]
    full_rate: Annotated[
        float,
        Field(
            "Its full rate", "iterations/s", range=Range(1e-9, 1e9, "from 1e-9 to 1e9 iterations a second")
        ),
    ]
    work: Annotated[
        int,
        Field(
            "Iterations to be done by its deadline, where the rate has bounds",
            range=Range(1, 2**53, "from 1 to 2^53 iterations"),
        ),
    ]
    full_use: Annotated[
        float,
        Field(
            "What it uses of its busiest processor at its full rate",
            range=Range(0.01, 1.0, "from 0.01 to 1"),
        ),
    ]
    measure_full_use: Annotated[bool, Field("Whether that is measured when it starts")]


def _declared(record: Any) -> dict[str, Field]:
    hints = get_type_hints(record, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


FIELDS: Final[Mapping[str, Field]] = _declared(JobSpec)
"""The fields by name, in the order of documents."""
OF_OUTCOME: Final[Mapping[str, Field]] = _declared(Outcome)
SECRET: Final = tuple(name for name, field in FIELDS.items() if field.secret)
"""Fields that listings leave out unless they are asked for, and that not all callers get."""
