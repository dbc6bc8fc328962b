"""What the shell said to ``submit``, ``alter`` and ``jobs``; as in ``arguments.py``, loaded without that."""

from dataclasses import dataclass

from molokini.clients.live import options


@dataclass(frozen=True, kw_only=True)
class WishArguments:
    """What ``submit`` and ``alter`` have in common."""

    processors: options.Processors = None
    nodes: options.Nodes = None
    processors_per_node: options.ProcessorsPerNode = None
    components: options.Components = None
    request: options.Request = None
    memory: options.Memory = None
    gpus: options.Gpus = None
    feature: options.Features = ()
    estimate: options.Estimate = None
    queue: options.Queue = None
    account: options.Account = None
    group: options.Group = None
    qos: options.Qos = None
    priority: options.Priority = None
    begin: options.Begin = None
    deadline: options.Deadline = None
    name: options.Name = None
    requeue: options.Requeue = None
    comment: options.Comment = None
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class SubmitArguments(WishArguments):
    """``molokini submit``."""

    script: options.Script = ()
    argv: options.Argv = ()
    """What stands behind ``--``."""
    after: options.After = ()
    array: options.Array = None
    divisible: options.Divisible = None
    cms: options.Cms = None
    cps: options.Cps = None
    st: options.St = None
    sc: options.Sc = None
    communication: options.CommunicationPattern = None
    message: options.Message = None
    hold: options.Held = False
    key: options.Key = None
    emulate: options.Emulate = None
    directory: options.Directory = None
    input: options.Input = None
    output: options.Output = None
    error: options.Error = None
    env: options.Environment = ()
    mail_on: options.MailEvents = ()
    mail_to: options.MailTo = ()
    notify: options.Notify = None


@dataclass(frozen=True, kw_only=True)
class AlterArguments(WishArguments):
    """``molokini alter``."""

    job: options.OneJob


@dataclass(frozen=True, kw_only=True)
class JobsArguments:
    """``molokini jobs``."""

    ids: options.SomeJobs = ()
    user: options.Users = ()
    queue: options.Queues = ()
    state: options.States = ()
    name: options.OnlyName = None
    all: options.All = False
    deadline_met: options.DeadlineMet = None
    elements: options.Elements = False
    json: options.Json = False
