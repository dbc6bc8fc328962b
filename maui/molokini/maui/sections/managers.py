"""Partners outside: resource managers (RMCFG), allocation managers (AMCFG), peers with keys (CLIENTCFG)."""

from typing import Annotated, Any

from molokini.maui.fields import Label, Line, Seconds, Section, Yes, parameter
from molokini.maui.kinds import Whole, Word
from molokini.maui.sections.reasons import BANK, DAEMON, MANAGER

Port = Annotated[int, Whole(0, 65_535)]


class ManagerType(Word):
    """The kinds of resource managers that Maui knows."""

    PBS = "PBS"
    WIKI = "WIKI"
    LL = "LL"
    SGE = "SGE"
    LSF = "LSF"
    SSS = "SSS"
    RMS = "RMS"
    NATIVE = "NATIVE"


class Authentication(Word):
    """How messages of a resource manager are checked."""

    CHECKSUM = "CHECKSUM"
    PKI = "PKI"
    SECUREPORT = "SECUREPORT"


class BankType(Word):
    """The kinds of allocation managers that Maui knows."""

    QBANK = "QBANK"
    GOLD = "GOLD"
    RESD = "RESD"
    FILE = "FILE"
    NONE = "NONE"


class ChargePolicy(Word):
    """What is charged for a job, and for which jobs."""

    DEBITALLWC = "DEBITALLWC"
    DEBITALLCPU = "DEBITALLCPU"
    DEBITALLPE = "DEBITALLPE"
    DEBITSUCCESSFULWC = "DEBITSUCCESSFULWC"
    DEBITSUCCESSFULCPU = "DEBITSUCCESSFULCPU"
    DEBITSUCCESSFULPE = "DEBITSUCCESSFULPE"


class Algorithm(Word):
    """How a key signs messages."""

    DES = "DES"
    HMAC = "HMAC"
    HMAC64 = "HMAC64"
    MD5 = "MD5"
    NONE = "NONE"


def _manager(name: str, default: Any, meaning: str, *aliases: str) -> Any:
    return parameter(name, default, meaning, aliases=aliases, without=MANAGER)


def _bank(name: str, default: Any, meaning: str) -> Any:
    return parameter(name, default, meaning, without=BANK)


class ResourceManager(Section):
    """One resource manager."""

    type: ManagerType | None = _manager("TYPE", None, "Type of resource manager.")
    host: Label | None = _manager("HOST", None, "Its host.", "SERVER")
    port: Port | None = _manager("PORT", None, "Its port.")
    event_port: Port | None = _manager("EPORT", None, "The port where it reports events.")
    node_host: Label | None = _manager("NMHOST", None, "The host of its node monitor.")
    node_port: Port | None = _manager("NMPORT", None, "The port of its node monitor.")
    timeout_s: Seconds | None = _manager("TIMEOUT", None, "How long it may take to answer.")
    authentication: Authentication | None = _manager("AUTHTYPE", None, "How its messages are checked.")
    suspend_signal: Label | None = _manager("SUSPENDSIG", None, "The signal that suspends a job.")
    subtype: Label | None = _manager("SUBTYPE", None, "Its variety.")
    config_file: Line | None = _manager("CONFIGFILE", None, "Its own configuration file.")


class Bank(Section):
    """One allocation manager."""

    type: BankType | None = parameter("TYPE", None, "Its kind; FILE is a ledger of Molokini's own.")
    host: Label | None = _bank("HOST", None, "Its host.")
    port: Port | None = _bank("PORT", None, "Its port; 40560 where none is given.")
    server: Line | None = parameter(
        "SERVER",
        None,
        "Its address as a URL.",
        without="transactions are in the journal; molokini bank statement writes them",
    )
    charge_policy: ChargePolicy | None = parameter(
        "CHARGEPOLICY", None, "What is charged for a job, and for which jobs; else DEBITSUCCESSFULWC."
    )
    defer_on_failure: Yes | None = parameter(
        "DEFERJOBONFAILURE",
        None,
        "Defer jobs while it does not answer.",
        without="Molokini's own ledger always answers, and no other is asked",
    )
    fallback_account: Label | None = parameter(
        "FALLBACKACCOUNT", None, "The account that pays when a job's own account cannot."
    )
    flush_interval_s: Seconds | None = parameter(
        "FLUSHINTERVAL",
        None,
        "How often usage is reported to it.",
        without="a job is debited when it ends, and until then its lien keeps what it may cost",
    )
    timeout_s: Seconds | None = _bank("TIMEOUT", None, "How long it may take to answer.")
    append_machine_name: Yes | None = _bank("APPENDMACHINENAME", None, "Add the machine's name to accounts.")
    socket_protocol: Label | None = _bank("SOCKETPROTOCOL", None, "The socket protocol to it.")
    wire_protocol: Label | None = _bank("WIREPROTOCOL", None, "The wire protocol to it.")


class Peer(Section):
    """One peer, with the key that signs what is said to it."""

    key: Line | None = parameter("CSKEY", None, "The key; a secret.", without=DAEMON)
    algorithm: Algorithm | None = parameter("CSALGO", None, "How the key signs messages.", without=DAEMON)
