"""A script in every text that a user can give stays a text, in every view."""

from molokini.proto.v1.jobs_pb2 import JobSpec, Outcome, Resources
from molokini.server.security.roles import Role
from tests.kit.browser import until
from tests.page.conftest import At

EVIL = "<img src=x onerror=\"window.hit='%s'\"><script>window.hit='%s'</script>"


def evil(name: str) -> str:
    return EVIL % (name, name)


async def submit(at: At) -> tuple[int, int]:
    """Two jobs with scripts wherever there is a text: one that waits, one that has ended badly."""
    async with at.one.client("ann") as client:
        spec = JobSpec(
            name=evil("name"),
            account=evil("account"),
            comment=evil("comment"),
            argv=["/bin/sh", evil("argument")],
            environment={"EVIL": evil("environment")},
            working_directory="/" + evil("directory").replace("/", "_"),
            estimate_s=60,
            resources=Resources(processors=480),
        )
        waits = await client.submit(spec)
        spec.resources.processors = 1
        spec.outcome.CopyFrom(Outcome(run_s=1, exit_code=4))
        ended = await client.submit(spec)
    async with at.one.client("root", Role.ADMINISTRATOR) as root:
        await root.drain(["node030"], evil("reason"))
    await at.one.advance(5)
    return waits, ended


def test_no_text_of_a_user_is_read_as_html(at: At) -> None:
    waits, ended = at.hosted.do(submit(at))
    page = at.logged_in()
    for view in (
        "now",
        f"time?job={waits}",
        "jobs",
        "people?by=account",
        "nodes",
        f"job/{ended}",
        f"job/{waits}",
    ):
        page.goto(f"{at.origin}/#/{view}")
        until(page, "document.querySelector('main').innerText.trim().length > 20")
        assert page.query_selector_all("main img, main script") == [], view
    page.wait_for_selector("pre >> text=<script>")
    shown = page.inner_text("main")
    for name in ("name", "account", "comment", "argument", "environment"):
        assert evil(name) in shown
    assert page.evaluate("window.hit") is None
