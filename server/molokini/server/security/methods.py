"""The least role that every method of every service needs. No caller may call what is not in this table.

Of our own methods the ``.proto`` files say it; what depends on the job or the value is in ``permissions``.
"""

from enum import StrEnum

from molokini.proto.rules import SERVICES, path_of, role_in_words, rule_of
from molokini.server.security.roles import Role, covers


class Anyone(StrEnum):
    """Needs that are no role."""

    OPEN = "open to every caller, without a proof"
    PROVEN = "any proven identity, a node's too"


Need = Role | Anyone

_OURS: dict[str, Need] = {
    path_of(method): Role(role)
    for service in SERVICES.values()
    for method in service.methods
    if (role := role_in_words(rule_of(method)))
}

NEEDS: dict[str, Need] = {
    **_OURS,
    # Load balancers and service managers have no credentials, and learn nothing but "serving".
    "/grpc.health.v1.Health/Check": Anyone.OPEN,
    "/grpc.health.v1.Health/List": Anyone.OPEN,
    "/grpc.health.v1.Health/Watch": Anyone.OPEN,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": Anyone.PROVEN,
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": Anyone.PROVEN,
}


LOOKS = frozenset(
    f"/molokini.v1.{name}"
    for name in (
        *("JobService/ListJobs", "JobService/GetJob", "JobService/WatchJobs", "JobService/ExplainJob"),
        *("ClusterService/GetCluster", "ClusterService/ListNodes", "ClusterService/ListQueues"),
        *("ClusterService/GetPolicy", "ClusterService/ListReservations", "ClusterService/GetClock"),
    )
)
"""What every user sees, and what costs little: open to anonymous readers, where there are such."""


def satisfied(need: Need, role: Role) -> bool:
    """Whether a proven caller with *role* may call a method that has *need*."""
    return True if isinstance(need, Anyone) else covers(role, need)
