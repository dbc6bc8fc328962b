"""Which calls may be made again after a lost answer; ``make proto`` writes this file.

A call that is not listed may be. The others have the field of the request that decides, if there is one, and
whether the call may be repeated where that field is set. Streams are not here.
"""

RULES: dict[str, tuple[str, bool]] = {
    "JobService/Submit": ("spec.submission_key", True),
    "JobService/RequeueJobs": ("", False),
    "JobService/StartJobs": ("", False),
    "JobService/SignalJobs": ("", False),
    "ClusterService/SetQueue": ("remove", False),
    "ClusterService/CreateReservation": ("", False),
    "ClusterService/ReleaseReservation": ("", False),
    "ClusterService/TraceIteration": ("dry_run", True),
    "ClusterService/ChangeScheduling": ("pause_after", False),
    "ClusterService/BookAccount": ("", False),
    "ClusterService/ChangeClock": ("advance_s", False),
    "TokenService/IssueToken": ("", False),
    "TokenService/RotateTokens": ("", False),
    "AgentService/ReleaseAgent": ("", False),
}
