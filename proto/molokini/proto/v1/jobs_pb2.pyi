from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class JobState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOB_STATE_UNSPECIFIED: _ClassVar[JobState]
    HELD: _ClassVar[JobState]
    WAITING: _ClassVar[JobState]
    RUNNING: _ClassVar[JobState]
    SUSPENDED: _ClassVar[JobState]
    COMPLETED: _ClassVar[JobState]
    FAILED: _ClassVar[JobState]
    TIMED_OUT: _ClassVar[JobState]
    CANCELLED: _ClassVar[JobState]
    NODE_LOST: _ClassVar[JobState]
    REFUSED: _ClassVar[JobState]

class Hold(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOLD_UNSPECIFIED: _ClassVar[Hold]
    HOLD_USER: _ClassVar[Hold]
    HOLD_OPERATOR: _ClassVar[Hold]
    HOLD_SYSTEM: _ClassVar[Hold]
JOB_STATE_UNSPECIFIED: JobState
HELD: JobState
WAITING: JobState
RUNNING: JobState
SUSPENDED: JobState
COMPLETED: JobState
FAILED: JobState
TIMED_OUT: JobState
CANCELLED: JobState
NODE_LOST: JobState
REFUSED: JobState
HOLD_UNSPECIFIED: Hold
HOLD_USER: Hold
HOLD_OPERATOR: Hold
HOLD_SYSTEM: Hold

class JobSpec(_message.Message):
    __slots__ = ("name", "argv", "script", "environment", "working_directory", "stdin_path", "stdout_path", "stderr_path", "resources", "estimate_s", "least_estimate_s", "queue", "further_queues", "account", "qos", "user_priority", "begin_at_s", "deadline_s", "dependencies", "keep_if_never_met", "held", "array", "requeue", "mail_events", "mail_to", "notify", "comment", "submission_key", "outcome", "system_priority", "group", "divisible", "communication", "first_node_alone", "keep_going", "annotations", "rate", "full_rate", "work", "full_use", "measure_full_use")
    class EnvironmentEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class AnnotationsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGV_FIELD_NUMBER: _ClassVar[int]
    SCRIPT_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    WORKING_DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    STDIN_PATH_FIELD_NUMBER: _ClassVar[int]
    STDOUT_PATH_FIELD_NUMBER: _ClassVar[int]
    STDERR_PATH_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    ESTIMATE_S_FIELD_NUMBER: _ClassVar[int]
    LEAST_ESTIMATE_S_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    FURTHER_QUEUES_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    QOS_FIELD_NUMBER: _ClassVar[int]
    USER_PRIORITY_FIELD_NUMBER: _ClassVar[int]
    BEGIN_AT_S_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_S_FIELD_NUMBER: _ClassVar[int]
    DEPENDENCIES_FIELD_NUMBER: _ClassVar[int]
    KEEP_IF_NEVER_MET_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    ARRAY_FIELD_NUMBER: _ClassVar[int]
    REQUEUE_FIELD_NUMBER: _ClassVar[int]
    MAIL_EVENTS_FIELD_NUMBER: _ClassVar[int]
    MAIL_TO_FIELD_NUMBER: _ClassVar[int]
    NOTIFY_FIELD_NUMBER: _ClassVar[int]
    COMMENT_FIELD_NUMBER: _ClassVar[int]
    SUBMISSION_KEY_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_PRIORITY_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    DIVISIBLE_FIELD_NUMBER: _ClassVar[int]
    COMMUNICATION_FIELD_NUMBER: _ClassVar[int]
    FIRST_NODE_ALONE_FIELD_NUMBER: _ClassVar[int]
    KEEP_GOING_FIELD_NUMBER: _ClassVar[int]
    ANNOTATIONS_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    FULL_RATE_FIELD_NUMBER: _ClassVar[int]
    WORK_FIELD_NUMBER: _ClassVar[int]
    FULL_USE_FIELD_NUMBER: _ClassVar[int]
    MEASURE_FULL_USE_FIELD_NUMBER: _ClassVar[int]
    name: str
    argv: _containers.RepeatedScalarFieldContainer[str]
    script: str
    environment: _containers.ScalarMap[str, str]
    working_directory: str
    stdin_path: str
    stdout_path: str
    stderr_path: str
    resources: Resources
    estimate_s: float
    least_estimate_s: float
    queue: str
    further_queues: _containers.RepeatedScalarFieldContainer[str]
    account: str
    qos: str
    user_priority: int
    begin_at_s: float
    deadline_s: float
    dependencies: _containers.RepeatedCompositeFieldContainer[Dependency]
    keep_if_never_met: bool
    held: bool
    array: ArraySpec
    requeue: bool
    mail_events: _containers.RepeatedScalarFieldContainer[str]
    mail_to: _containers.RepeatedScalarFieldContainer[str]
    notify: str
    comment: str
    submission_key: str
    outcome: Outcome
    system_priority: int
    group: str
    divisible: Divisible
    communication: Communication
    first_node_alone: bool
    keep_going: bool
    annotations: _containers.ScalarMap[str, str]
    rate: str
    full_rate: float
    work: int
    full_use: float
    measure_full_use: bool
    def __init__(self, name: _Optional[str] = ..., argv: _Optional[_Iterable[str]] = ..., script: _Optional[str] = ..., environment: _Optional[_Mapping[str, str]] = ..., working_directory: _Optional[str] = ..., stdin_path: _Optional[str] = ..., stdout_path: _Optional[str] = ..., stderr_path: _Optional[str] = ..., resources: _Optional[_Union[Resources, _Mapping]] = ..., estimate_s: _Optional[float] = ..., least_estimate_s: _Optional[float] = ..., queue: _Optional[str] = ..., further_queues: _Optional[_Iterable[str]] = ..., account: _Optional[str] = ..., qos: _Optional[str] = ..., user_priority: _Optional[int] = ..., begin_at_s: _Optional[float] = ..., deadline_s: _Optional[float] = ..., dependencies: _Optional[_Iterable[_Union[Dependency, _Mapping]]] = ..., keep_if_never_met: bool = ..., held: bool = ..., array: _Optional[_Union[ArraySpec, _Mapping]] = ..., requeue: bool = ..., mail_events: _Optional[_Iterable[str]] = ..., mail_to: _Optional[_Iterable[str]] = ..., notify: _Optional[str] = ..., comment: _Optional[str] = ..., submission_key: _Optional[str] = ..., outcome: _Optional[_Union[Outcome, _Mapping]] = ..., system_priority: _Optional[int] = ..., group: _Optional[str] = ..., divisible: _Optional[_Union[Divisible, _Mapping]] = ..., communication: _Optional[_Union[Communication, _Mapping]] = ..., first_node_alone: bool = ..., keep_going: bool = ..., annotations: _Optional[_Mapping[str, str]] = ..., rate: _Optional[str] = ..., full_rate: _Optional[float] = ..., work: _Optional[int] = ..., full_use: _Optional[float] = ..., measure_full_use: bool = ...) -> None: ...

class Communication(_message.Message):
    __slots__ = ("pattern", "inside_s", "between_s")
    class Pattern(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PATTERN_UNSPECIFIED: _ClassVar[Communication.Pattern]
        ALL_TO_ALL: _ClassVar[Communication.Pattern]
        BORDERS: _ClassVar[Communication.Pattern]
        ALL_TO_ALL_EACH_SECOND: _ClassVar[Communication.Pattern]
    PATTERN_UNSPECIFIED: Communication.Pattern
    ALL_TO_ALL: Communication.Pattern
    BORDERS: Communication.Pattern
    ALL_TO_ALL_EACH_SECOND: Communication.Pattern
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    INSIDE_S_FIELD_NUMBER: _ClassVar[int]
    BETWEEN_S_FIELD_NUMBER: _ClassVar[int]
    pattern: Communication.Pattern
    inside_s: float
    between_s: float
    def __init__(self, pattern: _Optional[_Union[Communication.Pattern, str]] = ..., inside_s: _Optional[float] = ..., between_s: _Optional[float] = ...) -> None: ...

class Divisible(_message.Message):
    __slots__ = ("load", "send_s", "compute_s", "setup_send_s", "setup_compute_s", "deadline_after_s")
    LOAD_FIELD_NUMBER: _ClassVar[int]
    SEND_S_FIELD_NUMBER: _ClassVar[int]
    COMPUTE_S_FIELD_NUMBER: _ClassVar[int]
    SETUP_SEND_S_FIELD_NUMBER: _ClassVar[int]
    SETUP_COMPUTE_S_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_AFTER_S_FIELD_NUMBER: _ClassVar[int]
    load: float
    send_s: float
    compute_s: float
    setup_send_s: float
    setup_compute_s: float
    deadline_after_s: float
    def __init__(self, load: _Optional[float] = ..., send_s: _Optional[float] = ..., compute_s: _Optional[float] = ..., setup_send_s: _Optional[float] = ..., setup_compute_s: _Optional[float] = ..., deadline_after_s: _Optional[float] = ...) -> None: ...

class Resources(_message.Message):
    __slots__ = ("processors", "nodes", "processors_per_node", "memory_kb", "generic", "features", "constraint", "licenses", "components", "request")
    class Request(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REQUEST_UNSPECIFIED: _ClassVar[Resources.Request]
        ORDERED: _ClassVar[Resources.Request]
        UNORDERED: _ClassVar[Resources.Request]
        FLEXIBLE: _ClassVar[Resources.Request]
        TOTAL: _ClassVar[Resources.Request]
    REQUEST_UNSPECIFIED: Resources.Request
    ORDERED: Resources.Request
    UNORDERED: Resources.Request
    FLEXIBLE: Resources.Request
    TOTAL: Resources.Request
    class GenericEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class LicensesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_PER_NODE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_KB_FIELD_NUMBER: _ClassVar[int]
    GENERIC_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    CONSTRAINT_FIELD_NUMBER: _ClassVar[int]
    LICENSES_FIELD_NUMBER: _ClassVar[int]
    COMPONENTS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    processors: int
    nodes: int
    processors_per_node: int
    memory_kb: int
    generic: _containers.ScalarMap[str, int]
    features: _containers.RepeatedScalarFieldContainer[str]
    constraint: str
    licenses: _containers.ScalarMap[str, int]
    components: _containers.RepeatedScalarFieldContainer[int]
    request: Resources.Request
    def __init__(self, processors: _Optional[int] = ..., nodes: _Optional[int] = ..., processors_per_node: _Optional[int] = ..., memory_kb: _Optional[int] = ..., generic: _Optional[_Mapping[str, int]] = ..., features: _Optional[_Iterable[str]] = ..., constraint: _Optional[str] = ..., licenses: _Optional[_Mapping[str, int]] = ..., components: _Optional[_Iterable[int]] = ..., request: _Optional[_Union[Resources.Request, str]] = ...) -> None: ...

class ArraySpec(_message.Message):
    __slots__ = ("first", "last", "step", "running_limit", "indices", "own_numbers")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    RUNNING_LIMIT_FIELD_NUMBER: _ClassVar[int]
    INDICES_FIELD_NUMBER: _ClassVar[int]
    OWN_NUMBERS_FIELD_NUMBER: _ClassVar[int]
    first: int
    last: int
    step: int
    running_limit: int
    indices: _containers.RepeatedScalarFieldContainer[int]
    own_numbers: bool
    def __init__(self, first: _Optional[int] = ..., last: _Optional[int] = ..., step: _Optional[int] = ..., running_limit: _Optional[int] = ..., indices: _Optional[_Iterable[int]] = ..., own_numbers: bool = ...) -> None: ...

class Dependency(_message.Message):
    __slots__ = ("kind", "job_id", "array_index", "elementwise", "group", "negated", "delay_s", "comparison", "value")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[Dependency.Kind]
        AFTER_OK: _ClassVar[Dependency.Kind]
        AFTER_NOT_OK: _ClassVar[Dependency.Kind]
        AFTER_ANY: _ClassVar[Dependency.Kind]
        AFTER: _ClassVar[Dependency.Kind]
        SINGLETON: _ClassVar[Dependency.Kind]
        ON: _ClassVar[Dependency.Kind]
        COUNT_DONE: _ClassVar[Dependency.Kind]
        COUNT_EXITED: _ClassVar[Dependency.Kind]
        COUNT_ENDED: _ClassVar[Dependency.Kind]
        COUNT_STARTED: _ClassVar[Dependency.Kind]
        COUNT_RUNNING: _ClassVar[Dependency.Kind]
        COUNT_WAITING: _ClassVar[Dependency.Kind]
        COUNT_HELD: _ClassVar[Dependency.Kind]
    KIND_UNSPECIFIED: Dependency.Kind
    AFTER_OK: Dependency.Kind
    AFTER_NOT_OK: Dependency.Kind
    AFTER_ANY: Dependency.Kind
    AFTER: Dependency.Kind
    SINGLETON: Dependency.Kind
    ON: Dependency.Kind
    COUNT_DONE: Dependency.Kind
    COUNT_EXITED: Dependency.Kind
    COUNT_ENDED: Dependency.Kind
    COUNT_STARTED: Dependency.Kind
    COUNT_RUNNING: Dependency.Kind
    COUNT_WAITING: Dependency.Kind
    COUNT_HELD: Dependency.Kind
    class Comparison(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        COMPARISON_UNSPECIFIED: _ClassVar[Dependency.Comparison]
        EQUAL: _ClassVar[Dependency.Comparison]
        NOT_EQUAL: _ClassVar[Dependency.Comparison]
        LESS: _ClassVar[Dependency.Comparison]
        AT_MOST: _ClassVar[Dependency.Comparison]
        MORE: _ClassVar[Dependency.Comparison]
        AT_LEAST: _ClassVar[Dependency.Comparison]
    COMPARISON_UNSPECIFIED: Dependency.Comparison
    EQUAL: Dependency.Comparison
    NOT_EQUAL: Dependency.Comparison
    LESS: Dependency.Comparison
    AT_MOST: Dependency.Comparison
    MORE: Dependency.Comparison
    AT_LEAST: Dependency.Comparison
    KIND_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    ARRAY_INDEX_FIELD_NUMBER: _ClassVar[int]
    ELEMENTWISE_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    NEGATED_FIELD_NUMBER: _ClassVar[int]
    DELAY_S_FIELD_NUMBER: _ClassVar[int]
    COMPARISON_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    kind: Dependency.Kind
    job_id: int
    array_index: int
    elementwise: bool
    group: int
    negated: bool
    delay_s: float
    comparison: Dependency.Comparison
    value: int
    def __init__(self, kind: _Optional[_Union[Dependency.Kind, str]] = ..., job_id: _Optional[int] = ..., array_index: _Optional[int] = ..., elementwise: bool = ..., group: _Optional[int] = ..., negated: bool = ..., delay_s: _Optional[float] = ..., comparison: _Optional[_Union[Dependency.Comparison, str]] = ..., value: _Optional[int] = ...) -> None: ...

class Outcome(_message.Message):
    __slots__ = ("run_s", "exit_code", "signal", "memory_kb", "node_dies_after_s", "never_starts")
    RUN_S_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    MEMORY_KB_FIELD_NUMBER: _ClassVar[int]
    NODE_DIES_AFTER_S_FIELD_NUMBER: _ClassVar[int]
    NEVER_STARTS_FIELD_NUMBER: _ClassVar[int]
    run_s: float
    exit_code: int
    signal: int
    memory_kb: int
    node_dies_after_s: float
    never_starts: bool
    def __init__(self, run_s: _Optional[float] = ..., exit_code: _Optional[int] = ..., signal: _Optional[int] = ..., memory_kb: _Optional[int] = ..., node_dies_after_s: _Optional[float] = ..., never_starts: bool = ...) -> None: ...

class Job(_message.Message):
    __slots__ = ("id", "array_index", "state", "user", "spec", "submitted_s", "eligible_s", "first_start_s", "start_s", "end_s", "work_s", "attempt", "reason", "exit_code", "signal", "memory_used_kb", "holds", "allocation", "elements", "version", "reserved_s", "promise", "chunks", "deadline_met", "expected_end_s", "elapsed_s", "suspended_s", "cpu_s", "read_kb", "written_kb", "memory_all_kb", "rates", "slicing", "achieved", "waiting", "emulated", "cause", "element_number", "ended_by", "priority", "limit_s", "chosen_queue")
    class Cause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CAUSE_UNSPECIFIED: _ClassVar[Job.Cause]
        HOLDS: _ClassVar[Job.Cause]
        DEPENDENCY: _ClassVar[Job.Cause]
        BEGIN_TIME: _ClassVar[Job.Cause]
        QUEUE_LIMIT: _ClassVar[Job.Cause]
        QUEUE_STOPPED: _ClassVar[Job.Cause]
        NO_NODES: _ClassVar[Job.Cause]
        OUT_OF_MEMORY: _ClassVar[Job.Cause]
        DEPENDENCY_NEVER_MET: _ClassVar[Job.Cause]
        AS_DONE: _ClassVar[Job.Cause]
    CAUSE_UNSPECIFIED: Job.Cause
    HOLDS: Job.Cause
    DEPENDENCY: Job.Cause
    BEGIN_TIME: Job.Cause
    QUEUE_LIMIT: Job.Cause
    QUEUE_STOPPED: Job.Cause
    NO_NODES: Job.Cause
    OUT_OF_MEMORY: Job.Cause
    DEPENDENCY_NEVER_MET: Job.Cause
    AS_DONE: Job.Cause
    class ElementsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class RatesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Rate
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Rate, _Mapping]] = ...) -> None: ...
    class AchievedEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Sliced
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Sliced, _Mapping]] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    ARRAY_INDEX_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    SUBMITTED_S_FIELD_NUMBER: _ClassVar[int]
    ELIGIBLE_S_FIELD_NUMBER: _ClassVar[int]
    FIRST_START_S_FIELD_NUMBER: _ClassVar[int]
    START_S_FIELD_NUMBER: _ClassVar[int]
    END_S_FIELD_NUMBER: _ClassVar[int]
    WORK_S_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    MEMORY_USED_KB_FIELD_NUMBER: _ClassVar[int]
    HOLDS_FIELD_NUMBER: _ClassVar[int]
    ALLOCATION_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    RESERVED_S_FIELD_NUMBER: _ClassVar[int]
    PROMISE_FIELD_NUMBER: _ClassVar[int]
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MET_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_END_S_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_S_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_S_FIELD_NUMBER: _ClassVar[int]
    CPU_S_FIELD_NUMBER: _ClassVar[int]
    READ_KB_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_KB_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ALL_KB_FIELD_NUMBER: _ClassVar[int]
    RATES_FIELD_NUMBER: _ClassVar[int]
    SLICING_FIELD_NUMBER: _ClassVar[int]
    ACHIEVED_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    EMULATED_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    ENDED_BY_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_S_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_QUEUE_FIELD_NUMBER: _ClassVar[int]
    id: int
    array_index: int
    state: JobState
    user: str
    spec: JobSpec
    submitted_s: float
    eligible_s: float
    first_start_s: float
    start_s: float
    end_s: float
    work_s: float
    attempt: int
    reason: str
    exit_code: int
    signal: int
    memory_used_kb: int
    holds: _containers.RepeatedScalarFieldContainer[Hold]
    allocation: _containers.RepeatedCompositeFieldContainer[Allocation]
    elements: _containers.ScalarMap[str, int]
    version: int
    reserved_s: float
    promise: Promise
    chunks: Chunks
    deadline_met: bool
    expected_end_s: float
    elapsed_s: float
    suspended_s: float
    cpu_s: float
    read_kb: int
    written_kb: int
    memory_all_kb: int
    rates: _containers.MessageMap[str, Rate]
    slicing: Slicing
    achieved: _containers.MessageMap[str, Sliced]
    waiting: Waiting
    emulated: bool
    cause: Job.Cause
    element_number: int
    ended_by: str
    priority: float
    limit_s: float
    chosen_queue: str
    def __init__(self, id: _Optional[int] = ..., array_index: _Optional[int] = ..., state: _Optional[_Union[JobState, str]] = ..., user: _Optional[str] = ..., spec: _Optional[_Union[JobSpec, _Mapping]] = ..., submitted_s: _Optional[float] = ..., eligible_s: _Optional[float] = ..., first_start_s: _Optional[float] = ..., start_s: _Optional[float] = ..., end_s: _Optional[float] = ..., work_s: _Optional[float] = ..., attempt: _Optional[int] = ..., reason: _Optional[str] = ..., exit_code: _Optional[int] = ..., signal: _Optional[int] = ..., memory_used_kb: _Optional[int] = ..., holds: _Optional[_Iterable[_Union[Hold, str]]] = ..., allocation: _Optional[_Iterable[_Union[Allocation, _Mapping]]] = ..., elements: _Optional[_Mapping[str, int]] = ..., version: _Optional[int] = ..., reserved_s: _Optional[float] = ..., promise: _Optional[_Union[Promise, _Mapping]] = ..., chunks: _Optional[_Union[Chunks, _Mapping]] = ..., deadline_met: bool = ..., expected_end_s: _Optional[float] = ..., elapsed_s: _Optional[float] = ..., suspended_s: _Optional[float] = ..., cpu_s: _Optional[float] = ..., read_kb: _Optional[int] = ..., written_kb: _Optional[int] = ..., memory_all_kb: _Optional[int] = ..., rates: _Optional[_Mapping[str, Rate]] = ..., slicing: _Optional[_Union[Slicing, _Mapping]] = ..., achieved: _Optional[_Mapping[str, Sliced]] = ..., waiting: _Optional[_Union[Waiting, _Mapping]] = ..., emulated: bool = ..., cause: _Optional[_Union[Job.Cause, str]] = ..., element_number: _Optional[int] = ..., ended_by: _Optional[str] = ..., priority: _Optional[float] = ..., limit_s: _Optional[float] = ..., chosen_queue: _Optional[str] = ...) -> None: ...

class Waiting(_message.Message):
    __slots__ = ("rule", "reservation", "reservation_admits", "nodes", "word", "planned_s")
    RULE_FIELD_NUMBER: _ClassVar[int]
    RESERVATION_FIELD_NUMBER: _ClassVar[int]
    RESERVATION_ADMITS_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    WORD_FIELD_NUMBER: _ClassVar[int]
    PLANNED_S_FIELD_NUMBER: _ClassVar[int]
    rule: str
    reservation: str
    reservation_admits: bool
    nodes: _containers.RepeatedScalarFieldContainer[str]
    word: str
    planned_s: float
    def __init__(self, rule: _Optional[str] = ..., reservation: _Optional[str] = ..., reservation_admits: bool = ..., nodes: _Optional[_Iterable[str]] = ..., word: _Optional[str] = ..., planned_s: _Optional[float] = ...) -> None: ...

class Promise(_message.Message):
    __slots__ = ("verdict", "start_s", "processors", "end_s", "deadline_s", "refusal", "earliest_deadline_s")
    class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        VERDICT_UNSPECIFIED: _ClassVar[Promise.Verdict]
        ADMITTED: _ClassVar[Promise.Verdict]
        REFUSED: _ClassVar[Promise.Verdict]
    VERDICT_UNSPECIFIED: Promise.Verdict
    ADMITTED: Promise.Verdict
    REFUSED: Promise.Verdict
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    START_S_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    END_S_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_S_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    EARLIEST_DEADLINE_S_FIELD_NUMBER: _ClassVar[int]
    verdict: Promise.Verdict
    start_s: float
    processors: int
    end_s: float
    deadline_s: float
    refusal: str
    earliest_deadline_s: float
    def __init__(self, verdict: _Optional[_Union[Promise.Verdict, str]] = ..., start_s: _Optional[float] = ..., processors: _Optional[int] = ..., end_s: _Optional[float] = ..., deadline_s: _Optional[float] = ..., refusal: _Optional[str] = ..., earliest_deadline_s: _Optional[float] = ...) -> None: ...

class Chunks(_message.Message):
    __slots__ = ("rule", "chunks", "sent", "computed")
    RULE_FIELD_NUMBER: _ClassVar[int]
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    SENT_FIELD_NUMBER: _ClassVar[int]
    COMPUTED_FIELD_NUMBER: _ClassVar[int]
    rule: str
    chunks: int
    sent: int
    computed: int
    def __init__(self, rule: _Optional[str] = ..., chunks: _Optional[int] = ..., sent: _Optional[int] = ..., computed: _Optional[int] = ...) -> None: ...

class Allocation(_message.Message):
    __slots__ = ("node", "processors", "cluster")
    NODE_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    node: str
    processors: int
    cluster: str
    def __init__(self, node: _Optional[str] = ..., processors: _Optional[int] = ..., cluster: _Optional[str] = ...) -> None: ...

class Rate(_message.Message):
    __slots__ = ("iteration", "per_s", "at_s", "process", "process_cpu_s", "node_cpu_s")
    ITERATION_FIELD_NUMBER: _ClassVar[int]
    PER_S_FIELD_NUMBER: _ClassVar[int]
    AT_S_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    PROCESS_CPU_S_FIELD_NUMBER: _ClassVar[int]
    NODE_CPU_S_FIELD_NUMBER: _ClassVar[int]
    iteration: int
    per_s: float
    at_s: float
    process: int
    process_cpu_s: float
    node_cpu_s: float
    def __init__(self, iteration: _Optional[int] = ..., per_s: _Optional[float] = ..., at_s: _Optional[float] = ..., process: _Optional[int] = ..., process_cpu_s: _Optional[float] = ..., node_cpu_s: _Optional[float] = ...) -> None: ...

class JobRef(_message.Message):
    __slots__ = ("id", "array_index")
    ID_FIELD_NUMBER: _ClassVar[int]
    ARRAY_INDEX_FIELD_NUMBER: _ClassVar[int]
    id: int
    array_index: int
    def __init__(self, id: _Optional[int] = ..., array_index: _Optional[int] = ...) -> None: ...

class Slicing(_message.Message):
    __slots__ = ("period_s", "slice_s", "rows", "row", "quantum_s", "origin_s", "real_time", "by_deadline", "cores")
    PERIOD_S_FIELD_NUMBER: _ClassVar[int]
    SLICE_S_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    QUANTUM_S_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_S_FIELD_NUMBER: _ClassVar[int]
    REAL_TIME_FIELD_NUMBER: _ClassVar[int]
    BY_DEADLINE_FIELD_NUMBER: _ClassVar[int]
    CORES_FIELD_NUMBER: _ClassVar[int]
    period_s: float
    slice_s: float
    rows: int
    row: _containers.RepeatedScalarFieldContainer[int]
    quantum_s: float
    origin_s: float
    real_time: bool
    by_deadline: bool
    cores: _containers.RepeatedCompositeFieldContainer[CoresOfNode]
    def __init__(self, period_s: _Optional[float] = ..., slice_s: _Optional[float] = ..., rows: _Optional[int] = ..., row: _Optional[_Iterable[int]] = ..., quantum_s: _Optional[float] = ..., origin_s: _Optional[float] = ..., real_time: bool = ..., by_deadline: bool = ..., cores: _Optional[_Iterable[_Union[CoresOfNode, _Mapping]]] = ...) -> None: ...

class NodeSlices(_message.Message):
    __slots__ = ("mechanisms", "measured", "real_time", "least_period_s", "least_slice_s", "usable_share")
    MECHANISMS_FIELD_NUMBER: _ClassVar[int]
    MEASURED_FIELD_NUMBER: _ClassVar[int]
    REAL_TIME_FIELD_NUMBER: _ClassVar[int]
    LEAST_PERIOD_S_FIELD_NUMBER: _ClassVar[int]
    LEAST_SLICE_S_FIELD_NUMBER: _ClassVar[int]
    USABLE_SHARE_FIELD_NUMBER: _ClassVar[int]
    mechanisms: _containers.RepeatedScalarFieldContainer[str]
    measured: bool
    real_time: bool
    least_period_s: float
    least_slice_s: float
    usable_share: float
    def __init__(self, mechanisms: _Optional[_Iterable[str]] = ..., measured: bool = ..., real_time: bool = ..., least_period_s: _Optional[float] = ..., least_slice_s: _Optional[float] = ..., usable_share: _Optional[float] = ...) -> None: ...

class CoresOfNode(_message.Message):
    __slots__ = ("node", "core")
    NODE_FIELD_NUMBER: _ClassVar[int]
    CORE_FIELD_NUMBER: _ClassVar[int]
    node: str
    core: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, node: _Optional[str] = ..., core: _Optional[_Iterable[int]] = ...) -> None: ...

class Sliced(_message.Message):
    __slots__ = ("periods", "elapsed_s", "on_s", "ran_s", "waited_s", "misses", "late_s", "jitter_s", "trouble")
    PERIODS_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_S_FIELD_NUMBER: _ClassVar[int]
    ON_S_FIELD_NUMBER: _ClassVar[int]
    RAN_S_FIELD_NUMBER: _ClassVar[int]
    WAITED_S_FIELD_NUMBER: _ClassVar[int]
    MISSES_FIELD_NUMBER: _ClassVar[int]
    LATE_S_FIELD_NUMBER: _ClassVar[int]
    JITTER_S_FIELD_NUMBER: _ClassVar[int]
    TROUBLE_FIELD_NUMBER: _ClassVar[int]
    periods: int
    elapsed_s: float
    on_s: float
    ran_s: float
    waited_s: float
    misses: int
    late_s: _containers.RepeatedScalarFieldContainer[float]
    jitter_s: _containers.RepeatedScalarFieldContainer[float]
    trouble: str
    def __init__(self, periods: _Optional[int] = ..., elapsed_s: _Optional[float] = ..., on_s: _Optional[float] = ..., ran_s: _Optional[float] = ..., waited_s: _Optional[float] = ..., misses: _Optional[int] = ..., late_s: _Optional[_Iterable[float]] = ..., jitter_s: _Optional[_Iterable[float]] = ..., trouble: _Optional[str] = ...) -> None: ...
