from molokini.proto.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class IssueTokenRequest(_message.Message):
    __slots__ = ("user", "role", "lifetime_s")
    USER_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    LIFETIME_S_FIELD_NUMBER: _ClassVar[int]
    user: str
    role: str
    lifetime_s: float
    def __init__(self, user: _Optional[str] = ..., role: _Optional[str] = ..., lifetime_s: _Optional[float] = ...) -> None: ...

class IssueTokenResponse(_message.Message):
    __slots__ = ("token", "kept")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    token: str
    kept: Token
    def __init__(self, token: _Optional[str] = ..., kept: _Optional[_Union[Token, _Mapping]] = ...) -> None: ...

class Token(_message.Message):
    __slots__ = ("id", "user", "role", "issued_by", "issued_s", "until_s", "state", "revoked_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    ISSUED_BY_FIELD_NUMBER: _ClassVar[int]
    ISSUED_S_FIELD_NUMBER: _ClassVar[int]
    UNTIL_S_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REVOKED_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    user: str
    role: str
    issued_by: str
    issued_s: float
    until_s: float
    state: str
    revoked_by: str
    def __init__(self, id: _Optional[str] = ..., user: _Optional[str] = ..., role: _Optional[str] = ..., issued_by: _Optional[str] = ..., issued_s: _Optional[float] = ..., until_s: _Optional[float] = ..., state: _Optional[str] = ..., revoked_by: _Optional[str] = ...) -> None: ...

class ListTokensRequest(_message.Message):
    __slots__ = ("user", "include_ended")
    USER_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_ENDED_FIELD_NUMBER: _ClassVar[int]
    user: str
    include_ended: bool
    def __init__(self, user: _Optional[str] = ..., include_ended: bool = ...) -> None: ...

class ListTokensResponse(_message.Message):
    __slots__ = ("tokens",)
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    tokens: _containers.RepeatedCompositeFieldContainer[Token]
    def __init__(self, tokens: _Optional[_Iterable[_Union[Token, _Mapping]]] = ...) -> None: ...

class RevokeTokensRequest(_message.Message):
    __slots__ = ("ids", "user")
    IDS_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    user: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., user: _Optional[str] = ...) -> None: ...

class RevokeTokensResponse(_message.Message):
    __slots__ = ("tokens",)
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    tokens: _containers.RepeatedCompositeFieldContainer[Token]
    def __init__(self, tokens: _Optional[_Iterable[_Union[Token, _Mapping]]] = ...) -> None: ...

class RotateTokensRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RotateTokensResponse(_message.Message):
    __slots__ = ("ended",)
    ENDED_FIELD_NUMBER: _ClassVar[int]
    ended: _containers.RepeatedCompositeFieldContainer[Token]
    def __init__(self, ended: _Optional[_Iterable[_Union[Token, _Mapping]]] = ...) -> None: ...
