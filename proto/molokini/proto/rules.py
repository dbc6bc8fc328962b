"""What the ``.proto`` files say of each method: who may call it, and whether a call may be repeated."""

from typing import Any

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from molokini.proto.v1 import agent_service_pb2, cluster_service_pb2, job_service_pb2, token_service_pb2
from molokini.proto.v1.options_pb2 import Rule, rule

_FILES: tuple[Any, ...] = (job_service_pb2, cluster_service_pb2, token_service_pb2, agent_service_pb2)

SERVICES: dict[str, ServiceDescriptor] = {
    name: service for file in _FILES for name, service in file.DESCRIPTOR.services_by_name.items()
}
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
