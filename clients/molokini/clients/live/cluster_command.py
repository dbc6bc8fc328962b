"""``molokini cluster``."""

from molokini.clients.arguments.shared import JsonArguments
from molokini.clients.live.connection import with_client
from molokini.clients.show.lines import show_facts, show_json
from molokini.proto.v1.cluster_service_pb2 import Cluster

_LIMITS = ("array_elements",)
"""Of the configuration: for programs."""
_LICENSES = ("licenses", "licenses_used")
"""By their names."""
_DEADLINES = ("deadlines_met", "deadlines_missed", "deadlines_refused")


def cluster(arguments: JsonArguments) -> int:
    """Show the whole in figures."""
    found = with_client(lambda client: client.cluster())
    if arguments.json:
        show_json("molokini.cluster/1", {name: _value(found, name) for name in _names()})
        return 0
    # A cluster on which no job ever had a deadline does not speak of any.
    shown = [
        name
        for name in _names()
        if name not in (*_LIMITS, *_DEADLINES, *_LICENSES)
        or (name in _DEADLINES and any(getattr(found, d) for d in _DEADLINES))
    ]
    facts = {name.replace("_", " "): str(getattr(found, name)) for name in shown}
    for name, total in sorted(found.licenses.items()):
        facts[f"licenses {name}"] = f"{found.licenses_used[name]} of {total}"
    show_facts(facts)
    return 0


def _value(found: Cluster, name: str) -> object:
    return dict(getattr(found, name)) if name in _LICENSES else getattr(found, name)


def _names() -> list[str]:
    return [field.name for field in Cluster.DESCRIPTOR.fields]
