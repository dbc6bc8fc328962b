"""What agents say in passing: the last attempt and the last places alone are kept."""

from molokini.server.link.latest_reports import LatestReports


def test_of_a_place_the_attempt_that_was_heard_of_last_is_known_by_all_its_agents() -> None:
    heard: LatestReports[str] = LatestReports()
    assert heard.of((1, -1)) == (0, {})
    heard.take((1, -1), 1, "a", "first")
    heard.take((1, -1), 1, "b", "second")
    heard.take((1, -1), 1, "a", "third")
    assert heard.of_attempt((1, -1), 1) == {"a": "third", "b": "second"}
    assert heard.of_attempt((1, -1), 2) == heard.of_attempt((1, 0), 1) == {}
    heard.take((1, -1), 2, "b", "anew")
    assert heard.of((1, -1)) == (2, {"b": "anew"})
    assert heard.of_attempt((1, -1), 1) == {}


def test_the_places_that_were_heard_of_last_are_kept_as_many_as_may_be() -> None:
    heard: LatestReports[int] = LatestReports(most=3)
    for job in (1, 2, 3):
        heard.take((job, -1), 1, "a", job)
    assert heard.places() == {(1, -1), (2, -1), (3, -1)}
    heard.take((1, -1), 1, "b", 10)
    heard.take((4, -1), 1, "a", 4)
    assert heard.places() == {(1, -1), (3, -1), (4, -1)}
    assert heard.of_attempt((1, -1), 1) == {"a": 1, "b": 10}
    assert len(heard) == 3
