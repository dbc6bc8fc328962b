"""``molokini init``: a configuration to begin with."""

import os
from pathlib import Path

from molokini.clients.arguments.servers import InitArguments
from molokini.model.errors import BadFile

BEGINNING = """\
# Molokini: a server and its agents. docs/configuration.md has every key, its range and its default.
# What stands behind a single "#" and a key is an example: take the sign away to use it.
#
#   molokini serve --config {file} --new     starts the server for the first time; later without --new
#   molokini up --config {file}              the same, with emulated nodes in one process, to try it
#
# A running server reads this file again at SIGHUP (systemctl reload). A mistake changes nothing then.

[server]
# The name of the cluster; tokens are made for it.
name = "molokini"
# Where gRPC listens. Another address than a loopback one needs [security] mode "tls" or "mtls".
listen = "127.0.0.1:7077"
# The state: a folder (beside this file unless it begins with "/"), or a database.
journal = "./molokini-state"
#journal = "/var/lib/molokini"
#journal = "postgresql://molokini@database/molokini"

[policy]
# Which policy decides; "molokini policies" lists them.
name = "easy"
# For the policy maui: the site's configuration; "molokini config check maui.cfg" explains it.
#maui_config = "maui.cfg"
# A folder with policies of your own, one file each.
#folder = "policies"

[clock]
# real; scaled (see rate), stepped or virtual for tests.
kind = "real"

# Queues. Jobs that name none go to the first.
[[queues]]
name = "default"

#[[queues]]
#name = "short"
#max_estimate_s = 3600.0
#max_running_per_user = 20

# Nodes that the server emulates. Agents bring others, of other names.
#[[nodes]]
#names = "node[001-016]"
#processors = 16
#memory_kb = 67108864

[security]
# token: this machine alone. tls: others with tokens. mtls: others with certificates ("molokini certs").
mode = "token"
#certificate = "certs/server.pem"
#key = "certs/server.key"
#ca = "certs/ca.pem"
# Whether users see their own jobs alone.
privacy = false
# What users may do: user, operator or administrator. The owner of the server is an administrator.
#users = {{ alice = "operator" }}

# Agents. One on this machine, whose jobs really run, is started by
#   molokini agent --mode process --server 127.0.0.1:7077 --token-file molokini-state/agent-token
# and one on another machine (with "tls" or "mtls" above) by
#   molokini agent --mode process --server HOST:7077 --name n1 --token-file n1.token
# "molokini token issue n1 --role node --file n1.token" makes the token.
# docs/operations.md has units for systemd.
[agents]
# Seconds after which an agent that hears nothing ends its jobs; restart a server within this time.
lease_s = 30.0
# Seconds that the server waits beyond that before a job may start elsewhere.
margin_s = 5.0

[log]
# debug, info, warning or error.
level = "info"
# json: one object a line.
format = "text"
"""


def init(arguments: InitArguments) -> None:
    """Write the configuration; raises BadFile where a file is there, or cannot be written."""
    path = Path(arguments.file)
    text = BEGINNING.format(file=arguments.file).encode()
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        raise BadFile(arguments.file, "there is one already; name another file, or move it away") from None
    except FileNotFoundError:
        raise BadFile(arguments.file, "there is no such folder; make it first") from None
    except OSError as error:
        raise BadFile(arguments.file, f"cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(opened, "wb") as file:
            file.write(text)
    except BaseException:
        path.unlink()
        raise
    print(f"{arguments.file}: written; molokini serve --config {arguments.file} --new starts the server")
