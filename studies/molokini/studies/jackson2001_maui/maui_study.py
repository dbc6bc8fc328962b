"""Jackson, Snell and Clement, JSSPP 2001: backfill on the logs of real machines."""

from molokini.studies.jackson2001_maui.maui_cases import (
    FULL,
    MOST_UNDER_LOAD,
    SHAKE_S,
    cases_of,
    logs_of,
    prepare,
    run,
)
from molokini.studies.jackson2001_maui.maui_claims import claims_over
from molokini.studies.jackson2001_maui.maui_shown import pictures_over, tables_over
from molokini.studies.over_logs import over_logs
from molokini.studies.study import ENGINE, Size

STUDY = over_logs(
    __file__,
    logs_of,
    name="jackson2001-maui",
    title="Backfill in the Maui scheduler: what it gains, which jobs it delays, and which way to do it",
    paper="D. Jackson, Q. Snell, M. Clement: Core Algorithms of the Maui Scheduler, JSSPP 2001, LNCS 2221.",
    words={"full": FULL, "most_under_load": MOST_UNDER_LOAD, "shake_s": SHAKE_S},
    cases=cases_of,
    run=run,
    prepare=prepare,
    sources=[
        *ENGINE,
        "molokini.policies.maui",
        "molokini.studies.jackson2001_maui.maui_cases",
        "molokini.studies.jackson2001_maui.maui_measures",
        "molokini.studies.log_files",
    ],
    before=(3, 3, 4, 0),
    claims=claims_over,
    pictures=pictures_over,
    tables=tables_over,
    length="all jobs of a log",
    full=Size("full", 5, 1.0),
    quick=Size("quick", 2, 0.02),
)
