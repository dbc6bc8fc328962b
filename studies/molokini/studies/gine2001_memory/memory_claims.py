"""What Gine et al. 2001 claim (G1 to G28), as functions of our results."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from statistics import fmean

from molokini.studies.claims import Claim, Finding
from molokini.studies.comparing import falls_with, ordered, rises_with
from molokini.studies.gine2001_memory.memory_cases import (
    DEFAULT_RATES,
    FREQUENCIES_MS,
    LOW,
    MNOD_FREQUENCIES_MS,
    MNODS,
    OTHER_RATES,
    POLICIES,
    SHARES,
    Alike,
    Beside,
    Load,
    Periods,
    Static,
)
from molokini.studies.results import Interval, NotRun, Results, interval
from molokini.studies.rule import (
    above,
    at_least,
    at_most,
    below,
    each_within,
    exactly,
    together,
    within,
)

FAULTS, CORRELATION = "page_faults", "correlation"
SMALL, LARGE, LOCAL, PARALLEL = "small_slowdown", "large_slowdown", "local_slowdown", "parallel_slowdown"
INTENSE, RARE = FREQUENCIES_MS[0], FREQUENCIES_MS[-1]
TRIALS = ("medium", "high")


def at(policy: str, trial: str, frequency_ms: int = 100) -> Load:
    """A point of figures 9 to 13."""
    return Load(policy, trial, frequency_ms=frequency_ms)


def ratio(results: Results, one: Hashable, other: Hashable, metric: str) -> Interval:
    """One case's metric over another's, seed by seed."""
    return _quotient(results.samples(one, metric), results.samples(other, metric))


def _quotient(top: Sequence[float], bottom: Sequence[float]) -> Interval:
    if not all(bottom):
        raise NotRun("what was compared with is 0")
    return interval([one / other for one, other in zip(top, bottom, strict=True)])


def _ratios(one: str, other: str, metric: str, trial: str, results: Results) -> list[Interval]:
    return [ratio(results, at(one, trial, k), at(other, trial, k), metric) for k in FREQUENCIES_MS]


def g1(results: Results) -> Finding:
    """Sooner by PRED than by RR, where memory is enough."""
    return ordered(results, [(Beside("pred", 0.8), Beside("rr", 0.8))], "end_s")


def g2(results: Results) -> Finding:
    """Memory overloaded: the job takes longer by a factor, and the gain of PRED is smaller."""
    slower = ratio(results, Beside("rr", 1.5), Beside("rr", 0.8), "end_s")
    gains = [
        [1 - a / b for a, b in zip(results.samples(p, "end_s"), results.samples(r, "end_s"), strict=True)]
        for p, r in ((Beside("pred", 0.8), Beside("rr", 0.8)), (Beside("pred", 1.5), Beside("rr", 1.5)))
    ]
    less = interval([two - one for one, two in zip(*gains, strict=True)])
    return together({"slower": at_least(slower, 1.2), "gain": below([less], "the gain when overloaded less")})


def g3(results: Results) -> Finding:
    """Both jobs earlier under CSM, J1 by most, the local task as before."""
    pairs = [(Periods("csm"), Periods("rr"))]
    first = results.difference(*pairs[0], "J1_s")
    second = results.difference(*pairs[0], "J2_s")
    most = interval(
        [
            (c1 - r1) - (c2 - r2)
            for c1, r1, c2, r2 in zip(
                results.samples(Periods("csm"), "J1_s"),
                results.samples(Periods("rr"), "J1_s"),
                results.samples(Periods("csm"), "J2_s"),
                results.samples(Periods("rr"), "J2_s"),
                strict=True,
            )
        ]
    )
    return together(
        {
            "J1": below([first], str(first)),
            "J2": below([second], str(second)),
            "J1 by most": below([most], str(most)),
            "local task": within(ratio(results, *pairs[0], "L_s"), 0.98, 1.02),
        }
    )


def g4(results: Results) -> Finding:
    """More than half of the CPU time of both, while both run, though J2 waits, too."""
    share = results.mean(Static("pred"), "parallel_share")
    return at_least(share, 0.5, f"share of J1 beside one local task and J2: {share}")


def g5(results: Results) -> Finding:
    """J1's CPU time grows faster behind the local tasks' end."""
    case = Static("csm")
    grows = zip(results.samples(case, "rate_after"), results.samples(case, "rate_before"), strict=True)
    change = interval([after - before for after, before in grows])
    return above([change], f"CPU seconds a second more: {change}")


def g6(results: Results) -> Finding:
    """J1 by over a fifth earlier under CSM, J2 not later; their seconds cannot be compared."""
    pair = (Static("csm"), Static("pred"))
    return together(
        {
            "J1": at_most(ratio(results, *pair, "J1_s"), 0.8),
            "J2": at_most(ratio(results, *pair, "J2_s"), 1.0, slack=0.02),
        }
    )


def low(policy: str, share: float) -> Load:
    """A point of figures 6 and 7."""
    return Load(policy, "low", share)


def g7(results: Results) -> Finding:
    """Above 80% under DYN and CSM at each pdt, lowest under RR."""
    high = [results.mean(low(policy, share), CORRELATION) for policy in ("dyn", "csm") for share in SHARES]
    pairs = [(low("rr", share), low(policy, share)) for share in SHARES for policy in ("dyn", "csm")]
    return together(
        {"above 80%": each_within(high, 80, 100), "RR lowest": ordered(results, pairs, CORRELATION)}
    )


def g8(results: Results) -> Finding:
    """DYN alike at all pdt; RR and CSM fall with it."""
    steps = {
        policy: [(f"pdt {share:g}", results.samples(low(policy, share), CORRELATION)) for share in SHARES]
        for policy in LOW
    }
    first, last = steps["dyn"][0][1], steps["dyn"][-1][1]
    slope = interval([two - one for one, two in zip(first, last, strict=True)])
    return together(
        {
            "DYN": within(slope, -2, 2, f"from the lowest to the highest pdt {slope}"),
            "RR": falls_with(steps["rr"]),
            "CSM": falls_with(steps["csm"]),
        }
    )


def g9(results: Results) -> Finding:
    """CSM's correlation is the highest at each pdt."""
    pairs = [(low(other, share), low("csm", share)) for share in SHARES for other in ("rr", "dyn")]
    return ordered(results, pairs, CORRELATION)


def g10(results: Results) -> Finding:
    """CSM below DYN below RR."""
    pairs = [(low("csm", share), low("dyn", share)) for share in SHARES]
    pairs += [(low("dyn", share), low("rr", share)) for share in SHARES]
    return ordered(results, pairs, PARALLEL)


def g11(results: Results) -> Finding:
    """CSM and DYN alike within 5%, above RR by less than a quarter."""
    alike = [ratio(results, low("csm", share), low("dyn", share), LOCAL) for share in SHARES]
    over = [
        ratio(results, low(p, share), low("rr", share), LOCAL) for share in SHARES for p in ("dyn", "csm")
    ]
    return together({"alike": each_within(alike, 0.95, 1.05), "over RR": each_within(over, 1.0, 1.25)})


def g12(results: Results) -> Finding:
    """DYN raises less often, past more tasks each time."""
    return together(
        {
            "raises": ordered(results, [(low("dyn", s), low("csm", s)) for s in SHARES], "raises"),
            "passed": ordered(results, [(low("csm", s), low("dyn", s)) for s in SHARES], "passed_a_raise"),
        }
    )


def mnod(value: int, frequency_ms: int) -> Load:
    """A point of figure 8."""
    return Load("csm", "medium", mnod=value, frequency_ms=frequency_ms)


def g13(results: Results) -> Finding:
    """Five and eight are alike within 2%."""
    found = [
        ratio(results, mnod(8, k), mnod(5, k), metric)
        for k in MNOD_FREQUENCIES_MS
        for metric in (SMALL, LARGE)
    ]
    return each_within(found, 0.98, 1.02)


def _over_mnod(results: Results, metric: str) -> Sequence[tuple[str, Sequence[float]]]:
    found = []
    for value in MNODS:
        every = [results.samples(mnod(value, k), metric) for k in MNOD_FREQUENCIES_MS]
        found.append((f"MNOD {value}", [fmean(of_seed) for of_seed in zip(*every, strict=True)]))
    return found


def g14(results: Results) -> Finding:
    """As printed: large jobs do better with larger MNOD; the direction found is what counts."""
    return falls_with(_over_mnod(results, LARGE))


def g15(results: Results) -> Finding:
    """Small jobs do better with three than with one."""
    return ordered(results, [(mnod(3, k), mnod(1, k)) for k in MNOD_FREQUENCIES_MS], SMALL)


def g16(results: Results) -> Finding:
    """The more CPU time between messages, the slower."""
    parts = {}
    for name, metric in (("small", SMALL), ("large", LARGE)):
        parts[name] = rises_with(
            [(f"{k} ms", results.samples(at("csm", "medium", k), metric)) for k in FREQUENCIES_MS]
        )
    return together(parts)


def _fewest(results: Results, trial: str) -> Finding:
    pairs = [(at("csm", trial, k), at(other, trial, k)) for k in FREQUENCIES_MS for other in ("rr", "pred")]
    return ordered(results, pairs, FAULTS)


def has_fewest(results: Results, trial: str, rate: int, block: int) -> str:
    """Whether CSM has clearly fewest faults with these rates of the model of memory, at 100 ms."""
    case = Load("csm", trial, page_in=rate, block=block)
    less = [results.difference(case, replace(case, policy=other), FAULTS) for other in ("rr", "pred")]
    if all(one.below for one in less):
        return "fewest"
    return "not fewest" if any(one.above for one in less) else "not clearly fewest"


def _with_other_rates(results: Results, trial: str) -> str:
    """With which rates of the model of memory CSM has fewest faults, and with which not."""
    told = [
        f"{rate} pages a second and blocks of {block}: {has_fewest(results, trial, rate, block)}"
        for rate, block in (DEFAULT_RATES, *OTHER_RATES)
    ]
    return "by rates, at 100 ms: " + ", ".join(told)


def g17(results: Results) -> Finding:
    """Fewest under CSM; RR and PRED within a tenth."""
    parts = together(
        {
            "CSM": _fewest(results, "medium"),
            "RR over PRED": each_within(_ratios("rr", "pred", FAULTS, "medium", results), 0.9, 1.1),
        }
    )
    return Finding(parts.verdict, f"{parts.why}; {_with_other_rates(results, 'medium')}", parts.figures)


def g18(results: Results) -> Finding:
    """CSM best where messages are many, PRED where they are few, RR worst."""
    many = (at("pred", "medium", INTENSE), at("csm", "medium", INTENSE))
    few = (at("csm", "medium", RARE), at("pred", "medium", RARE))
    worst = [(at("rr", "medium", k), at(p, "medium", k)) for k in FREQUENCIES_MS for p in ("pred", "csm")]
    return together(
        {
            "many": ordered(results, [many], CORRELATION),
            "few": ordered(results, [few], CORRELATION),
            "RR": ordered(results, worst, CORRELATION),
        }
    )


def g19(results: Results) -> Finding:
    """Small jobs: CSM best with many messages, as PRED with few."""
    many = [(at("csm", "medium", INTENSE), at(other, "medium", INTENSE)) for other in ("rr", "pred")]
    few = ratio(results, at("csm", "medium", RARE), at("pred", "medium", RARE), SMALL)
    return together({"many": ordered(results, many, SMALL), "few": within(few, 0.95, 1.05)})


def g20(results: Results) -> Finding:
    """Large jobs slower than small by three tenths or more; CSM about as PRED."""
    slower = [
        _quotient(results.samples(at(p, "medium", k), LARGE), results.samples(at(p, "medium", k), SMALL))
        for p in POLICIES
        for k in FREQUENCIES_MS
    ]
    return together(
        {
            "large over small": each_within(slower, 1.3, 1e9),
            "CSM over PRED": each_within(_ratios("csm", "pred", LARGE, "medium", results), 0.9, 1.1),
        }
    )


def _saved(results: Results, trial: str, frequency_ms: int) -> list[float]:
    """The share of RR's faults that CSM saves, by seed."""
    csm = results.samples(at("csm", trial, frequency_ms), FAULTS)
    rr = results.samples(at("rr", trial, frequency_ms), FAULTS)
    return [1 - one / other for one, other in zip(csm, rr, strict=True)]


def g21(results: Results) -> Finding:
    """Fewest under CSM at 1.5, by more than at 1.0."""
    gaps = []
    for k in FREQUENCIES_MS:
        medium, high = (_saved(results, trial, k) for trial in TRIALS)
        gaps.append(interval([two - one for one, two in zip(medium, high, strict=True)]))
    parts = together({"CSM": _fewest(results, "high"), "gap": above(gaps, "saved of RR's, less at load 1")})
    return Finding(parts.verdict, f"{parts.why}; {_with_other_rates(results, 'high')}", parts.figures)


def g22(results: Results) -> Finding:
    """Best correlation at each frequency; faults hurt programs of many messages more."""
    pairs = [(at(other, "high", k), at("csm", "high", k)) for k in FREQUENCIES_MS for other in ("rr", "pred")]
    falls = [
        [
            medium - high
            for medium, high in zip(
                results.samples(at("csm", "medium", k), CORRELATION),
                results.samples(at("csm", "high", k), CORRELATION),
                strict=True,
            )
        ]
        for k in (INTENSE, RARE)
    ]
    more = interval([many - few for many, few in zip(*falls, strict=True)])
    return together({"best": ordered(results, pairs, CORRELATION), "fall": above([more], f"more by {more}")})


def g23(results: Results) -> Finding:
    """Best slowdown of small and of large jobs."""
    pairs = [(at("csm", "high", k), at(other, "high", k)) for k in FREQUENCIES_MS for other in ("rr", "pred")]
    return together({"small": ordered(results, pairs, SMALL), "large": ordered(results, pairs, LARGE)})


def g24(results: Results) -> Finding:
    """RR best for local tasks, others within 15%, alike within 5%; below 4.5 at load 1."""
    over = [
        one for trial in TRIALS for p in ("csm", "pred") for one in _ratios(p, "rr", LOCAL, trial, results)
    ]
    alike = [one for trial in TRIALS for one in _ratios("csm", "pred", LOCAL, trial, results)]
    small = [results.mean(at(p, "medium", k), LOCAL) for p in POLICIES for k in FREQUENCIES_MS]
    return together(
        {
            "over RR": each_within(over, 1.0, 1.15),
            "CSM over PRED": each_within(alike, 0.95, 1.05),
            "below 4.5": each_within(small, 0, 4.5),
        }
    )


def g25(results: Results) -> Finding:
    """Worse at 1.5 than at 1.0."""
    pairs = [(at(p, "medium", k), at(p, "high", k)) for p in POLICIES for k in FREQUENCIES_MS]
    return ordered(results, pairs, LOCAL)


def g26(results: Results) -> Finding:
    """No task is overtaken."""
    passed = results.total([Alike("csm")], "passed")
    same = results.samples(Alike("csm"), "end_s") == results.samples(Alike("rr"), "end_s")
    return exactly(passed == 0 and same, f"overtaken {passed:g} times; the same end as under RR: {same}")


def g27(results: Results) -> Finding:
    """Slowdown goes with memory more under CSM than under RR."""
    pairs = [(at("rr", "high", k), at("csm", "high", k)) for k in FREQUENCIES_MS]
    return ordered(results, pairs, "favours_small")


def g28(results: Results) -> Finding:
    """A conjecture of theirs: with a switch of 200 us local tasks do better under CSM than under PRED."""
    csm, pred = Load("csm", "high", switch_us=200), Load("pred", "high", switch_us=200)
    grown = Load("csm", "high", switch_us=200, growth=25)
    longer = results.difference(grown, csm, PARALLEL)
    found = ordered(results, [(csm, pred)], LOCAL)
    return Finding(found.verdict, f"{found.why}; quanta that grow change parallel slowdown by {longer}")


_ROWS: Sequence[tuple[str, str, str, Callable[[Results], Finding]]] = (
    ("g1", "figure 1(a)", "Coscheduling finishes an MG-like job clearly sooner where memory is enough.", g1),
    ("g2", "figure 1(b)", "Where memory is overloaded the job is far slower, and faults eat the gain.", g2),
    ("g3", "figure 2", "Control of memory ends both jobs sooner, J1 by most, the local task as before.", g3),
    ("g4", "figure 5(c)", "PRED favours parallel over local tasks.", g4),
    ("g5", "figure 5(a)", "When local tasks end, the job's memory and CPU time grow faster.", g5),
    ("g6", "figure 5", "Where J2 overloads memory J1 ends far sooner under CSM, J2 slightly sooner.", g6),
    ("g7", "figure 6", "Low memory: correlation of DYN and CSM is above 80%, that of RR low.", g7),
    ("g8", "figure 6", "DYN does not depend on pdt; RR and CSM fall with it.", g8),
    ("g9", "figure 6", "CSM has the best correlation for every pdt.", g9),
    ("g10", "figure 7(a)", "Slowdown of parallel jobs: CSM below DYN below RR.", g10),
    ("g11", "figure 7(b)", "Local slowdown: DYN and CSM a little above RR, equal to each other.", g11),
    ("g12", "5.2", "DYN raises tasks less often than CSM, past more tasks each time.", g12),
    ("g13", "figure 8", "MNOD above the mean number of tasks a node has no effect.", g13),
    ("g14", "figure 8(b)", "Large jobs: slowdown falls with MNOD (as printed).", g14),
    ("g15", "figure 8(a)", "Small jobs do better with larger MNOD.", g15),
    ("g16", "figure 8", "Slowdown falls with the frequency of communication, small and large.", g16),
    ("g17", "figure 9(a)", "CSM has fewest page faults at load 1; RR and PRED are alike.", g17),
    ("g18", "figure 9(b)", "Correlation: CSM best with many messages, PRED with few, RR worst.", g18),
    ("g19", "figure 10(a)", "Small jobs: CSM best with many messages, equal to PRED with few.", g19),
    ("g20", "figure 10(b)", "Large jobs are much slower than small ones; CSM is about as PRED.", g20),
    ("g21", "figure 11(a)", "At load 1.5 CSM has fewest faults, by more than at 1.", g21),
    ("g22", "figure 11(b)", "CSM has the best correlation at 1.5; faults hurt many messages more.", g22),
    ("g23", "figure 12", "CSM has the best slowdown for small and for large jobs at 1.5.", g23),
    ("g24", "figure 13", "Local slowdown: RR best, CSM and PRED close to it and equal; below 4.5.", g24),
    ("g25", "figure 13(b)", "Local slowdown is worse at 1.5 than at 1.", g25),
    ("g26", "4.2", "With equal memory needs CSM behaves like first in, first out.", g26),
    ("g27", "4.2", "Under pressure CSM favours jobs of small memory.", g27),
    ("g28", "5.2", "With switch costs CSM would help local tasks, too (a conjecture).", g28),
)
CLAIMS = [Claim(*row) for row in _ROWS]
