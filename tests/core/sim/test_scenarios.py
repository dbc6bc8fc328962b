"""Scenarios from papers, worked out by hand."""

from tests.kit.replays import ends, finished, prepared, starts
from tests.kit.workloads import Job

HOUR = 3600.0


def test_maui_figure_1_an_early_end_shows_what_backfilling_costs() -> None:
    """Jackson, Snell and Clement, JSSPP 2001, Figure 1: six nodes, A on four, B needs five, C two."""
    a = Job(0, 2 * HOUR, 4, estimate=3 * HOUR)
    b, c = Job(0, HOUR, 5), Job(0, 3 * HOUR, 2)
    for policy in ("easy", "conservative", "easy-depth"):
        replay = prepared([a, b, c], policy, 6)
        replay.run(until_s=0.0)
        # C fills the hole beside A up to the promise of B.
        assert starts(replay) == [0.0, None, 0.0]
        assert replay.run()
        # A ends an hour early; B still cannot start, because C has two of the nodes.
        assert starts(replay) == [0.0, 3 * HOUR, 0.0]
    # Without backfilling B would have had them at once, and C would have waited for B.
    assert starts(finished([a, b, c], "fcfs", 6)) == [0.0, 2 * HOUR, 3 * HOUR]


def test_zhang_figure_4_the_hole_is_filled_by_the_fifth_job() -> None:
    """Zhang, Franke, Moreira and Sivasubramaniam, JSSPP 2001, Figure 4: the fifth runs before the third."""
    jobs = [Job(0, 4, 3), Job(0, 8, 5), Job(0, 6, 6), Job(0, 5, 4), Job(0, 4, 3)]
    # (a) The third needs six of eight and waits for the second; from 4 to 8 three stand empty.
    assert starts(finished(jobs, "fcfs", 8)) == [0.0, 0.0, 8.0, 14.0, 14.0]
    for policy in ("easy", "conservative", "easy-depth"):
        # (b) The fifth fits into the hole exactly; the others start when they did.
        assert starts(finished(jobs, policy, 8)) == [0.0, 0.0, 8.0, 14.0, 4.0]


def test_srpt_by_hand() -> None:
    jobs = [Job(0, 10, 4), Job(2, 3, 2), Job(3, 1, 4)]
    replay = finished(jobs, "srpt", 4)
    # At 2 the second has 3 left against 8 and takes the machine (two processors: the first needs all);
    # at 3 the third has 1 against 2; at 4 the second goes on, at 6 the first.
    assert (starts(replay), ends(replay)) == ([0.0, 2.0, 3.0], [14.0, 6.0, 4.0])
    trace = replay.schedule().trace
    assert list(zip(trace.time_s.tolist(), trace.job.tolist(), trace.rate.tolist(), strict=True)) == [
        (2.0, 0, 0.0), (3.0, 1, 0.0), (4.0, 1, 1.0), (6.0, 0, 1.0),
    ]  # fmt: skip
    counts = replay.schedule().interruptions
    assert counts is not None
    assert counts.suspensions.tolist() == [1, 1, 0]
    assert counts.requeues.tolist() == counts.lost_s.tolist() == [0, 0, 0]


def test_processor_sharing_by_hand() -> None:
    # Alone at rate 1 to 4; both at 1/2 until the second has its 3 s at 10; the first's last 3 s alone.
    replay = finished([Job(0, 10, 4), Job(4, 3, 4)], "ps", 4)
    assert (starts(replay), ends(replay)) == ([0.0, 4.0], [13.0, 10.0])
    # Widths that fit share nothing.
    assert ends(finished([Job(0, 10, 2), Job(4, 3, 2)], "ps", 4)) == [10.0, 7.0]


def test_size_intervals_by_hand() -> None:
    # Two partitions of four, short up to 10 s. Short ones wait for short ones alone.
    jobs = [Job(0, 10, 4), Job(1, 50, 3), Job(2, 5, 1), Job(3, 20, 2), Job(4, 11, 1), Job(5, 5, 5)]
    replay = finished(jobs, "sita-e", 8, {"cutoffs": (10.0,)})
    assert starts(replay) == [0.0, 1.0, 10.0, 51.0, 51.0, None]
    assert replay.schedule().refused == {"wider_than_partition": 1}


def test_short_and_long_first_by_hand() -> None:
    jobs = [Job(0, 10, 4), Job(1, 5, 1), Job(2, 3, 4), Job(3, 4, 1)]
    # Nobody overtakes in that order: the one of 5 s waits for the wide one of 3 s and then for 4 s.
    assert starts(finished(jobs, "sjf", 4)) == [0.0, 13.0, 10.0, 13.0]
    assert starts(finished(jobs, "ljf", 4)) == [0.0, 10.0, 15.0, 10.0]
    assert starts(finished(jobs, "firstfit", 4)) == [0.0, 10.0, 15.0, 10.0]


def test_a_job_of_no_length_holds_its_processors_in_the_pass_that_starts_it() -> None:
    replay = finished([Job(0, 0, 4, 5), Job(0, 3, 4)], "fcfs", 4)
    assert (starts(replay), ends(replay)) == ([0.0, 0.0], [0.0, 3.0])
    assert replay.agenda.passes == 3


def test_ties_taken_one_by_one_let_an_arrival_see_the_machine_before_the_ends() -> None:
    # At 10 the first ends early and the third arrives. In one pass the second has the whole machine; one by
    # one, the third is seen first and slips in front of a promise for 20.
    jobs = [Job(0, 10, 3, 20), Job(1, 5, 4), Job(10, 5, 1)]
    assert starts(finished(jobs, "easy", 4)) == [0.0, 10.0, 15.0]
    assert starts(finished(jobs, "easy", 4, ties="each")) == [0.0, 15.0, 10.0]
