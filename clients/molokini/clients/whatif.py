"""``molokini whatif``: the hours to come under other policies, or without some nodes. Nothing is changed."""

import importlib
from dataclasses import fields
from pathlib import Path

from molokini.clients.arguments.whatif import WhatIfArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, write_json
from molokini.model.errors import BadFile
from molokini.workloads.atomic import atomic_path

_MOST_ROWS = 8
"""Rows of winners and losers for people; JSON has all."""


def whatif(arguments: WhatIfArguments) -> int:
    """Fetch the state, run it on here, in this process, and show what comes of it."""
    # Heavy: numpy and the engine, which `molokini --help` leaves alone.
    from molokini.experiments.whatif import what_if
    from molokini.experiments.whatif_asked import Asked, checked

    check_outputs({"--json": arguments.json_file, "--plot": arguments.plot, "--save": arguments.save})
    check_picture("--plot", arguments.plot)
    # What can be seen to be wrong is refused before anything is fetched.
    asked = checked(Asked(**{one.name: getattr(arguments, one.name) for one in fields(Asked)}))
    present = _present(arguments)
    question = asked.about(present)
    answer = what_if(present, question)
    if arguments.save is not None:
        with atomic_path(arguments.save) as temporary:
            temporary.write_bytes(present.to_bytes())
    document = answer.document
    write_json(document, arguments.json_file)
    if arguments.json_file != STANDARD_OUTPUT:
        from molokini.clients.show.whatif_tables import show_whatif

        show_whatif(document, _MOST_ROWS)
    if arguments.plot is not None:
        from molokini.plots import save
        from molokini.plots.whatif_picture import whatif_picture

        processors = present.tables.machine.processors_in_all
        note = f"{len(present.jobs):,} jobs there, {question.seeds:,} draws, arrivals: {document['arrivals']}"
        title = f"the next {question.hours:g} hours"
        figure = whatif_picture(answer.scenarios, present.now_s, answer.until_s, processors, title, note)
        save(figure, arguments.plot)
    return 0


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
