"""What the ``.proto`` files say of each method: who may call it, and whether a call may be repeated."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from molokini.proto.v1.options_pb2 import Rule, rule

_FILES: Final = {
    "JobService": "job_service_pb2",
    "ClusterService": "cluster_service_pb2",
    "TokenService": "token_service_pb2",
    "AgentService": "agent_service_pb2",
}


class _Services(Mapping[str, ServiceDescriptor]):
    """Each service by its name; its module is loaded when it is looked up, since most programs call one."""

    def __getitem__(self, name: str) -> ServiceDescriptor:
        file = import_module(f"molokini.proto.v1.{_FILES[name]}")
        found: ServiceDescriptor = file.DESCRIPTOR.services_by_name[name]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)

    def __contains__(self, name: object) -> bool:
        return name in _FILES


SERVICES: Final[Mapping[str, ServiceDescriptor]] = _Services()
"""All services, by their names."""


def path_of(method: MethodDescriptor) -> str:
    """Under which *method* is called, by gRPC and through the gateway."""
    return f"/{method.containing_service.full_name}/{method.name}"


def rule_of(method: MethodDescriptor) -> Rule:
    """What is said of *method*; without options an empty rule, which lets no caller in."""
    found: Rule = method.GetOptions().Extensions[rule]
    return found


def role_in_words(found: Rule) -> str:
    """The least role, as ``operator``; empty where no caller may call the method."""
    return Rule.Role.Name(found.role).lower() if found.role else ""


def repeat_in_words(found: Rule) -> str:
    """Whether a call may be repeated: always, never, or if or unless a field of the request is set."""
    return f"{Rule.Repeat.Name(found.repeat).lower()} {found.field}".strip()


def may_repeat(found: Rule, request: Any) -> bool:
    """Whether *request* may be sent again where its answer is lost."""
    if found.repeat in (Rule.ALWAYS, Rule.NEVER):
        return found.repeat == Rule.ALWAYS
    is_set = bool(found.field) and _is_set(request, found.field.split("."))
    return {Rule.IF: is_set, Rule.UNLESS: not is_set}.get(found.repeat, False)


def _is_set(value: Any, names: list[str]) -> bool:
    """Whether the field is other than its default; of several messages, in each."""
    if not names:
        return bool(value)
    inner = getattr(value, names[0])
    parts = inner if len(names) > 1 and hasattr(inner, "add") else (inner,)
    return all(_is_set(part, names[1:]) for part in parts)
