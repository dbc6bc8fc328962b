"""``molokini collect slurm``: a site's records, gathered on a login node into one file."""

from molokini.clients.arguments.collecting import CollectSlurmArguments
from molokini.clients.output import check_outputs
from molokini.model.errors import BadInput, BadValue
from molokini.slurm.collecting import slurm_collect


def collect(arguments: CollectSlurmArguments) -> None:
    """Collect, and say what was found. Raises BadInput where a command of Slurm fails."""
    if not 1 <= arguments.days <= 10_000:
        raise BadValue("--days", arguments.days, "a whole number from 1 to 10,000")
    check_outputs({"--output": arguments.output}, [arguments.conf] if arguments.conf else [])
    try:
        about, rows = slurm_collect.make(
            arguments.days, arguments.output, arguments.conf, arguments.keep_names
        )
    except slurm_collect.Failed as error:
        raise BadInput(str(error)) from None
    print("\n".join(slurm_collect.said(arguments.output, about, rows)))
