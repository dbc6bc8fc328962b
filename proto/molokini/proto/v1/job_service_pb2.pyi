from molokini.proto.v1 import jobs_pb2 as _jobs_pb2
from molokini.proto.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SubmitRequest(_message.Message):
    __slots__ = ("spec", "tag")
    SPEC_FIELD_NUMBER: _ClassVar[int]
    TAG_FIELD_NUMBER: _ClassVar[int]
    spec: _jobs_pb2.JobSpec
    tag: int
    def __init__(self, spec: _Optional[_Union[_jobs_pb2.JobSpec, _Mapping]] = ..., tag: _Optional[int] = ...) -> None: ...

class SubmitResponse(_message.Message):
    __slots__ = ("job_id", "tag", "repeated_key", "refusal", "promise", "emulated")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    TAG_FIELD_NUMBER: _ClassVar[int]
    REPEATED_KEY_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    PROMISE_FIELD_NUMBER: _ClassVar[int]
    EMULATED_FIELD_NUMBER: _ClassVar[int]
    job_id: int
    tag: int
    repeated_key: bool
    refusal: str
    promise: _jobs_pb2.Promise
    emulated: bool
    def __init__(self, job_id: _Optional[int] = ..., tag: _Optional[int] = ..., repeated_key: bool = ..., refusal: _Optional[str] = ..., promise: _Optional[_Union[_jobs_pb2.Promise, _Mapping]] = ..., emulated: bool = ...) -> None: ...

class SubmitStreamResponse(_message.Message):
    __slots__ = ("answers",)
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[SubmitResponse]
    def __init__(self, answers: _Optional[_Iterable[_Union[SubmitResponse, _Mapping]]] = ...) -> None: ...

class SubmitManyRequest(_message.Message):
    __slots__ = ("specs",)
    SPECS_FIELD_NUMBER: _ClassVar[int]
    specs: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.JobSpec]
    def __init__(self, specs: _Optional[_Iterable[_Union[_jobs_pb2.JobSpec, _Mapping]]] = ...) -> None: ...

class SubmitManyResponse(_message.Message):
    __slots__ = ("job_ids", "refusals", "promises")
    class PromisesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: _jobs_pb2.Promise
        def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[_jobs_pb2.Promise, _Mapping]] = ...) -> None: ...
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    REFUSALS_FIELD_NUMBER: _ClassVar[int]
    PROMISES_FIELD_NUMBER: _ClassVar[int]
    job_ids: _containers.RepeatedScalarFieldContainer[int]
    refusals: _containers.RepeatedCompositeFieldContainer[Refusal]
    promises: _containers.MessageMap[int, _jobs_pb2.Promise]
    def __init__(self, job_ids: _Optional[_Iterable[int]] = ..., refusals: _Optional[_Iterable[_Union[Refusal, _Mapping]]] = ..., promises: _Optional[_Mapping[int, _jobs_pb2.Promise]] = ...) -> None: ...

class Refusal(_message.Message):
    __slots__ = ("place", "reason")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    place: int
    reason: str
    def __init__(self, place: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class GetJobRequest(_message.Message):
    __slots__ = ("job",)
    JOB_FIELD_NUMBER: _ClassVar[int]
    job: _jobs_pb2.JobRef
    def __init__(self, job: _Optional[_Union[_jobs_pb2.JobRef, _Mapping]] = ...) -> None: ...

class ListJobsRequest(_message.Message):
    __slots__ = ("users", "queues", "states", "job_ids", "name", "include_ended", "expand_arrays", "page_size", "page_token", "fields", "deadline_met", "ended_since_s")
    USERS_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_ENDED_FIELD_NUMBER: _ClassVar[int]
    EXPAND_ARRAYS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MET_FIELD_NUMBER: _ClassVar[int]
    ENDED_SINCE_S_FIELD_NUMBER: _ClassVar[int]
    users: _containers.RepeatedScalarFieldContainer[str]
    queues: _containers.RepeatedScalarFieldContainer[str]
    states: _containers.RepeatedScalarFieldContainer[_jobs_pb2.JobState]
    job_ids: _containers.RepeatedScalarFieldContainer[int]
    name: str
    include_ended: bool
    expand_arrays: bool
    page_size: int
    page_token: str
    fields: _containers.RepeatedScalarFieldContainer[str]
    deadline_met: bool
    ended_since_s: float
    def __init__(self, users: _Optional[_Iterable[str]] = ..., queues: _Optional[_Iterable[str]] = ..., states: _Optional[_Iterable[_Union[_jobs_pb2.JobState, str]]] = ..., job_ids: _Optional[_Iterable[int]] = ..., name: _Optional[str] = ..., include_ended: bool = ..., expand_arrays: bool = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., fields: _Optional[_Iterable[str]] = ..., deadline_met: bool = ..., ended_since_s: _Optional[float] = ...) -> None: ...

class ListJobsResponse(_message.Message):
    __slots__ = ("jobs", "next_page_token")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.Job]
    next_page_token: str
    def __init__(self, jobs: _Optional[_Iterable[_Union[_jobs_pb2.Job, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class WatchJobsRequest(_message.Message):
    __slots__ = ("after", "job_ids", "users", "only_new")
    AFTER_FIELD_NUMBER: _ClassVar[int]
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    USERS_FIELD_NUMBER: _ClassVar[int]
    ONLY_NEW_FIELD_NUMBER: _ClassVar[int]
    after: int
    job_ids: _containers.RepeatedScalarFieldContainer[int]
    users: _containers.RepeatedScalarFieldContainer[str]
    only_new: bool
    def __init__(self, after: _Optional[int] = ..., job_ids: _Optional[_Iterable[int]] = ..., users: _Optional[_Iterable[str]] = ..., only_new: bool = ...) -> None: ...

class JobEvent(_message.Message):
    __slots__ = ("sequence", "time_s", "kind", "job_id", "array_index", "state", "attempt", "exit_code", "reason")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TIME_S_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    ARRAY_INDEX_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    time_s: float
    kind: str
    job_id: int
    array_index: int
    state: _jobs_pb2.JobState
    attempt: int
    exit_code: int
    reason: str
    def __init__(self, sequence: _Optional[int] = ..., time_s: _Optional[float] = ..., kind: _Optional[str] = ..., job_id: _Optional[int] = ..., array_index: _Optional[int] = ..., state: _Optional[_Union[_jobs_pb2.JobState, str]] = ..., attempt: _Optional[int] = ..., exit_code: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class WaitJobsRequest(_message.Message):
    __slots__ = ("jobs", "timeout_s")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_S_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.JobRef]
    timeout_s: float
    def __init__(self, jobs: _Optional[_Iterable[_Union[_jobs_pb2.JobRef, _Mapping]]] = ..., timeout_s: _Optional[float] = ...) -> None: ...

class WaitJobsResponse(_message.Message):
    __slots__ = ("jobs", "all_ended")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    ALL_ENDED_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.Job]
    all_ended: bool
    def __init__(self, jobs: _Optional[_Iterable[_Union[_jobs_pb2.Job, _Mapping]]] = ..., all_ended: bool = ...) -> None: ...

class ChangeJobsRequest(_message.Message):
    __slots__ = ("jobs", "reason", "hold", "all_holds", "as_done", "ended")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    HOLD_FIELD_NUMBER: _ClassVar[int]
    ALL_HOLDS_FIELD_NUMBER: _ClassVar[int]
    AS_DONE_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.JobRef]
    reason: str
    hold: _jobs_pb2.Hold
    all_holds: bool
    as_done: bool
    ended: bool
    def __init__(self, jobs: _Optional[_Iterable[_Union[_jobs_pb2.JobRef, _Mapping]]] = ..., reason: _Optional[str] = ..., hold: _Optional[_Union[_jobs_pb2.Hold, str]] = ..., all_holds: bool = ..., as_done: bool = ..., ended: bool = ...) -> None: ...

class ChangeJobsResponse(_message.Message):
    __slots__ = ("refusals", "reasons")
    REFUSALS_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    refusals: _containers.RepeatedScalarFieldContainer[str]
    reasons: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, refusals: _Optional[_Iterable[str]] = ..., reasons: _Optional[_Iterable[str]] = ...) -> None: ...

class StartJobsRequest(_message.Message):
    __slots__ = ("jobs", "reason", "nodes", "ignore_limits", "ignore_reservations")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    IGNORE_LIMITS_FIELD_NUMBER: _ClassVar[int]
    IGNORE_RESERVATIONS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.JobRef]
    reason: str
    nodes: _containers.RepeatedScalarFieldContainer[str]
    ignore_limits: bool
    ignore_reservations: bool
    def __init__(self, jobs: _Optional[_Iterable[_Union[_jobs_pb2.JobRef, _Mapping]]] = ..., reason: _Optional[str] = ..., nodes: _Optional[_Iterable[str]] = ..., ignore_limits: bool = ..., ignore_reservations: bool = ...) -> None: ...

class SignalJobsRequest(_message.Message):
    __slots__ = ("jobs", "signal")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.JobRef]
    signal: int
    def __init__(self, jobs: _Optional[_Iterable[_Union[_jobs_pb2.JobRef, _Mapping]]] = ..., signal: _Optional[int] = ...) -> None: ...

class AlterJobRequest(_message.Message):
    __slots__ = ("job", "spec", "fields")
    JOB_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    job: _jobs_pb2.JobRef
    spec: _jobs_pb2.JobSpec
    fields: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, job: _Optional[_Union[_jobs_pb2.JobRef, _Mapping]] = ..., spec: _Optional[_Union[_jobs_pb2.JobSpec, _Mapping]] = ..., fields: _Optional[_Iterable[str]] = ...) -> None: ...

class Explanation(_message.Message):
    __slots__ = ("job_id", "rule", "text", "limit", "value", "in_front", "in_front_count", "what_would_help", "priority", "priority_parts", "reserved_s")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    IN_FRONT_FIELD_NUMBER: _ClassVar[int]
    IN_FRONT_COUNT_FIELD_NUMBER: _ClassVar[int]
    WHAT_WOULD_HELP_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_PARTS_FIELD_NUMBER: _ClassVar[int]
    RESERVED_S_FIELD_NUMBER: _ClassVar[int]
    job_id: int
    rule: str
    text: str
    limit: float
    value: float
    in_front: _containers.RepeatedScalarFieldContainer[int]
    in_front_count: int
    what_would_help: _containers.RepeatedScalarFieldContainer[str]
    priority: float
    priority_parts: _containers.RepeatedCompositeFieldContainer[PriorityPart]
    reserved_s: float
    def __init__(self, job_id: _Optional[int] = ..., rule: _Optional[str] = ..., text: _Optional[str] = ..., limit: _Optional[float] = ..., value: _Optional[float] = ..., in_front: _Optional[_Iterable[int]] = ..., in_front_count: _Optional[int] = ..., what_would_help: _Optional[_Iterable[str]] = ..., priority: _Optional[float] = ..., priority_parts: _Optional[_Iterable[_Union[PriorityPart, _Mapping]]] = ..., reserved_s: _Optional[float] = ...) -> None: ...

class PriorityPart(_message.Message):
    __slots__ = ("component", "component_weight", "subcomponent", "weight", "factor", "product")
    COMPONENT_FIELD_NUMBER: _ClassVar[int]
    COMPONENT_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    SUBCOMPONENT_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    component: str
    component_weight: float
    subcomponent: str
    weight: float
    factor: float
    product: float
    def __init__(self, component: _Optional[str] = ..., component_weight: _Optional[float] = ..., subcomponent: _Optional[str] = ..., weight: _Optional[float] = ..., factor: _Optional[float] = ..., product: _Optional[float] = ...) -> None: ...

class ForecastJobRequest(_message.Message):
    __slots__ = ("job",)
    JOB_FIELD_NUMBER: _ClassVar[int]
    job: _jobs_pb2.JobRef
    def __init__(self, job: _Optional[_Union[_jobs_pb2.JobRef, _Mapping]] = ...) -> None: ...

class Forecast(_message.Message):
    __slots__ = ("job_id", "start_s", "earliest_s", "latest_s", "possible", "reason", "planned_jobs", "waiting_jobs", "started")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    START_S_FIELD_NUMBER: _ClassVar[int]
    EARLIEST_S_FIELD_NUMBER: _ClassVar[int]
    LATEST_S_FIELD_NUMBER: _ClassVar[int]
    POSSIBLE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PLANNED_JOBS_FIELD_NUMBER: _ClassVar[int]
    WAITING_JOBS_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    job_id: int
    start_s: float
    earliest_s: float
    latest_s: float
    possible: bool
    reason: str
    planned_jobs: int
    waiting_jobs: int
    started: bool
    def __init__(self, job_id: _Optional[int] = ..., start_s: _Optional[float] = ..., earliest_s: _Optional[float] = ..., latest_s: _Optional[float] = ..., possible: bool = ..., reason: _Optional[str] = ..., planned_jobs: _Optional[int] = ..., waiting_jobs: _Optional[int] = ..., started: bool = ...) -> None: ...

class SliceJobsRequest(_message.Message):
    __slots__ = ("jobs", "slicing")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    SLICING_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.JobRef]
    slicing: _jobs_pb2.Slicing
    def __init__(self, jobs: _Optional[_Iterable[_Union[_jobs_pb2.JobRef, _Mapping]]] = ..., slicing: _Optional[_Union[_jobs_pb2.Slicing, _Mapping]] = ...) -> None: ...

class SetRatesRequest(_message.Message):
    __slots__ = ("jobs", "rate", "full_rate", "threshold", "period_s", "step_s", "search", "full_use", "measure_full_use")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    FULL_RATE_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    PERIOD_S_FIELD_NUMBER: _ClassVar[int]
    STEP_S_FIELD_NUMBER: _ClassVar[int]
    SEARCH_FIELD_NUMBER: _ClassVar[int]
    FULL_USE_FIELD_NUMBER: _ClassVar[int]
    MEASURE_FULL_USE_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.JobRef]
    rate: str
    full_rate: float
    threshold: float
    period_s: float
    step_s: float
    search: str
    full_use: float
    measure_full_use: bool
    def __init__(self, jobs: _Optional[_Iterable[_Union[_jobs_pb2.JobRef, _Mapping]]] = ..., rate: _Optional[str] = ..., full_rate: _Optional[float] = ..., threshold: _Optional[float] = ..., period_s: _Optional[float] = ..., step_s: _Optional[float] = ..., search: _Optional[str] = ..., full_use: _Optional[float] = ..., measure_full_use: bool = ...) -> None: ...

class ListRatesRequest(_message.Message):
    __slots__ = ("jobs",)
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.JobRef]
    def __init__(self, jobs: _Optional[_Iterable[_Union[_jobs_pb2.JobRef, _Mapping]]] = ...) -> None: ...

class ListRatesResponse(_message.Message):
    __slots__ = ("jobs",)
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[ControlledJob]
    def __init__(self, jobs: _Optional[_Iterable[_Union[ControlledJob, _Mapping]]] = ...) -> None: ...

class ControlledJob(_message.Message):
    __slots__ = ("job", "rate", "full_rate", "target", "period_s", "slice_s", "orders", "status", "reports", "work", "deadline_s", "needed", "full_use", "periods", "misses", "full_use_from")
    JOB_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    FULL_RATE_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    PERIOD_S_FIELD_NUMBER: _ClassVar[int]
    SLICE_S_FIELD_NUMBER: _ClassVar[int]
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REPORTS_FIELD_NUMBER: _ClassVar[int]
    WORK_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_S_FIELD_NUMBER: _ClassVar[int]
    NEEDED_FIELD_NUMBER: _ClassVar[int]
    FULL_USE_FIELD_NUMBER: _ClassVar[int]
    PERIODS_FIELD_NUMBER: _ClassVar[int]
    MISSES_FIELD_NUMBER: _ClassVar[int]
    FULL_USE_FROM_FIELD_NUMBER: _ClassVar[int]
    job: _jobs_pb2.JobRef
    rate: str
    full_rate: float
    target: float
    period_s: float
    slice_s: float
    orders: int
    status: str
    reports: _containers.RepeatedCompositeFieldContainer[RateReport]
    work: int
    deadline_s: float
    needed: float
    full_use: float
    periods: int
    misses: int
    full_use_from: str
    def __init__(self, job: _Optional[_Union[_jobs_pb2.JobRef, _Mapping]] = ..., rate: _Optional[str] = ..., full_rate: _Optional[float] = ..., target: _Optional[float] = ..., period_s: _Optional[float] = ..., slice_s: _Optional[float] = ..., orders: _Optional[int] = ..., status: _Optional[str] = ..., reports: _Optional[_Iterable[_Union[RateReport, _Mapping]]] = ..., work: _Optional[int] = ..., deadline_s: _Optional[float] = ..., needed: _Optional[float] = ..., full_use: _Optional[float] = ..., periods: _Optional[int] = ..., misses: _Optional[int] = ..., full_use_from: _Optional[str] = ...) -> None: ...

class RateReport(_message.Message):
    __slots__ = ("iteration", "at_s", "per_s", "rate", "target", "period_s")
    ITERATION_FIELD_NUMBER: _ClassVar[int]
    AT_S_FIELD_NUMBER: _ClassVar[int]
    PER_S_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    PERIOD_S_FIELD_NUMBER: _ClassVar[int]
    iteration: int
    at_s: float
    per_s: float
    rate: float
    target: float
    period_s: float
    def __init__(self, iteration: _Optional[int] = ..., at_s: _Optional[float] = ..., per_s: _Optional[float] = ..., rate: _Optional[float] = ..., target: _Optional[float] = ..., period_s: _Optional[float] = ...) -> None: ...

class ListSlicesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListSlicesResponse(_message.Message):
    __slots__ = ("jobs",)
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[SlicedJob]
    def __init__(self, jobs: _Optional[_Iterable[_Union[SlicedJob, _Mapping]]] = ...) -> None: ...

class SlicedJob(_message.Message):
    __slots__ = ("job", "attempt", "slicing", "achieved")
    class AchievedEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _jobs_pb2.Sliced
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_jobs_pb2.Sliced, _Mapping]] = ...) -> None: ...
    JOB_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    SLICING_FIELD_NUMBER: _ClassVar[int]
    ACHIEVED_FIELD_NUMBER: _ClassVar[int]
    job: _jobs_pb2.JobRef
    attempt: int
    slicing: _jobs_pb2.Slicing
    achieved: _containers.MessageMap[str, _jobs_pb2.Sliced]
    def __init__(self, job: _Optional[_Union[_jobs_pb2.JobRef, _Mapping]] = ..., attempt: _Optional[int] = ..., slicing: _Optional[_Union[_jobs_pb2.Slicing, _Mapping]] = ..., achieved: _Optional[_Mapping[str, _jobs_pb2.Sliced]] = ...) -> None: ...
