"""``molokini workload models``: the workloads that ``--workload`` can make, and what each takes."""

from typing import Any

from molokini.clients.arguments.workloads import ModelsArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.clients.policies import parameter_part
from molokini.workloads.generated import Generated, all_generated, generated

SCHEMA = "molokini.models/1"


def models(arguments: ModelsArguments) -> dict[str, Any]:
    """Write what was asked for and print the list; also returns what the JSON holds."""
    check_outputs({"--json": arguments.json})
    chosen = all_generated() if arguments.name is None else [generated(arguments.name)]
    listed = [_described(model) for model in chosen]
    found = {"schema": SCHEMA, "models": listed}
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.policy_tables import show_models, show_parameters
        from molokini.clients.show.rich_tables import console, lines

        if arguments.name is None:
            show_models(listed, "molokini workload models")
        else:
            one = listed[0]
            note = f"note: {one['note']}" if one["note"] else ""
            lines(console(), [f"{one['name']}: {one['summary']}", f"source: {one['source']}", note])
            show_parameters(listed[0]["parameters"])
    return found


def _described(model: Generated) -> dict[str, Any]:
    return {
        "name": model.name,
        "summary": model.summary,
        "source": model.source,
        "note": model.note,
        "unverified": [one.name for one in model.parameters if "unverified" in one.source],
        "parameters": [parameter_part(parameter) for parameter in model.parameters],
    }
