"""``molokini workload estimates``: a log with estimates of run times that a model makes."""

from typing import Any

from molokini.clients.arguments.estimates import EstimatesArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_table, write_json
from molokini.clients.policies import parameter_part
from molokini.experiments.estimating import check_model, refuse_others, split_settings, with_model
from molokini.experiments.logs import read_log
from molokini.experiments.models import spec_of
from molokini.model.errors import BadInput
from molokini.model.text import figure, plural
from molokini.workloads.estimates.table import MODELS, OWN_PARAMETERS
from molokini.workloads.readers import write_workload

SCHEMA = "molokini.estimates/1"


def give_estimates(arguments: EstimatesArguments) -> dict[str, Any]:
    """Read, estimate, write; without a log list the models. Also returns what the JSON holds."""
    if arguments.log is None:
        return _listed(arguments)
    if arguments.model is None or arguments.output is None:
        raise BadInput("say which estimates, and where to: --model NAME --output FILE")
    check_table("--output", arguments.output)
    check_outputs({"--output": arguments.output, "--json": arguments.json}, [arguments.log])
    check_model(arguments.model)
    mine, others = split_settings(arguments.set)
    if spec_of(arguments.log) is None:
        refuse_others(others)
    log = read_log(
        arguments.log,
        strict=arguments.strict,
        jobs=arguments.jobs,
        seed=arguments.seed,
        form=arguments.input_format,
        given=others,
    )
    made, part = with_model(log, arguments.model, mine, arguments.seed, arguments.only_missing)
    write_workload(made, arguments.output)
    result = {"schema": SCHEMA, **part, "output": arguments.output}
    write_json(result, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        _show(result)
    return result


def _show(result: dict[str, Any]) -> None:
    from molokini.clients.show.rich_tables import console, lines

    top = ", ".join(f"{one['estimate_s']:g} s ({one['jobs']:,})" for one in result["popular"][:5])
    accuracy = result["mean_accuracy"]
    lines(
        console(),
        [
            f"{result['output']}: {plural(result['jobs'], 'job')}, {result['estimated']:,} with estimates by "
            f"{result['model']}",
            f"{plural(result['distinct'], 'different value')}; the most frequent: {top or 'none'}",
            f"run time over estimate: {figure(accuracy, 3)} on average" if accuracy is not None else "",
        ],
    )


def _listed(arguments: EstimatesArguments) -> dict[str, Any]:
    """The models and their parameters."""
    if arguments.model is not None or arguments.output is not None:
        raise BadInput("a LOG is needed, to which estimates are given")
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "models": [{"name": name, "summary": summary} for name, summary in MODELS.items()],
        "parameters": [parameter_part(parameter) for parameter in OWN_PARAMETERS],
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.policy_tables import show_parameters
        from molokini.clients.show.rich_tables import console, lines

        width = max(map(len, MODELS)) + 2
        lines(console(), [f"{name.ljust(width)}{summary}" for name, summary in MODELS.items()], hang=width)
        show_parameters(found["parameters"])
    return found
