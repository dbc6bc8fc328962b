"""The tables of the configuration that protect the server: limits on requests, and who may do what."""

from pathlib import Path
from typing import Literal

from molokini.server.config.fields import (
    LONGEST_S,
    Flag,
    Name,
    Number,
    Section,
    Text,
    Whole,
    entry,
    file,
    flag,
    number,
    whole,
)

_MIB = 2**20
MONTH_S = 31 * 86_400.0
"""No token lives longer."""


class Limits(Section):
    """Bounds of what one request, and one user, may ask for."""

    message_bytes: Whole = whole(
        4 * _MIB, "Largest message, in bytes; a larger one is refused unread.", 65_536, 64 * _MIB
    )
    requests_per_second: Number = number(
        5000.0,
        "Calls that one user may begin a second, in the long run; beyond, the answer says when to try again. "
        "Messages inside a stream are not calls.",
        0.1,
        1e6,
        reload=True,
    )
    burst: Whole = whole(
        10_000, "Calls that one user may begin at once after a rest.", 1, 1_000_000, reload=True
    )
    bad_credentials_per_second: Number = number(
        5.0,
        "Wrong credentials from one address that are logged one by one; more are only counted. All get the "
        "same answer.",
        0.1,
        1e6,
        reload=True,
    )
    concurrent_rpcs: Whole = whole(
        4096, "Calls open at once, those of agents and watchers included; more are refused.", 1, 1_000_000
    )
    script_bytes: Whole = whole(_MIB, "Largest job script, in bytes.", 1, 16 * _MIB, reload=True)
    environment_bytes: Whole = whole(
        262_144,
        "Largest environment of a job, names and values together, in bytes.",
        0,
        16 * _MIB,
        reload=True,
    )
    environment_variables: Whole = whole(
        1000, "Most environment variables of a job.", 0, 100_000, reload=True
    )
    array_elements: Whole = whole(100_000, "Most elements of an array.", 1, 1_000_000, reload=True)
    jobs_per_user: Whole = whole(
        1_000_000,
        "Most jobs of one user that have not ended; an array counts as its elements.",
        1,
        100_000_000,
        reload=True,
    )
    dependencies: Whole = whole(1000, "Most dependencies of a job.", 0, 100_000, reload=True)
    page_size: Whole = whole(10_000, "Most lines of one page of a listing.", 1, 100_000, reload=True)


class Security(Section):
    """How callers prove who they are, and what they may do."""

    mode: Literal["token", "tls", "mtls", "open"] = entry(
        "token",
        "token: plain connections on loopback, callers show a token. tls: the server shows a certificate, "
        "callers a token. mtls: both show certificates; users, nodes and servers have different ones. open: "
        "no caller proves anything; on loopback alone, for tests.",
        "token, tls, mtls or open",
    )
    token_file: Path | None = file(
        None,
        "Where the server puts the token of its owner, with the role administrator and mode 0600; without, "
        "`token` in the folder of the state. For the modes token and tls.",
    )
    certificate: Path | None = file(None, "The server's certificate (PEM); for tls and mtls.")
    key: Path | None = file(None, "Its private key (PEM), readable by the server's owner alone.")
    ca: Path | None = file(
        None, "Certificates of the authority that signs users' and nodes' certificates (PEM); for mtls."
    )
    revoked: tuple[Text, ...] = entry(
        (),
        "Serial numbers of certificates that are no longer good, in hexadecimal.",
        "a list of hexadecimal numbers, as text",
        reload=True,
    )
    users: dict[Name, Literal["user", "operator", "administrator"]] = entry(
        dict,
        "Roles by user name. It is the role of a user's certificate and the most that a token is worth. "
        "Users who are not named here have the role user by certificate, and by token the role that it was "
        "made with.",
        "a table of user, operator or administrator",
        reload=True,
    )
    privacy: Flag = flag(
        False,
        "Whether users see their own jobs alone; those of others do not exist for them then.",
        reload=True,
    )
    token_lifetime_s: Number = number(
        900.0,
        "Longest lifetime of a token that is issued, in seconds, and the one that it has where no other is "
        "given; the tokens in the files of the server's owner have no end. Short ones are safer; what "
        "lives long can be revoked.",
        1.0,
        MONTH_S,
        reload=True,
    )
    clock_skew_s: Number = number(
        60.0, "Seconds that wall clocks may differ when lifetimes are judged.", 0.0, 300.0, reload=True
    )
    max_connection_age_s: Number = number(
        900.0,
        "Seconds after which a connection is closed, so that its caller must prove its name again; for "
        "tls and mtls. 0: never.",
        0.0,
        LONGEST_S,
    )
