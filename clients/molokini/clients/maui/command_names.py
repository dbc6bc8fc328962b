"""What Maui's commands are called here, for users who type Maui's names."""

import re

_HERE = {
    **dict.fromkeys(
        ("showq", "showbf", "showres", "showstats", "showstart", "showconfig", "showgrid"), "maui {}"
    ),
    **dict.fromkeys(("checkjob", "checknode", "setres", "releaseres", "diagnose", "changeparam"), "maui {}"),
    "canceljob": "cancel ID",
    "sethold": "hold ID",
    "releasehold": "release ID",
    "setqos": "alter ID --qos NAME",
    "showstate": "nodes",
    "mdiag": "maui diagnose",
    "mbal": "bank balance",
    "mjobctl": "cancel, hold, release, requeue, suspend, resume or alter",
    "mnodectl": "nodes --drain, --resume or --down",
    "mresctl": "maui setres and maui releaseres",
    "mschedctl": "clock and schedule --once",
}
_NOWHERE = {
    **dict.fromkeys(
        ("runjob", "resetstats", "schedctl", "setspri"), "'molokini shims DIR --system maui' writes it"
    ),
    "mprof": "'molokini simulate LOG --by user' makes tables of a trace",
    "mshow": "'molokini maui --help' lists what shows something",
    "mstat": "'molokini maui showstats' shows statistics",
}
_NO_COMMAND = re.compile(r"No such command '([a-z]+)'")


def hint(message: str) -> str:
    """What to say of a command of Maui's that *message* says there is not; empty of any other."""
    match = _NO_COMMAND.match(message)
    if match is None:
        return ""
    name = match[1]
    if name in _HERE:
        return f"No such command '{name}': it is Maui's; use 'molokini {_HERE[name].format(name)}'"
    return f"No such command '{name}': it is Maui's; {_NOWHERE[name]}" if name in _NOWHERE else ""
