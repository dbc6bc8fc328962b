"""The least role that every method of every service needs. No caller may call what is not in this table."""

from enum import StrEnum

from molokini.server.security.roles import Role, covers


class Anyone(StrEnum):
    """Needs that are no role."""

    OPEN = "open to every caller, without a proof"
    PROVEN = "any proven identity, a node's too"


Need = Role | Anyone

_JOBS = (
    "Submit",
    "SubmitStream",
    "SubmitMany",
    "GetJob",
    "ListJobs",
    "WatchJobs",
    "WaitJobs",
    "CancelJobs",
    "HoldJobs",
    "ReleaseJobs",
    "RequeueJobs",
    "SuspendJobs",
    "ResumeJobs",
    "SignalJobs",
    "AlterJob",
    "ExplainJob",
    "ForecastJob",
)
_READ_CLUSTER = (
    "GetCluster",
    "ListNodes",
    "ListQueues",
    "GetPolicy",
    "GetClock",
    "ListReservations",
    "GetReport",
    "GetStatement",
)

NEEDS: dict[str, Need] = {
    # The owner of a job is looked at where the job is known: permissions.may.
    **{f"/molokini.v1.JobService/{method}": Role.USER for method in _JOBS},
    **{f"/molokini.v1.ClusterService/{method}": Role.USER for method in _READ_CLUSTER},
    "/molokini.v1.JobService/SliceJobs": Role.OPERATOR,
    "/molokini.v1.JobService/ListSlices": Role.OPERATOR,
    "/molokini.v1.JobService/StartJobs": Role.OPERATOR,
    "/molokini.v1.ClusterService/ChangeNodes": Role.OPERATOR,
    # Operators open and close queues; limits and access are an administrator's: permissions.may.
    "/molokini.v1.ClusterService/SetQueue": Role.OPERATOR,
    "/molokini.v1.ClusterService/SetPolicy": Role.ADMINISTRATOR,
    "/molokini.v1.ClusterService/ChangeMauiParameter": Role.ADMINISTRATOR,
    "/molokini.v1.ClusterService/TraceIteration": Role.ADMINISTRATOR,
    "/molokini.v1.ClusterService/ChangeScheduling": Role.ADMINISTRATOR,
    "/molokini.v1.ClusterService/ResetStatistics": Role.ADMINISTRATOR,
    "/molokini.v1.ClusterService/ShadowPolicy": Role.ADMINISTRATOR,
    "/molokini.v1.ClusterService/ChangeClock": Role.ADMINISTRATOR,
    "/molokini.v1.ClusterService/CreateReservation": Role.ADMINISTRATOR,
    "/molokini.v1.ClusterService/ReleaseReservation": Role.ADMINISTRATOR,
    # Refunds are an operator's; deposits and withdrawals an administrator's: permissions.may.
    "/molokini.v1.ClusterService/BookAccount": Role.OPERATOR,
    # Tokens in other names than the caller's own are an administrator's: permissions.may_grant.
    "/molokini.v1.TokenService/IssueToken": Role.OPERATOR,
    "/molokini.v1.TokenService/ListTokens": Role.USER,
    "/molokini.v1.TokenService/RevokeTokens": Role.USER,
    "/molokini.v1.TokenService/RotateTokens": Role.ADMINISTRATOR,
    "/molokini.v1.AgentService/Connect": Role.NODE,
    "/molokini.v1.AgentService/ListAgents": Role.OPERATOR,
    # Where the first agent still runs, what it runs may be run twice.
    "/molokini.v1.AgentService/ReleaseAgent": Role.ADMINISTRATOR,
    # Load balancers and service managers have no credentials, and learn nothing but "serving".
    "/grpc.health.v1.Health/Check": Anyone.OPEN,
    "/grpc.health.v1.Health/List": Anyone.OPEN,
    "/grpc.health.v1.Health/Watch": Anyone.OPEN,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": Anyone.PROVEN,
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": Anyone.PROVEN,
}


def satisfied(need: Need, role: Role) -> bool:
    """Whether a proven caller with *role* may call a method that has *need*."""
    return True if isinstance(need, Anyone) else covers(role, need)
