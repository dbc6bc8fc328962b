"""``molokini workload estimates``: a log with estimates of run times that a model makes."""

from typing import Any

import numpy as np

from molokini.clients.arguments.estimates import EstimatesArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_table, write_json
from molokini.clients.policies import parameter_part
from molokini.experiments.choosing import settings
from molokini.experiments.logs import read_log
from molokini.experiments.models import spec_of
from molokini.experiments.parts import plain_values
from molokini.model.errors import BadInput, UnknownName
from molokini.model.policy import Value, values_of
from molokini.model.text import figure, plural
from molokini.workloads.estimates.table import MODELS, OWN_PARAMETERS, estimates
from molokini.workloads.filters import with_note
from molokini.workloads.readers import write_workload
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats, Workload

SCHEMA = "molokini.estimates/1"


def give_estimates(arguments: EstimatesArguments) -> dict[str, Any]:
    """Read, estimate, write; without a log list the models. Also returns what the JSON holds."""
    if arguments.log is None:
        return _listed(arguments)
    if arguments.model is None or arguments.output is None:
        raise BadInput("say which estimates, and where to: --model NAME --output FILE")
    check_table("--output", arguments.output)
    check_outputs({"--output": arguments.output, "--json": arguments.json}, [arguments.log])
    if arguments.model not in MODELS:
        raise UnknownName("model of estimates", arguments.model, MODELS)
    log, values = _read(arguments)
    chosen = ~log.estimated if arguments.only_missing else np.ones(len(log), np.bool_)
    found: Floats = np.zeros(len(log))
    run_s = log.run_s[chosen]
    whole = bool((run_s == np.rint(run_s)).all())
    found[chosen] = estimates(arguments.model, values, Streams(arguments.seed), run_s, whole)
    told = "".join(f", {name}={value}" for name, value in values.items())
    made = with_note(
        log.with_estimates(found),
        f"estimates of {plural(int(chosen.sum()), 'job')} made by molokini: {arguments.model}{told}, "
        f"seed {arguments.seed}",
    )
    write_workload(made, arguments.output)
    result = _result(arguments, made, chosen, values)
    write_json(result, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        _show(result)
    return result


def _read(arguments: EstimatesArguments) -> tuple[Workload, dict[str, Value]]:
    """The log, and the value of each parameter; what a generated log has of ``--set`` is its own."""
    assert arguments.log is not None
    known = {parameter.name for parameter in OWN_PARAMETERS}
    given = settings(arguments.set)
    mine = {name: value for name, value in given.items() if name in known}
    others = {name: value for name, value in given.items() if name not in known}
    values = values_of("the model of estimates", OWN_PARAMETERS, mine)
    if spec_of(arguments.log) is None and others:
        raise UnknownName("parameter of models of estimates", min(others), known)
    log = read_log(
        arguments.log,
        strict=arguments.strict,
        jobs=arguments.jobs,
        seed=arguments.seed,
        form=arguments.input_format,
        given=others,
    )
    used: dict[str, tuple[str, ...]] = {"rounded": ("most",), "tsafrir": ("most", "bins")}
    used |= {name: (name, "most") for name in ("f", "phi", "multiple")}
    names = used.get(str(arguments.model), ())
    return log, {name: value for name, value in values.items() if name in names}


def _result(
    arguments: EstimatesArguments, made: Workload, chosen: Any, values: dict[str, Value]
) -> dict[str, Any]:
    times, counts = np.unique(made.estimate_s[chosen], return_counts=True)
    popular = np.argsort(-counts, kind="stable")[:10]
    accuracy = made.run_s[chosen] / np.maximum(made.estimate_s[chosen], 1e-300)
    return {
        "schema": SCHEMA,
        "model": arguments.model,
        "parameters": plain_values(values),
        "seed": arguments.seed,
        "jobs": len(made),
        "estimated": int(chosen.sum()),
        "distinct": int(times.size),
        "mean_accuracy": float(accuracy.mean()) if accuracy.size else None,
        "popular": [{"estimate_s": float(times[at]), "jobs": int(counts[at])} for at in popular.tolist()],
        "output": arguments.output,
    }


def _show(result: dict[str, Any]) -> None:
    from molokini.clients.show.tables import console, lines

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
        "models": [{"name": name, "summary": told} for name, told in MODELS.items()],
        "parameters": [parameter_part(parameter) for parameter in OWN_PARAMETERS],
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.policy_tables import show_parameters
        from molokini.clients.show.tables import console, lines

        width = max(map(len, MODELS)) + 2
        lines(console(), [f"{name.ljust(width)}{told}" for name, told in MODELS.items()], hang=width)
        show_parameters(found["parameters"])
    return found
