"""A choice among other policies, by looking ahead: the one that promises most decides.

At the first pass of each period of ``every_s`` seconds in which several jobs wait, the present state is run
on under each candidate, with estimates in place of run times and without arrivals, until all waiting jobs
have started; the candidate of the least ``objective`` decides until the next look. Another one than before
must be better by the share ``hysteresis``. After the self-tuning dynP of Streit (JSSPP 2002), which plans
the queue in each of several orders and keeps the best; here whole policies are run.

Promises that a choice depends on nothing but the present state and estimates. What a candidate promises
holds as long as it is not replaced. It is plain Python around compiled candidates.

Where jobs of one candidate take turns in rows and those of another do not, a change waits until no job runs:
the switch between gang scheduling and backfilling that Zhang et al. (JSSPP 2001, section 5.2) propose. Orders
of divisible loads are a family of their own; their alternative chooser is what Lin et al.
(UNL-CSE-2006-0016, section 5.3) found: MWF where sending costs much beside computing, else EDF.
"""

from collections.abc import Mapping, Sequence

from molokini.model.errors import BadValue
from molokini.model.policy import Kind
from molokini.policy import Parameter, Policy, Value, View
from molokini.shared.looking_ahead import choosing

DEFAULT = "fcfs,easy,easy:order=shortest,conservative"
OBJECTIVES = ("mean-bounded-slowdown", "mean-wait", "weighted-wait", "longest-wait")


def _read(text: str) -> object:
    return choosing("candidates").candidates_of(text)


def _others(values: Mapping[str, Value]) -> Sequence[tuple[Policy, Mapping[str, Value]]]:
    among = choosing("candidates").candidates_of(str(values.get("candidates", DEFAULT)))
    return [(one.policy.declaration, one.values) for one in among]


def _together(values: Mapping[str, Value]) -> None:
    if values.get("chooser") == "overhead":
        try:
            choosing("candidates").by_overhead(
                choosing("candidates").candidates_of(str(values["candidates"]))
            )
        except LookupError:
            raise BadValue(
                "chooser", "overhead", "look-ahead, unless candidates has policies edf-... and mwf-..."
            ) from None


POLICY = Policy(
    name="adaptive",
    family="looking ahead",
    summary="looks ahead under several policies and lets the best one decide",
    promise="each choice is the best of the candidates by estimates, but for the hysteresis",
    source="after the self-tuning dynP of Streit, JSSPP 2002, LNCS 2537",
    parameters=(
        Parameter(
            "every_s",
            600.0,
            "how often it looks ahead; 0: at each pass in which jobs have joined",
            unit="s",
            low=0.0,
            high=1e9,
        ),
        Parameter(
            "hysteresis",
            0.05,
            "by which share another candidate must be better than the present one",
            low=0.0,
            high=0.99,
        ),
        Parameter(
            "objective",
            OBJECTIVES[0],
            "what is to be least, of the jobs that wait",
            kind=Kind.CHOICE,
            choices=OBJECTIVES,
        ),
        Parameter(
            "chooser",
            "look-ahead",
            "look-ahead: by the objective; overhead: of divisible loads, by what sending costs",
            kind=Kind.CHOICE,
            choices=("look-ahead", "overhead"),
            source="overhead: Lin et al., section 5.3",
        ),
        Parameter(
            "overhead",
            0.1,
            "from which cost of sending over that of computing loads are planned in the order MWF",
            low=0.0,
            high=1e9,
            source="Lin et al., figures 4h to 4j: between 0.02 and 0.2",
        ),
        Parameter(
            "candidates",
            DEFAULT,
            "the policies among which it chooses, with their parameters",
            kind=Kind.TEXT,
            read=_read,
        ),
    ),
    counted_only=True,
    others=_others,
    together=_together,
)


def begin(view: View, now: float) -> None:
    """The chosen candidate begins anew."""
    choosing("turns").begin_chosen(view, now)


def schedule(view: View, now: float) -> None:
    """Look ahead where that is due, and let the chosen candidate decide."""
    choosing("turns").schedule_chosen(view, now)


begin.__dict__["in_python"] = schedule.__dict__["in_python"] = True
