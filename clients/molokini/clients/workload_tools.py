"""``molokini workload clean``, ``split`` and ``merge``."""

from pathlib import Path
from typing import Any

from molokini.clients.arguments.workload_tools import CleanArguments, MergeArguments, SplitArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.experiments.models import given_to
from molokini.experiments.spans import span_s
from molokini.experiments.whole_logs import read_whole_log
from molokini.model.errors import BadFile, BadInput
from molokini.workloads.tools.cleaning import clean as cleaned
from molokini.workloads.tools.filter_language import Filter, read_filter, read_filters
from molokini.workloads.tools.merging import merge as merged
from molokini.workloads.tools.notes import filters_in
from molokini.workloads.tools.splitting import SplitRequest
from molokini.workloads.tools.splitting import split as parts_of
from molokini.workloads.tools.whole import ENDINGS, check_name, read_whole, stem, write_whole

SCHEMA = "molokini.log-tool/1"


def clean(arguments: CleanArguments) -> dict[str, Any]:
    """Report what is odd in a log, remove what the filters name; also returns what the JSON holds."""
    if arguments.output is not None:
        check_name("--output", arguments.output)
    check_outputs({"--output": arguments.output, "--json": arguments.json}, [arguments.log])
    filters = _filters(arguments)
    log = read_whole_log(arguments.log, form=arguments.input_format, given=arguments.set)
    result = cleaned(log, filters)
    if not len(result.log):
        raise BadInput(f"{log.name}: no record is left after the filters")
    if arguments.output is not None:
        write_whole(result.log, arguments.output)
    found = {
        "schema": SCHEMA,
        "tool": "clean",
        "file": log.name,
        "written": arguments.output,
        **result.report(),
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.tool_tables import show_cleaning

        show_cleaning(found)
    return found


def split(arguments: SplitArguments) -> dict[str, Any]:
    """Write each part of a log to a file of its own; also returns what the JSON holds."""
    wanted = SplitRequest(
        share=arguments.share,
        warm_up_s=span_s("--warm-up", arguments.warm_up),
        cool_down_s=span_s("--cool-down", arguments.cool_down),
        seed=arguments.seed,
    )
    check_outputs({"--json": arguments.json}, [arguments.log])
    log = read_whole_log(arguments.log, form=arguments.input_format, seed=arguments.seed, given=arguments.set)
    ending = ENDINGS[1] if arguments.packed else ENDINGS[0]
    parts = {
        f"{stem(log.name)}-{name}{ending}": part for name, part in parts_of(log, arguments.by, wanted).items()
    }
    if arguments.into is not None:
        folder = Path(arguments.into)
        _make(folder)
        check_outputs({f"part {name}": str(folder / name) for name in parts}, [arguments.log])
        for name, part in parts.items():
            write_whole(part, folder / name)
    found = {
        "schema": SCHEMA,
        "tool": "split",
        "file": log.name,
        "by": arguments.by,
        "folder": arguments.into,
        "parts": [
            {
                "file": name,
                "records": len(part),
                "first_submit_s": float(part.column("submit_s").min()),
                "last_submit_s": float(part.column("submit_s").max()),
            }
            for name, part in parts.items()
        ],
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.tool_tables import show_parts

        show_parts(found)
    return found


def merge(arguments: MergeArguments) -> dict[str, Any]:
    """Write several logs as one; also returns what the JSON holds."""
    check_name("--output", arguments.output)
    check_outputs({"--output": arguments.output, "--json": arguments.json}, arguments.logs)
    logs = [
        read_whole_log(log, form=arguments.input_format, given=given)
        for log, given in zip(arguments.logs, given_to(arguments.logs, arguments.set), strict=True)
    ]
    result = merged(logs, arguments.processors, align=arguments.align == "start")
    write_whole(result.log, arguments.output)
    found = {
        "schema": SCHEMA,
        "tool": "merge",
        "files": [{"file": log.name, "records": len(log)} for log in logs],
        "written": arguments.output,
        "records": len(result.log),
        "parts_of_one_log": result.parts,
        "warnings": list(result.warnings),
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.tool_tables import show_merge

        show_merge(found)
    return found


def _filters(arguments: CleanArguments) -> list[Filter]:
    """Those of another log's header, then those of a file, then those of the command line."""
    found: list[Filter] = []
    if arguments.filters_of is not None:
        texts = filters_in(read_whole(arguments.filters_of).header)
        if not texts:
            raise BadInput(f"{arguments.filters_of}: its header has no filters")
        where = f"header of {arguments.filters_of}"
        found += [read_filter(text, where, place) for place, (text, _) in enumerate(texts, 1)]
    if arguments.filters is not None:
        try:
            text = Path(arguments.filters).read_text(encoding="utf-8")
        except (OSError, UnicodeError, ValueError) as error:
            raise BadFile(arguments.filters, getattr(error, "strerror", None) or str(error)) from None
        found += read_filters(text, arguments.filters)
    return found + [read_filter(text, "--filter") for text in arguments.filter]


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(str(folder), error.strerror or str(error)) from None
