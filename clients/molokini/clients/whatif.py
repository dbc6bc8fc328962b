"""``molokini whatif``: the hours to come under other policies, or without some nodes. Nothing is changed."""

import importlib
from dataclasses import replace
from pathlib import Path

from molokini.clients.arguments.whatif import WhatIfArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, write_json
from molokini.model.errors import BadFile, BadInput
from molokini.model.spans import seconds

_MOST_ROWS = 8
"""Rows of winners and losers for people; JSON has all."""
_USUAL_SEEDS = 10


def whatif(arguments: WhatIfArguments) -> int:
    """Fetch the state, run it on here, in this process, and show what comes of it."""
    # Heavy: numpy and the engine, which `molokini --help` leaves alone.
    from molokini.experiments.whatif import Drain, Question, what_if
    from molokini.model.dates import Clock, instant_of
    from molokini.model.instants import is_calendar
    from molokini.model.names import expand
    from molokini.whatif.drawing import Arriving

    check_outputs({"--json": arguments.json_file, "--plot": arguments.plot, "--save": arguments.save})
    check_picture("--plot", arguments.plot)
    seeds = arguments.seeds
    if seeds is None:
        seeds = _USUAL_SEEDS if arguments.arrivals == Arriving.RESAMPLED else 0
    # What can be seen to be wrong is refused before anything is fetched.
    question = Question(hours=arguments.hours, seeds=seeds)
    if arguments.drain is None and (arguments.from_when or arguments.for_time):
        raise BadInput("--from and --for say when nodes are away: give --drain NODES, too")
    names = tuple(expand(arguments.drain)) if arguments.drain is not None else ()
    for_s = seconds("--for", _span(arguments.for_time)) if arguments.for_time is not None else None
    arriving = _arrivals(arguments.arrivals)
    present = _present(arguments)
    drains = []
    if names:
        now_s = present.now_s
        clock = Clock(now_s=now_s, zero_s=0.0 if is_calendar(now_s) else None)
        from_s = instant_of("--from", arguments.from_when, clock) if arguments.from_when else now_s
        to_s = from_s + for_s if for_s is not None else max(now_s + arguments.hours * 3600.0, from_s + 1.0)
        drains.append(Drain(names, from_s, to_s))
    question = replace(
        question,
        policies=tuple(arguments.policy),
        maui_configs=tuple(arguments.maui_config),
        drains=tuple(drains),
        arrivals=arriving,
    )
    answer = what_if(present, question)
    if arguments.save is not None:
        Path(arguments.save).write_bytes(present.to_bytes())
    document = answer.document
    write_json(document, arguments.json_file)
    if arguments.json_file != STANDARD_OUTPUT:
        from molokini.clients.show.whatif_tables import show_whatif

        show_whatif(document, _MOST_ROWS)
    if arguments.plot is not None:
        from molokini.plots import save
        from molokini.plots.whatif_picture import whatif_picture

        processors = present.tables.machine.processors_in_all
        note = f"{len(present.jobs):,} jobs there, {seeds:,} draws, arrivals: {document['arrivals']}"
        title = f"the next {arguments.hours:g} hours"
        figure = whatif_picture(answer.scenarios, present.now_s, answer.until_s, processors, title, note)
        save(figure, arguments.plot)
    return 0


def _span(text: str) -> str:
    """``12h`` and ``2d`` beside the usual forms."""
    units = {"h": 3600, "d": 86_400, "m": 60}
    if text[:-1].isdecimal() and text[-1:] in units:
        return str(int(text[:-1]) * units[text[-1]])
    return text


def _arrivals(text: str):  # type: ignore[no-untyped-def]
    """The kind of arrivals, or the workload of the log *text*."""
    from molokini.whatif.drawing import Arriving

    if text in tuple(Arriving):
        return Arriving(text)
    if not Path(text).exists():
        raise BadInput(f"--arrivals {text}: neither none nor resampled, and there is no such log")
    from molokini.experiments.logs import read_log

    return read_log(text)


def _present(arguments: WhatIfArguments):  # type: ignore[no-untyped-def]
    """The state from which to go on."""
    from molokini.whatif.present import Present

    if arguments.state is None:
        from molokini.clients.live.connection import with_client

        async def fetch(client):  # type: ignore[no-untyped-def]
            import base64

            return base64.b64decode((await client.report("state"))["state"])

        return Present.from_bytes(with_client(fetch))
    path = Path(arguments.state)
    if path.is_file():
        return Present.from_bytes(path.read_bytes())
    if not path.is_dir():
        raise BadFile(str(path), "there is no such folder or file of a state")
    return importlib.import_module("molokini.app.state_folder").present_in(path)
