"""The daemon: where it listens, who may command it, its files, and what is shown."""

from typing import Annotated, Any

from molokini.maui.fields import Count, Label, Labels, Line, Seconds, Section, parameter
from molokini.maui.kinds import Whole, Word
from molokini.maui.sections.managers import Authentication, Port
from molokini.maui.sections.reasons import DAEMON, GRID, MANAGER, SHOWN
from molokini.maui.times import INFINITY_S


class ServerMode(Word):
    """What the daemon does with its decisions."""

    NORMAL = "NORMAL"
    TEST = "TEST"
    SIMULATION = "SIMULATION"
    PROFILE = "PROFILE"
    SINGLESTEP = "SINGLESTEP"
    INTERACTIVE = "INTERACTIVE"


def _daemon(name: str, default: Any, meaning: str) -> Any:
    return parameter(name, default, meaning, without=DAEMON)


def _grid(name: str, default: Any, meaning: str) -> Any:
    return parameter(name, default, meaning, without=GRID)


class Daemon(Section):
    """How the daemon runs."""

    host: Label | None = _daemon("SERVERHOST", None, "The host that the daemon runs on.")
    port: Port = _daemon("SERVERPORT", 40_559, "The port that clients connect to.")
    mode: ServerMode = parameter(
        "SERVERMODE",
        ServerMode.NORMAL,
        "Whether decisions are carried out; SIMULATION is what molokini simulate does in steps.",
    )
    admin1: Labels = _daemon("ADMIN1", ("root",), "Who may do everything; the first runs the daemon.")
    admin2: Labels = _daemon("ADMIN2", (), "Who may change jobs and see everything.")
    admin3: Labels = _daemon("ADMIN3", (), "Who may see everything.")
    admin_hosts: Labels = parameter(
        "ADMINHOSTS",
        (),
        "The hosts from which administrators may command it.",
        aliases=("ADMINHOST",),
        without=DAEMON,
    )
    client_timeout_s: Seconds = _daemon("CLIENTTIMEOUT", 30, "How long clients wait for an answer.")
    checkpoint_file: Line = _daemon("CHECKPOINTFILE", "maui.ck", "The file of the daemon's state.")
    checkpoint_interval_s: Seconds = _daemon("CHECKPOINTINTERVAL", 300, "How often the state is written.")
    checkpoint_expiration_s: Seconds = _daemon(
        "CHECKPOINTEXPIRATIONTIME", INFINITY_S, "How long the state of jobs is kept."
    )
    log_directory: Line = _daemon("LOGDIR", "log", "The folder of logs.")
    log_file: Line = _daemon("LOGFILE", "maui.log", "The log.")
    log_level: Annotated[int, Whole(0, 9)] = _daemon("LOGLEVEL", 0, "How much is logged.")
    log_facility: Label = _daemon("LOGFACILITY", "fALL", "Which parts log.")
    log_file_size: Count = _daemon(
        "LOGFILEMAXSIZE", 10_000_000, "The size at which a log is rolled, in bytes."
    )
    log_file_depth: Count = _daemon("LOGFILEROLLDEPTH", 2, "How many older logs are kept.")
    statistics_directory: Line = _daemon("STATDIR", "stats", "The folder of statistics.")
    manager_timeout_s: Seconds = parameter(
        "RMTIMEOUT", 15, "How long resource managers may take to answer.", without=MANAGER
    )
    manager_authentication: Authentication = parameter(
        "RMAUTHTYPE",
        Authentication.CHECKSUM,
        "How messages of resource managers are checked.",
        without=MANAGER,
    )
    manager_failures: Count = parameter(
        "APIFAILURETHRESHHOLD",
        6,
        "So many failures of a resource manager in a row raise an alarm.",
        aliases=("APIFAILURETHRESHOLD",),
        without=MANAGER,
    )
    default_classes: Line = parameter(
        "DEFAULTCLASSLIST", "[DEFAULT:1]", "The classes of nodes that name none.", without=MANAGER
    )
    default_domain: Label | None = _daemon("DEFAULTDOMAIN", None, "The domain that is appended to hosts.")
    feedback_program: Line | None = _daemon("FEEDBACKPROGRAM", None, "Program run at the end of each job.")
    notification_program: Line | None = _daemon("NOTIFICATIONPROGRAM", None, "Program run at alarms.")
    display_flags: Labels = parameter(
        "DISPLAYFLAGS", (), "NODECENTRIC shows nodes instead of processors.", without=SHOWN
    )
    plot_least_procs: Count = _grid("PLOTMINPROC", 1, "The fewest processors of showgrid's rows.")
    plot_most_procs: Count = _grid("PLOTMAXPROC", 512, "The most processors of showgrid's rows.")
    plot_proc_rows: Count = _grid("PLOTPROCSCALE", 9, "Rows of showgrid.")
    plot_least_time_s: Seconds = _grid("PLOTMINTIME", 120, "The shortest wall time of showgrid's columns.")
    plot_most_time_s: Seconds = _grid("PLOTMAXTIME", 244_800, "The longest wall time of showgrid's columns.")
    plot_time_columns: Count = _grid("PLOTTIMESCALE", 11, "Columns of showgrid.")
