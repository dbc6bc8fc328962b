from molokini.proto.v1 import jobs_pb2 as _jobs_pb2
from molokini.proto.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class NodeState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NODE_STATE_UNSPECIFIED: _ClassVar[NodeState]
    UP: _ClassVar[NodeState]
    DRAINING: _ClassVar[NodeState]
    DOWN: _ClassVar[NodeState]

class Booking(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BOOKING_UNSPECIFIED: _ClassVar[Booking]
    DEPOSIT: _ClassVar[Booking]
    WITHDRAWAL: _ClassVar[Booking]
    REFUND: _ClassVar[Booking]
NODE_STATE_UNSPECIFIED: NodeState
UP: NodeState
DRAINING: NodeState
DOWN: NodeState
BOOKING_UNSPECIFIED: Booking
DEPOSIT: Booking
WITHDRAWAL: Booking
REFUND: Booking

class GetClusterRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Cluster(_message.Message):
    __slots__ = ("name", "version", "processors", "processors_up", "processors_free", "nodes", "nodes_up", "jobs_held", "jobs_waiting", "jobs_running", "jobs_suspended", "jobs_ended", "sequence", "epoch", "deadlines_met", "deadlines_missed", "deadlines_refused", "array_elements", "licenses", "licenses_used")
    class LicensesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class LicensesUsedEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_UP_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FREE_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    NODES_UP_FIELD_NUMBER: _ClassVar[int]
    JOBS_HELD_FIELD_NUMBER: _ClassVar[int]
    JOBS_WAITING_FIELD_NUMBER: _ClassVar[int]
    JOBS_RUNNING_FIELD_NUMBER: _ClassVar[int]
    JOBS_SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    JOBS_ENDED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    DEADLINES_MET_FIELD_NUMBER: _ClassVar[int]
    DEADLINES_MISSED_FIELD_NUMBER: _ClassVar[int]
    DEADLINES_REFUSED_FIELD_NUMBER: _ClassVar[int]
    ARRAY_ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    LICENSES_FIELD_NUMBER: _ClassVar[int]
    LICENSES_USED_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    processors: int
    processors_up: int
    processors_free: int
    nodes: int
    nodes_up: int
    jobs_held: int
    jobs_waiting: int
    jobs_running: int
    jobs_suspended: int
    jobs_ended: int
    sequence: int
    epoch: int
    deadlines_met: int
    deadlines_missed: int
    deadlines_refused: int
    array_elements: int
    licenses: _containers.ScalarMap[str, int]
    licenses_used: _containers.ScalarMap[str, int]
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., processors: _Optional[int] = ..., processors_up: _Optional[int] = ..., processors_free: _Optional[int] = ..., nodes: _Optional[int] = ..., nodes_up: _Optional[int] = ..., jobs_held: _Optional[int] = ..., jobs_waiting: _Optional[int] = ..., jobs_running: _Optional[int] = ..., jobs_suspended: _Optional[int] = ..., jobs_ended: _Optional[int] = ..., sequence: _Optional[int] = ..., epoch: _Optional[int] = ..., deadlines_met: _Optional[int] = ..., deadlines_missed: _Optional[int] = ..., deadlines_refused: _Optional[int] = ..., array_elements: _Optional[int] = ..., licenses: _Optional[_Mapping[str, int]] = ..., licenses_used: _Optional[_Mapping[str, int]] = ...) -> None: ...

class Node(_message.Message):
    __slots__ = ("name", "state", "processors", "processors_used", "memory_kb", "memory_used_kb", "generic", "generic_used", "features", "reason", "job_ids", "agent", "cluster", "memory_not_enforced", "slices")
    class GenericEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class GenericUsedEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_USED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_KB_FIELD_NUMBER: _ClassVar[int]
    MEMORY_USED_KB_FIELD_NUMBER: _ClassVar[int]
    GENERIC_FIELD_NUMBER: _ClassVar[int]
    GENERIC_USED_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    MEMORY_NOT_ENFORCED_FIELD_NUMBER: _ClassVar[int]
    SLICES_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: NodeState
    processors: int
    processors_used: int
    memory_kb: int
    memory_used_kb: int
    generic: _containers.ScalarMap[str, int]
    generic_used: _containers.ScalarMap[str, int]
    features: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    job_ids: _containers.RepeatedScalarFieldContainer[int]
    agent: str
    cluster: str
    memory_not_enforced: bool
    slices: _jobs_pb2.NodeSlices
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[NodeState, str]] = ..., processors: _Optional[int] = ..., processors_used: _Optional[int] = ..., memory_kb: _Optional[int] = ..., memory_used_kb: _Optional[int] = ..., generic: _Optional[_Mapping[str, int]] = ..., generic_used: _Optional[_Mapping[str, int]] = ..., features: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ..., job_ids: _Optional[_Iterable[int]] = ..., agent: _Optional[str] = ..., cluster: _Optional[str] = ..., memory_not_enforced: bool = ..., slices: _Optional[_Union[_jobs_pb2.NodeSlices, _Mapping]] = ...) -> None: ...

class ListNodesRequest(_message.Message):
    __slots__ = ("names", "states", "page_size", "page_token")
    NAMES_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    states: _containers.RepeatedScalarFieldContainer[NodeState]
    page_size: int
    page_token: str
    def __init__(self, names: _Optional[_Iterable[str]] = ..., states: _Optional[_Iterable[_Union[NodeState, str]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListNodesResponse(_message.Message):
    __slots__ = ("nodes", "next_page_token")
    NODES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[Node]
    next_page_token: str
    def __init__(self, nodes: _Optional[_Iterable[_Union[Node, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ChangeNodesRequest(_message.Message):
    __slots__ = ("names", "state", "reason")
    NAMES_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    state: NodeState
    reason: str
    def __init__(self, names: _Optional[_Iterable[str]] = ..., state: _Optional[_Union[NodeState, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class ChangeNodesResponse(_message.Message):
    __slots__ = ("refusals",)
    REFUSALS_FIELD_NUMBER: _ClassVar[int]
    refusals: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, refusals: _Optional[_Iterable[str]] = ...) -> None: ...

class Queue(_message.Message):
    __slots__ = ("name", "enabled", "started", "priority", "nodes", "max_processors", "max_estimate_s", "max_jobs", "max_jobs_per_user", "max_running_per_user", "default_estimate_s", "default_processors", "default_memory_kb", "users", "jobs_held", "jobs_waiting", "jobs_running", "described")
    class DescribedEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    MAX_PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    MAX_ESTIMATE_S_FIELD_NUMBER: _ClassVar[int]
    MAX_JOBS_FIELD_NUMBER: _ClassVar[int]
    MAX_JOBS_PER_USER_FIELD_NUMBER: _ClassVar[int]
    MAX_RUNNING_PER_USER_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_ESTIMATE_S_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_MEMORY_KB_FIELD_NUMBER: _ClassVar[int]
    USERS_FIELD_NUMBER: _ClassVar[int]
    JOBS_HELD_FIELD_NUMBER: _ClassVar[int]
    JOBS_WAITING_FIELD_NUMBER: _ClassVar[int]
    JOBS_RUNNING_FIELD_NUMBER: _ClassVar[int]
    DESCRIBED_FIELD_NUMBER: _ClassVar[int]
    name: str
    enabled: bool
    started: bool
    priority: int
    nodes: _containers.RepeatedScalarFieldContainer[str]
    max_processors: int
    max_estimate_s: float
    max_jobs: int
    max_jobs_per_user: int
    max_running_per_user: int
    default_estimate_s: float
    default_processors: int
    default_memory_kb: int
    users: _containers.RepeatedScalarFieldContainer[str]
    jobs_held: int
    jobs_waiting: int
    jobs_running: int
    described: _containers.ScalarMap[str, str]
    def __init__(self, name: _Optional[str] = ..., enabled: bool = ..., started: bool = ..., priority: _Optional[int] = ..., nodes: _Optional[_Iterable[str]] = ..., max_processors: _Optional[int] = ..., max_estimate_s: _Optional[float] = ..., max_jobs: _Optional[int] = ..., max_jobs_per_user: _Optional[int] = ..., max_running_per_user: _Optional[int] = ..., default_estimate_s: _Optional[float] = ..., default_processors: _Optional[int] = ..., default_memory_kb: _Optional[int] = ..., users: _Optional[_Iterable[str]] = ..., jobs_held: _Optional[int] = ..., jobs_waiting: _Optional[int] = ..., jobs_running: _Optional[int] = ..., described: _Optional[_Mapping[str, str]] = ...) -> None: ...

class ListQueuesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListQueuesResponse(_message.Message):
    __slots__ = ("queues",)
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    queues: _containers.RepeatedCompositeFieldContainer[Queue]
    def __init__(self, queues: _Optional[_Iterable[_Union[Queue, _Mapping]]] = ...) -> None: ...

class SetQueueRequest(_message.Message):
    __slots__ = ("queue", "remove")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    REMOVE_FIELD_NUMBER: _ClassVar[int]
    queue: Queue
    remove: bool
    def __init__(self, queue: _Optional[_Union[Queue, _Mapping]] = ..., remove: bool = ...) -> None: ...

class GetPolicyRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SetPolicyRequest(_message.Message):
    __slots__ = ("name", "parameters")
    class ParametersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    name: str
    parameters: _containers.ScalarMap[str, str]
    def __init__(self, name: _Optional[str] = ..., parameters: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Policy(_message.Message):
    __slots__ = ("name", "parameters", "summary", "maui_config", "given", "weighs", "called", "rows", "compiling", "compiling_for_s")
    class ParametersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class GivenEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class CalledEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    MAUI_CONFIG_FIELD_NUMBER: _ClassVar[int]
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    WEIGHS_FIELD_NUMBER: _ClassVar[int]
    CALLED_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    COMPILING_FIELD_NUMBER: _ClassVar[int]
    COMPILING_FOR_S_FIELD_NUMBER: _ClassVar[int]
    name: str
    parameters: _containers.ScalarMap[str, str]
    summary: str
    maui_config: str
    given: _containers.ScalarMap[str, str]
    weighs: bool
    called: _containers.ScalarMap[str, str]
    rows: int
    compiling: str
    compiling_for_s: float
    def __init__(self, name: _Optional[str] = ..., parameters: _Optional[_Mapping[str, str]] = ..., summary: _Optional[str] = ..., maui_config: _Optional[str] = ..., given: _Optional[_Mapping[str, str]] = ..., weighs: bool = ..., called: _Optional[_Mapping[str, str]] = ..., rows: _Optional[int] = ..., compiling: _Optional[str] = ..., compiling_for_s: _Optional[float] = ...) -> None: ...

class WhatIfRequest(_message.Message):
    __slots__ = ("policies", "maui_configs", "drain", "reserve", "access", "nodes", "from_when", "for_time", "hours", "resampled", "seeds")
    POLICIES_FIELD_NUMBER: _ClassVar[int]
    MAUI_CONFIGS_FIELD_NUMBER: _ClassVar[int]
    DRAIN_FIELD_NUMBER: _ClassVar[int]
    RESERVE_FIELD_NUMBER: _ClassVar[int]
    ACCESS_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    FROM_WHEN_FIELD_NUMBER: _ClassVar[int]
    FOR_TIME_FIELD_NUMBER: _ClassVar[int]
    HOURS_FIELD_NUMBER: _ClassVar[int]
    RESAMPLED_FIELD_NUMBER: _ClassVar[int]
    SEEDS_FIELD_NUMBER: _ClassVar[int]
    policies: _containers.RepeatedScalarFieldContainer[str]
    maui_configs: _containers.RepeatedScalarFieldContainer[str]
    drain: str
    reserve: str
    access: _containers.RepeatedScalarFieldContainer[str]
    nodes: _containers.RepeatedScalarFieldContainer[int]
    from_when: str
    for_time: str
    hours: float
    resampled: bool
    seeds: int
    def __init__(self, policies: _Optional[_Iterable[str]] = ..., maui_configs: _Optional[_Iterable[str]] = ..., drain: _Optional[str] = ..., reserve: _Optional[str] = ..., access: _Optional[_Iterable[str]] = ..., nodes: _Optional[_Iterable[int]] = ..., from_when: _Optional[str] = ..., for_time: _Optional[str] = ..., hours: _Optional[float] = ..., resampled: bool = ..., seeds: _Optional[int] = ...) -> None: ...

class WhatIfAnswer(_message.Message):
    __slots__ = ("json",)
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: str
    def __init__(self, json: _Optional[str] = ...) -> None: ...

class GetReportRequest(_message.Message):
    __slots__ = ("name", "job", "node", "user", "group", "account", "queue", "qos", "processors", "duration_s", "by", "partition", "features", "memory", "memory_each_mb", "nodes")
    NAME_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    QOS_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    DURATION_S_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    MEMORY_EACH_MB_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    name: str
    job: str
    node: str
    user: str
    group: str
    account: str
    queue: str
    qos: str
    processors: int
    duration_s: float
    by: str
    partition: str
    features: _containers.RepeatedScalarFieldContainer[str]
    memory: str
    memory_each_mb: float
    nodes: int
    def __init__(self, name: _Optional[str] = ..., job: _Optional[str] = ..., node: _Optional[str] = ..., user: _Optional[str] = ..., group: _Optional[str] = ..., account: _Optional[str] = ..., queue: _Optional[str] = ..., qos: _Optional[str] = ..., processors: _Optional[int] = ..., duration_s: _Optional[float] = ..., by: _Optional[str] = ..., partition: _Optional[str] = ..., features: _Optional[_Iterable[str]] = ..., memory: _Optional[str] = ..., memory_each_mb: _Optional[float] = ..., nodes: _Optional[int] = ...) -> None: ...

class SchedulingReport(_message.Message):
    __slots__ = ("json",)
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: str
    def __init__(self, json: _Optional[str] = ...) -> None: ...

class ChangeMauiParameterRequest(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class TraceIterationRequest(_message.Message):
    __slots__ = ("dry_run",)
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    dry_run: bool
    def __init__(self, dry_run: bool = ...) -> None: ...

class IterationTrace(_message.Message):
    __slots__ = ("now_s", "steps")
    NOW_S_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    now_s: float
    steps: _containers.RepeatedCompositeFieldContainer[IterationStep]
    def __init__(self, now_s: _Optional[float] = ..., steps: _Optional[_Iterable[_Union[IterationStep, _Mapping]]] = ...) -> None: ...

class IterationStep(_message.Message):
    __slots__ = ("number", "name", "counts", "jobs")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    number: int
    name: str
    counts: _containers.RepeatedCompositeFieldContainer[StepCount]
    jobs: _containers.RepeatedCompositeFieldContainer[StepJob]
    def __init__(self, number: _Optional[int] = ..., name: _Optional[str] = ..., counts: _Optional[_Iterable[_Union[StepCount, _Mapping]]] = ..., jobs: _Optional[_Iterable[_Union[StepJob, _Mapping]]] = ...) -> None: ...

class StepCount(_message.Message):
    __slots__ = ("what", "count")
    WHAT_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    what: str
    count: int
    def __init__(self, what: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class StepJob(_message.Message):
    __slots__ = ("job_id", "array_index", "decision", "reason", "priority")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    ARRAY_INDEX_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    job_id: int
    array_index: int
    decision: str
    reason: str
    priority: float
    def __init__(self, job_id: _Optional[int] = ..., array_index: _Optional[int] = ..., decision: _Optional[str] = ..., reason: _Optional[str] = ..., priority: _Optional[float] = ...) -> None: ...

class ChangeSchedulingRequest(_message.Message):
    __slots__ = ("pause_after", "resume", "at_once", "reason")
    PAUSE_AFTER_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    pause_after: int
    resume: bool
    at_once: bool
    reason: str
    def __init__(self, pause_after: _Optional[int] = ..., resume: bool = ..., at_once: bool = ..., reason: _Optional[str] = ...) -> None: ...

class Scheduling(_message.Message):
    __slots__ = ("paused", "passes_left", "passes")
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    PASSES_LEFT_FIELD_NUMBER: _ClassVar[int]
    PASSES_FIELD_NUMBER: _ClassVar[int]
    paused: bool
    passes_left: int
    passes: int
    def __init__(self, paused: bool = ..., passes_left: _Optional[int] = ..., passes: _Optional[int] = ...) -> None: ...

class ResetStatisticsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ResetStatisticsResponse(_message.Message):
    __slots__ = ("since_s",)
    SINCE_S_FIELD_NUMBER: _ClassVar[int]
    since_s: float
    def __init__(self, since_s: _Optional[float] = ...) -> None: ...

class GetClockRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Clock(_message.Message):
    __slots__ = ("kind", "now_s", "rate", "paused")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[Clock.Kind]
        REAL: _ClassVar[Clock.Kind]
        SCALED: _ClassVar[Clock.Kind]
        STEPPED: _ClassVar[Clock.Kind]
        VIRTUAL: _ClassVar[Clock.Kind]
    KIND_UNSPECIFIED: Clock.Kind
    REAL: Clock.Kind
    SCALED: Clock.Kind
    STEPPED: Clock.Kind
    VIRTUAL: Clock.Kind
    KIND_FIELD_NUMBER: _ClassVar[int]
    NOW_S_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    kind: Clock.Kind
    now_s: float
    rate: float
    paused: bool
    def __init__(self, kind: _Optional[_Union[Clock.Kind, str]] = ..., now_s: _Optional[float] = ..., rate: _Optional[float] = ..., paused: bool = ...) -> None: ...

class ChangeClockRequest(_message.Message):
    __slots__ = ("advance_s", "rate", "pause", "resume")
    ADVANCE_S_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    PAUSE_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    advance_s: float
    rate: float
    pause: bool
    resume: bool
    def __init__(self, advance_s: _Optional[float] = ..., rate: _Optional[float] = ..., pause: bool = ..., resume: bool = ...) -> None: ...

class ReservationCalendar(_message.Message):
    __slots__ = ("period", "days", "start_s", "end_s", "zone_s")
    PERIOD_FIELD_NUMBER: _ClassVar[int]
    DAYS_FIELD_NUMBER: _ClassVar[int]
    START_S_FIELD_NUMBER: _ClassVar[int]
    END_S_FIELD_NUMBER: _ClassVar[int]
    ZONE_S_FIELD_NUMBER: _ClassVar[int]
    period: str
    days: _containers.RepeatedScalarFieldContainer[str]
    start_s: float
    end_s: float
    zone_s: float
    def __init__(self, period: _Optional[str] = ..., days: _Optional[_Iterable[str]] = ..., start_s: _Optional[float] = ..., end_s: _Optional[float] = ..., zone_s: _Optional[float] = ...) -> None: ...

class ReservationAccess(_message.Message):
    __slots__ = ("kind", "name")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    kind: str
    name: str
    def __init__(self, kind: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class ReservationInstance(_message.Message):
    __slots__ = ("name", "start_s", "end_s")
    NAME_FIELD_NUMBER: _ClassVar[int]
    START_S_FIELD_NUMBER: _ClassVar[int]
    END_S_FIELD_NUMBER: _ClassVar[int]
    name: str
    start_s: float
    end_s: float
    def __init__(self, name: _Optional[str] = ..., start_s: _Optional[float] = ..., end_s: _Optional[float] = ...) -> None: ...

class ReservedNode(_message.Message):
    __slots__ = ("node", "processors")
    NODE_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    node: str
    processors: int
    def __init__(self, node: _Optional[str] = ..., processors: _Optional[int] = ...) -> None: ...

class Reservation(_message.Message):
    __slots__ = ("name", "processors", "start_s", "end_s", "calendar", "depth", "access", "instances", "nodes", "licenses")
    class LicensesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    START_S_FIELD_NUMBER: _ClassVar[int]
    END_S_FIELD_NUMBER: _ClassVar[int]
    CALENDAR_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    ACCESS_FIELD_NUMBER: _ClassVar[int]
    INSTANCES_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    LICENSES_FIELD_NUMBER: _ClassVar[int]
    name: str
    processors: int
    start_s: float
    end_s: float
    calendar: ReservationCalendar
    depth: int
    access: _containers.RepeatedCompositeFieldContainer[ReservationAccess]
    instances: _containers.RepeatedCompositeFieldContainer[ReservationInstance]
    nodes: _containers.RepeatedCompositeFieldContainer[ReservedNode]
    licenses: _containers.ScalarMap[str, int]
    def __init__(self, name: _Optional[str] = ..., processors: _Optional[int] = ..., start_s: _Optional[float] = ..., end_s: _Optional[float] = ..., calendar: _Optional[_Union[ReservationCalendar, _Mapping]] = ..., depth: _Optional[int] = ..., access: _Optional[_Iterable[_Union[ReservationAccess, _Mapping]]] = ..., instances: _Optional[_Iterable[_Union[ReservationInstance, _Mapping]]] = ..., nodes: _Optional[_Iterable[_Union[ReservedNode, _Mapping]]] = ..., licenses: _Optional[_Mapping[str, int]] = ...) -> None: ...

class ListReservationsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListReservationsResponse(_message.Message):
    __slots__ = ("reservations",)
    RESERVATIONS_FIELD_NUMBER: _ClassVar[int]
    reservations: _containers.RepeatedCompositeFieldContainer[Reservation]
    def __init__(self, reservations: _Optional[_Iterable[_Union[Reservation, _Mapping]]] = ...) -> None: ...

class CreateReservationRequest(_message.Message):
    __slots__ = ("reservation",)
    RESERVATION_FIELD_NUMBER: _ClassVar[int]
    reservation: Reservation
    def __init__(self, reservation: _Optional[_Union[Reservation, _Mapping]] = ...) -> None: ...

class ReleaseReservationRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class ReleaseReservationResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ShadowPolicyRequest(_message.Message):
    __slots__ = ("name", "parameters", "maui_config", "period_s")
    class ParametersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    MAUI_CONFIG_FIELD_NUMBER: _ClassVar[int]
    PERIOD_S_FIELD_NUMBER: _ClassVar[int]
    name: str
    parameters: _containers.ScalarMap[str, str]
    maui_config: str
    period_s: float
    def __init__(self, name: _Optional[str] = ..., parameters: _Optional[_Mapping[str, str]] = ..., maui_config: _Optional[str] = ..., period_s: _Optional[float] = ...) -> None: ...

class ShadowReport(_message.Message):
    __slots__ = ("from_s", "to_s", "looks", "failures", "last_failure", "started", "same", "sooner", "sooner_s", "not_yet", "waiting", "jobs")
    FROM_S_FIELD_NUMBER: _ClassVar[int]
    TO_S_FIELD_NUMBER: _ClassVar[int]
    LOOKS_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    LAST_FAILURE_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    SAME_FIELD_NUMBER: _ClassVar[int]
    SOONER_FIELD_NUMBER: _ClassVar[int]
    SOONER_S_FIELD_NUMBER: _ClassVar[int]
    NOT_YET_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    from_s: float
    to_s: float
    looks: int
    failures: int
    last_failure: str
    started: int
    same: int
    sooner: int
    sooner_s: float
    not_yet: int
    waiting: int
    jobs: _containers.RepeatedCompositeFieldContainer[ShadowJob]
    def __init__(self, from_s: _Optional[float] = ..., to_s: _Optional[float] = ..., looks: _Optional[int] = ..., failures: _Optional[int] = ..., last_failure: _Optional[str] = ..., started: _Optional[int] = ..., same: _Optional[int] = ..., sooner: _Optional[int] = ..., sooner_s: _Optional[float] = ..., not_yet: _Optional[int] = ..., waiting: _Optional[int] = ..., jobs: _Optional[_Iterable[_Union[ShadowJob, _Mapping]]] = ...) -> None: ...

class ShadowJob(_message.Message):
    __slots__ = ("job_id", "array_index", "user", "processors", "wished_s", "started_s")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    ARRAY_INDEX_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    WISHED_S_FIELD_NUMBER: _ClassVar[int]
    STARTED_S_FIELD_NUMBER: _ClassVar[int]
    job_id: int
    array_index: int
    user: str
    processors: int
    wished_s: float
    started_s: float
    def __init__(self, job_id: _Optional[int] = ..., array_index: _Optional[int] = ..., user: _Optional[str] = ..., processors: _Optional[int] = ..., wished_s: _Optional[float] = ..., started_s: _Optional[float] = ...) -> None: ...

class BookAccountRequest(_message.Message):
    __slots__ = ("account", "booking", "amount", "reason", "job_id", "open")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    BOOKING_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    account: str
    booking: Booking
    amount: int
    reason: str
    job_id: int
    open: bool
    def __init__(self, account: _Optional[str] = ..., booking: _Optional[_Union[Booking, str]] = ..., amount: _Optional[int] = ..., reason: _Optional[str] = ..., job_id: _Optional[int] = ..., open: bool = ...) -> None: ...

class Account(_message.Message):
    __slots__ = ("name", "balance", "liens", "unlimited", "deposited", "refunded", "debited")
    NAME_FIELD_NUMBER: _ClassVar[int]
    BALANCE_FIELD_NUMBER: _ClassVar[int]
    LIENS_FIELD_NUMBER: _ClassVar[int]
    UNLIMITED_FIELD_NUMBER: _ClassVar[int]
    DEPOSITED_FIELD_NUMBER: _ClassVar[int]
    REFUNDED_FIELD_NUMBER: _ClassVar[int]
    DEBITED_FIELD_NUMBER: _ClassVar[int]
    name: str
    balance: int
    liens: int
    unlimited: bool
    deposited: int
    refunded: int
    debited: int
    def __init__(self, name: _Optional[str] = ..., balance: _Optional[int] = ..., liens: _Optional[int] = ..., unlimited: bool = ..., deposited: _Optional[int] = ..., refunded: _Optional[int] = ..., debited: _Optional[int] = ...) -> None: ...

class GetStatementRequest(_message.Message):
    __slots__ = ("account", "limit")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    account: str
    limit: int
    def __init__(self, account: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class StatementEntry(_message.Message):
    __slots__ = ("sequence", "at_s", "account", "what", "amount", "balance", "job_id", "array_index", "by", "reason")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    AT_S_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    BALANCE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    ARRAY_INDEX_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    at_s: float
    account: str
    what: str
    amount: int
    balance: int
    job_id: int
    array_index: int
    by: str
    reason: str
    def __init__(self, sequence: _Optional[int] = ..., at_s: _Optional[float] = ..., account: _Optional[str] = ..., what: _Optional[str] = ..., amount: _Optional[int] = ..., balance: _Optional[int] = ..., job_id: _Optional[int] = ..., array_index: _Optional[int] = ..., by: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class Statement(_message.Message):
    __slots__ = ("entries", "truncated")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[StatementEntry]
    truncated: bool
    def __init__(self, entries: _Optional[_Iterable[_Union[StatementEntry, _Mapping]]] = ..., truncated: bool = ...) -> None: ...
