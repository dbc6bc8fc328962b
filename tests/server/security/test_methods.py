"""Deny by default: a method without a rule cannot be forgotten."""

import pytest
from google.protobuf.descriptor import ServiceDescriptor
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from molokini.proto import v1
from molokini.proto.v1 import (
    agent_service_pb2,
    cluster_service_pb2,
    job_service_pb2,
    jobs_pb2,
    token_service_pb2,
)
from molokini.server.security.methods import NEEDS, Anyone, satisfied
from molokini.server.security.roles import Role, covers, lesser

OURS = (agent_service_pb2, cluster_service_pb2, job_service_pb2, jobs_pb2, token_service_pb2)
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
