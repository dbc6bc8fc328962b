from molokini.proto.v1 import jobs_pb2 as _jobs_pb2
from molokini.proto.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListAgentsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListAgentsResponse(_message.Message):
    __slots__ = ("agents",)
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    agents: _containers.RepeatedCompositeFieldContainer[Agent]
    def __init__(self, agents: _Optional[_Iterable[_Union[Agent, _Mapping]]] = ...) -> None: ...

class Agent(_message.Message):
    __slots__ = ("name", "connected", "peer", "nodes", "attempts", "silent_s", "held_s")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_FIELD_NUMBER: _ClassVar[int]
    PEER_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    SILENT_S_FIELD_NUMBER: _ClassVar[int]
    HELD_S_FIELD_NUMBER: _ClassVar[int]
    name: str
    connected: bool
    peer: str
    nodes: int
    attempts: int
    silent_s: float
    held_s: float
    def __init__(self, name: _Optional[str] = ..., connected: bool = ..., peer: _Optional[str] = ..., nodes: _Optional[int] = ..., attempts: _Optional[int] = ..., silent_s: _Optional[float] = ..., held_s: _Optional[float] = ...) -> None: ...

class ReleaseAgentRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class ReleaseAgentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AgentMessage(_message.Message):
    __slots__ = ("register", "heartbeat", "report", "done", "sliced", "rated")
    REGISTER_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    SLICED_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    register: Register
    heartbeat: Heartbeat
    report: Report
    done: Done
    sliced: SlicedAttempt
    rated: RatedAttempt
    def __init__(self, register: _Optional[_Union[Register, _Mapping]] = ..., heartbeat: _Optional[_Union[Heartbeat, _Mapping]] = ..., report: _Optional[_Union[Report, _Mapping]] = ..., done: _Optional[_Union[Done, _Mapping]] = ..., sliced: _Optional[_Union[SlicedAttempt, _Mapping]] = ..., rated: _Optional[_Union[RatedAttempt, _Mapping]] = ...) -> None: ...

class ServerMessage(_message.Message):
    __slots__ = ("welcome", "launch", "order", "acknowledge", "grant", "refused")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    LAUNCH_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGE_FIELD_NUMBER: _ClassVar[int]
    GRANT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    launch: Launch
    order: Order
    acknowledge: Acknowledge
    grant: Grant
    refused: Refused
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., launch: _Optional[_Union[Launch, _Mapping]] = ..., order: _Optional[_Union[Order, _Mapping]] = ..., acknowledge: _Optional[_Union[Acknowledge, _Mapping]] = ..., grant: _Optional[_Union[Grant, _Mapping]] = ..., refused: _Optional[_Union[Refused, _Mapping]] = ...) -> None: ...

class Register(_message.Message):
    __slots__ = ("agent", "boot_id", "nodes", "attempts", "follows_clock", "former_identity")
    AGENT_FIELD_NUMBER: _ClassVar[int]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    FOLLOWS_CLOCK_FIELD_NUMBER: _ClassVar[int]
    FORMER_IDENTITY_FIELD_NUMBER: _ClassVar[int]
    agent: str
    boot_id: str
    nodes: _containers.RepeatedCompositeFieldContainer[NodeOffer]
    attempts: _containers.RepeatedCompositeFieldContainer[AttemptRef]
    follows_clock: bool
    former_identity: str
    def __init__(self, agent: _Optional[str] = ..., boot_id: _Optional[str] = ..., nodes: _Optional[_Iterable[_Union[NodeOffer, _Mapping]]] = ..., attempts: _Optional[_Iterable[_Union[AttemptRef, _Mapping]]] = ..., follows_clock: bool = ..., former_identity: _Optional[str] = ...) -> None: ...

class NodeOffer(_message.Message):
    __slots__ = ("names", "processors", "memory_kb", "generic", "features", "cluster", "real", "memory_not_enforced", "cores", "slices")
    class GenericEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NAMES_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_KB_FIELD_NUMBER: _ClassVar[int]
    GENERIC_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    REAL_FIELD_NUMBER: _ClassVar[int]
    MEMORY_NOT_ENFORCED_FIELD_NUMBER: _ClassVar[int]
    CORES_FIELD_NUMBER: _ClassVar[int]
    SLICES_FIELD_NUMBER: _ClassVar[int]
    names: str
    processors: int
    memory_kb: int
    generic: _containers.ScalarMap[str, int]
    features: _containers.RepeatedScalarFieldContainer[str]
    cluster: str
    real: bool
    memory_not_enforced: bool
    cores: int
    slices: _jobs_pb2.NodeSlices
    def __init__(self, names: _Optional[str] = ..., processors: _Optional[int] = ..., memory_kb: _Optional[int] = ..., generic: _Optional[_Mapping[str, int]] = ..., features: _Optional[_Iterable[str]] = ..., cluster: _Optional[str] = ..., real: bool = ..., memory_not_enforced: bool = ..., cores: _Optional[int] = ..., slices: _Optional[_Union[_jobs_pb2.NodeSlices, _Mapping]] = ...) -> None: ...

class AttemptRef(_message.Message):
    __slots__ = ("job_id", "array_index", "attempt")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    ARRAY_INDEX_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    job_id: int
    array_index: int
    attempt: int
    def __init__(self, job_id: _Optional[int] = ..., array_index: _Optional[int] = ..., attempt: _Optional[int] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("now_s", "heartbeat_s", "lease_s", "attempts", "epoch")
    NOW_S_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_S_FIELD_NUMBER: _ClassVar[int]
    LEASE_S_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    now_s: float
    heartbeat_s: float
    lease_s: float
    attempts: _containers.RepeatedCompositeFieldContainer[Launch]
    epoch: int
    def __init__(self, now_s: _Optional[float] = ..., heartbeat_s: _Optional[float] = ..., lease_s: _Optional[float] = ..., attempts: _Optional[_Iterable[_Union[Launch, _Mapping]]] = ..., epoch: _Optional[int] = ...) -> None: ...

class Refused(_message.Message):
    __slots__ = ("reason", "retry_s")
    REASON_FIELD_NUMBER: _ClassVar[int]
    RETRY_S_FIELD_NUMBER: _ClassVar[int]
    reason: str
    retry_s: float
    def __init__(self, reason: _Optional[str] = ..., retry_s: _Optional[float] = ...) -> None: ...

class Launch(_message.Message):
    __slots__ = ("attempt", "user", "spec", "allocation", "start_s", "limit_s", "rate", "work_s", "updated_s", "suspended", "element_number", "division", "processors_by_cluster", "slicing", "rows")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    ALLOCATION_FIELD_NUMBER: _ClassVar[int]
    START_S_FIELD_NUMBER: _ClassVar[int]
    LIMIT_S_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    WORK_S_FIELD_NUMBER: _ClassVar[int]
    UPDATED_S_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    DIVISION_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_BY_CLUSTER_FIELD_NUMBER: _ClassVar[int]
    SLICING_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    attempt: AttemptRef
    user: str
    spec: _jobs_pb2.JobSpec
    allocation: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.Allocation]
    start_s: float
    limit_s: float
    rate: float
    work_s: float
    updated_s: float
    suspended: bool
    element_number: int
    division: Division
    processors_by_cluster: _containers.RepeatedScalarFieldContainer[int]
    slicing: _jobs_pb2.Slicing
    rows: Rows
    def __init__(self, attempt: _Optional[_Union[AttemptRef, _Mapping]] = ..., user: _Optional[str] = ..., spec: _Optional[_Union[_jobs_pb2.JobSpec, _Mapping]] = ..., allocation: _Optional[_Iterable[_Union[_jobs_pb2.Allocation, _Mapping]]] = ..., start_s: _Optional[float] = ..., limit_s: _Optional[float] = ..., rate: _Optional[float] = ..., work_s: _Optional[float] = ..., updated_s: _Optional[float] = ..., suspended: bool = ..., element_number: _Optional[int] = ..., division: _Optional[_Union[Division, _Mapping]] = ..., processors_by_cluster: _Optional[_Iterable[int]] = ..., slicing: _Optional[_Union[_jobs_pb2.Slicing, _Mapping]] = ..., rows: _Optional[_Union[Rows, _Mapping]] = ...) -> None: ...

class Rows(_message.Message):
    __slots__ = ("bits", "count", "quantum_s", "context_switch", "exact", "stall_s", "changed")
    BITS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    QUANTUM_S_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_SWITCH_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    STALL_S_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    bits: int
    count: int
    quantum_s: float
    context_switch: float
    exact: bool
    stall_s: float
    changed: bool
    def __init__(self, bits: _Optional[int] = ..., count: _Optional[int] = ..., quantum_s: _Optional[float] = ..., context_switch: _Optional[float] = ..., exact: bool = ..., stall_s: _Optional[float] = ..., changed: bool = ...) -> None: ...

class Division(_message.Message):
    __slots__ = ("rule", "processors", "execution_s")
    RULE_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_S_FIELD_NUMBER: _ClassVar[int]
    rule: str
    processors: int
    execution_s: float
    def __init__(self, rule: _Optional[str] = ..., processors: _Optional[int] = ..., execution_s: _Optional[float] = ...) -> None: ...

class Order(_message.Message):
    __slots__ = ("kind", "attempt", "at_s", "signal", "rate", "limit_s", "allocation", "estimate_s", "slicing", "rows")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[Order.Kind]
        SUSPEND: _ClassVar[Order.Kind]
        RESUME: _ClassVar[Order.Kind]
        KILL: _ClassVar[Order.Kind]
        SIGNAL: _ClassVar[Order.Kind]
        SET_RATE: _ClassVar[Order.Kind]
        SET_LIMIT: _ClassVar[Order.Kind]
        MOVE: _ClassVar[Order.Kind]
        SLICE: _ClassVar[Order.Kind]
        SET_ROWS: _ClassVar[Order.Kind]
    KIND_UNSPECIFIED: Order.Kind
    SUSPEND: Order.Kind
    RESUME: Order.Kind
    KILL: Order.Kind
    SIGNAL: Order.Kind
    SET_RATE: Order.Kind
    SET_LIMIT: Order.Kind
    MOVE: Order.Kind
    SLICE: Order.Kind
    SET_ROWS: Order.Kind
    KIND_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    AT_S_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_S_FIELD_NUMBER: _ClassVar[int]
    ALLOCATION_FIELD_NUMBER: _ClassVar[int]
    ESTIMATE_S_FIELD_NUMBER: _ClassVar[int]
    SLICING_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    kind: Order.Kind
    attempt: AttemptRef
    at_s: float
    signal: int
    rate: float
    limit_s: float
    allocation: _containers.RepeatedCompositeFieldContainer[_jobs_pb2.Allocation]
    estimate_s: float
    slicing: _jobs_pb2.Slicing
    rows: Rows
    def __init__(self, kind: _Optional[_Union[Order.Kind, str]] = ..., attempt: _Optional[_Union[AttemptRef, _Mapping]] = ..., at_s: _Optional[float] = ..., signal: _Optional[int] = ..., rate: _Optional[float] = ..., limit_s: _Optional[float] = ..., allocation: _Optional[_Iterable[_Union[_jobs_pb2.Allocation, _Mapping]]] = ..., estimate_s: _Optional[float] = ..., slicing: _Optional[_Union[_jobs_pb2.Slicing, _Mapping]] = ..., rows: _Optional[_Union[Rows, _Mapping]] = ...) -> None: ...

class Heartbeat(_message.Message):
    __slots__ = ("running", "sent_s")
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    SENT_S_FIELD_NUMBER: _ClassVar[int]
    running: int
    sent_s: float
    def __init__(self, running: _Optional[int] = ..., sent_s: _Optional[float] = ...) -> None: ...

class SlicedAttempt(_message.Message):
    __slots__ = ("attempt", "sliced")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    SLICED_FIELD_NUMBER: _ClassVar[int]
    attempt: AttemptRef
    sliced: _jobs_pb2.Sliced
    def __init__(self, attempt: _Optional[_Union[AttemptRef, _Mapping]] = ..., sliced: _Optional[_Union[_jobs_pb2.Sliced, _Mapping]] = ...) -> None: ...

class RatedAttempt(_message.Message):
    __slots__ = ("attempt", "rate")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    attempt: AttemptRef
    rate: _jobs_pb2.Rate
    def __init__(self, attempt: _Optional[_Union[AttemptRef, _Mapping]] = ..., rate: _Optional[_Union[_jobs_pb2.Rate, _Mapping]] = ...) -> None: ...

class Report(_message.Message):
    __slots__ = ("serial", "kind", "attempt", "at_s", "exit_code", "signal", "memory_kb", "timed_out", "node", "reason", "cpu_s", "read_kb", "written_kb", "drain_reason", "out_of_memory")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[Report.Kind]
        LAUNCHED: _ClassVar[Report.Kind]
        ENDED: _ClassVar[Report.Kind]
        NOT_STARTED: _ClassVar[Report.Kind]
        KILLED: _ClassVar[Report.Kind]
        NODE_LOST: _ClassVar[Report.Kind]
        NODE_RETURNED: _ClassVar[Report.Kind]
    KIND_UNSPECIFIED: Report.Kind
    LAUNCHED: Report.Kind
    ENDED: Report.Kind
    NOT_STARTED: Report.Kind
    KILLED: Report.Kind
    NODE_LOST: Report.Kind
    NODE_RETURNED: Report.Kind
    SERIAL_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    AT_S_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    MEMORY_KB_FIELD_NUMBER: _ClassVar[int]
    TIMED_OUT_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CPU_S_FIELD_NUMBER: _ClassVar[int]
    READ_KB_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_KB_FIELD_NUMBER: _ClassVar[int]
    DRAIN_REASON_FIELD_NUMBER: _ClassVar[int]
    OUT_OF_MEMORY_FIELD_NUMBER: _ClassVar[int]
    serial: int
    kind: Report.Kind
    attempt: AttemptRef
    at_s: float
    exit_code: int
    signal: int
    memory_kb: int
    timed_out: bool
    node: str
    reason: str
    cpu_s: float
    read_kb: int
    written_kb: int
    drain_reason: str
    out_of_memory: bool
    def __init__(self, serial: _Optional[int] = ..., kind: _Optional[_Union[Report.Kind, str]] = ..., attempt: _Optional[_Union[AttemptRef, _Mapping]] = ..., at_s: _Optional[float] = ..., exit_code: _Optional[int] = ..., signal: _Optional[int] = ..., memory_kb: _Optional[int] = ..., timed_out: bool = ..., node: _Optional[str] = ..., reason: _Optional[str] = ..., cpu_s: _Optional[float] = ..., read_kb: _Optional[int] = ..., written_kb: _Optional[int] = ..., drain_reason: _Optional[str] = ..., out_of_memory: bool = ...) -> None: ...

class Acknowledge(_message.Message):
    __slots__ = ("serial", "sent_s", "server_s", "clock")
    SERIAL_FIELD_NUMBER: _ClassVar[int]
    SENT_S_FIELD_NUMBER: _ClassVar[int]
    SERVER_S_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    serial: int
    sent_s: float
    server_s: float
    clock: str
    def __init__(self, serial: _Optional[int] = ..., sent_s: _Optional[float] = ..., server_s: _Optional[float] = ..., clock: _Optional[str] = ...) -> None: ...

class Grant(_message.Message):
    __slots__ = ("now_s", "turn")
    NOW_S_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    now_s: float
    turn: int
    def __init__(self, now_s: _Optional[float] = ..., turn: _Optional[int] = ...) -> None: ...

class Done(_message.Message):
    __slots__ = ("turn", "next_s")
    TURN_FIELD_NUMBER: _ClassVar[int]
    NEXT_S_FIELD_NUMBER: _ClassVar[int]
    turn: int
    next_s: float
    def __init__(self, turn: _Optional[int] = ..., next_s: _Optional[float] = ...) -> None: ...
