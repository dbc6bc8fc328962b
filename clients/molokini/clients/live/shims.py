"""``molokini shims``."""

from pathlib import Path

from molokini.client.endpoint import STATE
from molokini.clients.arguments.servers import ShimsArguments
from molokini.clients.live.shim_files import write_shims
from molokini.clients.show.lines import show_json
from molokini.compat.table import commands
from molokini.model.errors import BadValue, UnknownName


def shims(arguments: ShimsArguments) -> int:
    """Write the batch commands, and say which."""
    if not arguments.folder:
        # As a path it would be the present folder, which a variable without a value hardly means.
        raise BadValue("DIR", arguments.folder, "the name of a folder; . is the present one")
    known = commands()
    for name in arguments.system:
        if name not in known:
            raise UnknownName("system", name, known)
    wanted = {name: known[name] for name in dict.fromkeys(arguments.system or known)}
    home = arguments.state.absolute() if arguments.state else STATE.absolute() if STATE.exists() else ""
    written = write_shims(Path(arguments.folder), wanted, str(home))
    if arguments.json:
        names = [path.name for path in written]
        show_json("molokini.shims/1", {"folder": arguments.folder, "commands": names})
    else:
        folder = Path(arguments.folder).absolute()
        print(f"{len(written)} commands in {arguments.folder}: export PATH={folder}:$PATH")
    return 0
