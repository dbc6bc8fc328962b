"""``molokini config check slurm.conf``: what becomes of each line."""

from collections.abc import Callable

from molokini.clients.arguments.configs import CheckConfigArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.model.findings import as_data, counted
from molokini.slurm import check as check_file

CHECK_SCHEMA = "molokini.config-check/1"


def check(arguments: CheckConfigArguments, shown: Callable[[str], str] = str) -> None:
    """Write and print what becomes of each parameter; *shown* makes of a file's name what is told.

    Raises BadFile where anything is refused.
    """
    check_outputs({"--json": arguments.json}, [arguments.file, *arguments.slurm_accounts])
    report = check_file(arguments.file, arguments.slurm_accounts)
    found = {
        "schema": CHECK_SCHEMA,
        "file": shown(arguments.file),
        "usable": report.config is not None,
        "counts": counted(report.findings),
        "findings": [{**as_data(one), "file": shown(one.file)} for one in report.findings],
    }
    write_json(found, arguments.json)
    unread = bool(report.refused) and all(one.line is None and not one.parameter for one in report.refused)
    if arguments.json != STANDARD_OUTPUT and not unread:
        from molokini.clients.show.config_tables import show_check

        show_check(found)
    report.checked()
