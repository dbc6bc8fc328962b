from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
RULE_FIELD_NUMBER: _ClassVar[int]
rule: _descriptor.FieldDescriptor

class Rule(_message.Message):
    __slots__ = ("role", "repeat", "field")
    class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ROLE_UNSPECIFIED: _ClassVar[Rule.Role]
        USER: _ClassVar[Rule.Role]
        OPERATOR: _ClassVar[Rule.Role]
        ADMINISTRATOR: _ClassVar[Rule.Role]
        NODE: _ClassVar[Rule.Role]
    ROLE_UNSPECIFIED: Rule.Role
    USER: Rule.Role
    OPERATOR: Rule.Role
    ADMINISTRATOR: Rule.Role
    NODE: Rule.Role
    class Repeat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REPEAT_UNSPECIFIED: _ClassVar[Rule.Repeat]
        ALWAYS: _ClassVar[Rule.Repeat]
        NEVER: _ClassVar[Rule.Repeat]
        IF: _ClassVar[Rule.Repeat]
        UNLESS: _ClassVar[Rule.Repeat]
    REPEAT_UNSPECIFIED: Rule.Repeat
    ALWAYS: Rule.Repeat
    NEVER: Rule.Repeat
    IF: Rule.Repeat
    UNLESS: Rule.Repeat
    ROLE_FIELD_NUMBER: _ClassVar[int]
    REPEAT_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    role: Rule.Role
    repeat: Rule.Repeat
    field: str
    def __init__(self, role: _Optional[_Union[Rule.Role, str]] = ..., repeat: _Optional[_Union[Rule.Repeat, str]] = ..., field: _Optional[str] = ...) -> None: ...
