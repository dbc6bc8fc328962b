"""``molokini capacity``: how much of a machine a policy can use at most, and what communication costs."""

from molokini.clients.arguments.runs import CapacityArguments
from molokini.clients.hosting import COMMAND
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.experiments.saturating import check, measured


def capacity(arguments: CapacityArguments) -> None:
    """Measure, write what was asked for, print the table."""
    asked = arguments
    check(asked)
    inputs = (arguments.log, arguments.node_events)
    check_outputs({"--json": arguments.json}, [name for name in inputs if name])
    document = measured(asked, COMMAND)
    write_json(document, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.capacity_tables import show_capacity

        show_capacity(document)
