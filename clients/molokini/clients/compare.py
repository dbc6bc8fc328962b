"""``molokini compare``: workloads under several policies, and which differences mean something."""

from molokini.clients.arguments.runs import CompareArguments
from molokini.clients.compared_files import (
    check_files,
    host_files,
    wants_schedules,
    with_difference,
    write_files,
)
from molokini.clients.hosting import COMMAND
from molokini.clients.output import STANDARD_OUTPUT
from molokini.experiments.comparing import check, compared


def compare(arguments: CompareArguments) -> None:
    """Replay everything, write what was asked for, print the tables."""
    asked = arguments
    check(asked)
    check_files(arguments, asked)
    found = compared(asked, COMMAND, wants_schedules(arguments))
    document = with_difference(found, arguments)
    write_files(found, document, arguments)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.comparison_tables import show_comparison

        show_comparison(document)
    host_files(found, arguments)
