"""Deny by default: a method without a rule cannot be forgotten."""

import pytest
from google.protobuf import descriptor_pb2, text_format
from google.protobuf.descriptor import Descriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from molokini.proto import v1
from molokini.proto.rules import SERVICES, rule_of
from molokini.proto.v1 import (
    agent_service_pb2,
    cluster_service_pb2,
    job_service_pb2,
    jobs_pb2,
    options_pb2,
    token_service_pb2,
)
from molokini.proto.v1.options_pb2 import Rule
from molokini.server.security.methods import NEEDS, Anyone, satisfied
from molokini.server.security.roles import Role, covers, lesser

OURS = (agent_service_pb2, cluster_service_pb2, job_service_pb2, jobs_pb2, options_pb2, token_service_pb2)
SERVED = [
    *(service for file in OURS for service in file.DESCRIPTOR.services_by_name.values()),
    health_pb2.DESCRIPTOR.services_by_name["Health"],
    reflection_pb2.DESCRIPTOR.services_by_name["ServerReflection"],
]


def test_every_file_of_the_wire_is_looked_at() -> None:
    from pathlib import Path

    folder = Path(next(iter(v1.__path__)))
    assert {path.stem + "_pb2" for path in folder.glob("*.proto")} == {
        file.__name__.rpartition(".")[2] for file in OURS
    }


@pytest.mark.parametrize("service", SERVED, ids=lambda one: one.full_name)
def test_every_method_has_a_rule(service: ServiceDescriptor) -> None:
    assert [one.name for one in service.methods if f"/{service.full_name}/{one.name}" not in NEEDS] == []


def test_the_services_are_those_of_all_files() -> None:
    assert set(SERVICES) == {name for file in OURS for name in file.DESCRIPTOR.services_by_name}


def incomplete(method: MethodDescriptor) -> str:
    """What the options of *method* lack or have too much; empty where they are right."""
    rule = rule_of(method)
    if not rule.role or not rule.repeat:
        return "role or repeat is missing"
    if bool(rule.field) is not (rule.repeat in (Rule.IF, Rule.UNLESS)):
        return "a field is for IF and UNLESS, which need one"
    kind: Descriptor | None = method.input_type
    for name in filter(None, rule.field.split(".")):
        if kind is None or name not in kind.fields_by_name:
            return f"the request has no field {rule.field}"
        kind = kind.fields_by_name[name].message_type
    return ""


@pytest.mark.parametrize("service", SERVICES.values(), ids=lambda one: one.name)
def test_every_method_says_who_may_call_it_and_whether_it_may_be_repeated(service: ServiceDescriptor) -> None:
    assert {one.name: incomplete(one) for one in service.methods if incomplete(one)} == {}


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ("", "role or repeat is missing"),
        ("role: USER", "role or repeat is missing"),
        ("repeat: ALWAYS", "role or repeat is missing"),
        ("role: USER, repeat: IF", "a field is for IF and UNLESS, which need one"),
        ('role: USER, repeat: NEVER, field: "reason"', "a field is for IF and UNLESS, which need one"),
        ('role: USER, repeat: UNLESS, field: "spec.key"', "the request has no field spec.key"),
        ("role: USER, repeat: NEVER", ""),
    ],
)
def test_a_method_with_incomplete_options_is_found(options: str, wrong: str) -> None:
    file = FileDescriptorProto(name="new.proto", package="new", dependency=[jobs_pb2.DESCRIPTOR.name])
    method = file.service.add(name="Service").method.add(name="New")
    method.input_type = method.output_type = ".molokini.v1.Job"
    text_format.Parse(f"[molokini.v1.rule] {{ {options} }}" if options else "", method.options)
    pool = DescriptorPool()
    for one in (descriptor_pb2.DESCRIPTOR, options_pb2.DESCRIPTOR, jobs_pb2.DESCRIPTOR):
        pool.AddSerializedFile(one.serialized_pb)
    pool.AddSerializedFile(file.SerializeToString())
    assert incomplete(pool.FindServiceByName("new.Service").methods_by_name["New"]) == wrong


def test_no_rule_is_for_nothing() -> None:
    known = {f"/{service.full_name}/{one.name}" for service in SERVED for one in service.methods}
    # Newer releases of gRPC have these two.
    later = {"/grpc.health.v1.Health/List", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"}
    assert set(NEEDS) - known <= later


def test_only_agents_methods_are_open_to_nodes() -> None:
    ours = {method for method in NEEDS if method.startswith("/molokini.")}
    assert {method for method in ours if satisfied(NEEDS[method], Role.NODE)} == {
        "/molokini.v1.AgentService/Connect"
    }
    assert not any(isinstance(NEEDS[method], Anyone) for method in ours)


@pytest.mark.parametrize(
    ("held", "needed", "enough"),
    [
        (Role.USER, Role.USER, True),
        (Role.USER, Role.OPERATOR, False),
        (Role.OPERATOR, Role.USER, True),
        (Role.OPERATOR, Role.ADMINISTRATOR, False),
        (Role.ADMINISTRATOR, Role.OPERATOR, True),
        (Role.ADMINISTRATOR, Role.NODE, False),
        (Role.NODE, Role.USER, False),
        (Role.NODE, Role.NODE, True),
    ],
)
def test_roles_cover_one_another(held: Role, needed: Role, enough: bool) -> None:
    assert covers(held, needed) is enough


def test_the_lesser_of_two_roles() -> None:
    assert lesser(Role.USER, Role.ADMINISTRATOR) is Role.USER
    assert lesser(Role.OPERATOR, Role.USER) is Role.USER
    assert lesser(Role.NODE, Role.USER) is None
