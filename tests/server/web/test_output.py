"""What a job has written, over HTTP: for its owner and operators, and no file that is not its user's."""

import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from molokini.model.errors import BadValue
from molokini.proto.v1.jobs_pb2 import Allocation, Job
from molokini.proto.v1.jobs_pb2 import JobSpec as Spec
from molokini.server.security.roles import Role
from molokini.server.services.job_service import JobService
from molokini.server.web.output import PIECE, NoOutput, number_in, path_of, piece_of
from tests.server.web.conftest import Gatewayed, gatewayed

ME = pwd.getpwuid(os.getuid()).pw_name


def job(**spec: Any) -> Job:
    """A job of this user's that has started."""
    made = Job(id=7, user=ME, start_s=1.0, allocation=[Allocation(node="n1", processors=1)])
    made.spec.CopyFrom(Spec(working_directory="/work", **spec))
    return made


def test_the_file_is_named_as_the_node_names_it() -> None:
    assert path_of(job(), "output") == Path("/work/molokini-7.out")
    assert path_of(job(stdout_path="%j-%N.txt"), "output") == Path("/work/7-n1.txt")
    assert path_of(job(stdout_path="o"), "error") == Path("/work/o")
    assert path_of(job(stdout_path="o", stderr_path="/e"), "error") == Path("/e")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"emulated": True}, "its nodes are emulated"),
        ({"user": "no-such-user-here", "spec": Spec()}, "no user no-such-user-here"),
        ({"spec": Spec(stdout_path="%q")}, "has no output"),
    ],
    ids=str,
)
def test_of_some_jobs_there_is_nothing(change: dict[str, Any], text: str) -> None:
    made = job()
    made.MergeFrom(Job(**change))
    if "user" in change:
        made.spec.working_directory = ""
    with pytest.raises(NoOutput, match=text):
        path_of(made, "output")


def test_a_file_is_read_by_pieces_from_its_end(tmp_path: Path) -> None:
    file = tmp_path / "out"
    text = "".join(f"{k} ééé €\n" for k in range(20_000))
    file.write_text(text)
    found = piece_of(file, ME, None, None)
    assert (found.end, found.size) == (file.stat().st_size,) * 2
    assert len(found.data) <= PIECE
    whole = found.data
    while found.begin:
        found = piece_of(file, ME, None, found.begin)
        whole = found.data + whole
        found.data.decode()  # no character is cut
    assert whole.decode() == text
    found = piece_of(file, ME, 8, None)
    assert text.encode()[8:].startswith(found.data)
    assert (found.begin, len(found.data) > PIECE - 4) == (8, True)
    # A file that was started over is read from its new end.
    assert piece_of(file, ME, 10**12, None).end == file.stat().st_size
    file.write_bytes(b"")
    assert piece_of(file, ME, None, None).document()["text"] == ""
    file.write_bytes(b"\xff\x80" * PIECE)
    assert len(piece_of(file, ME, 3, None).data) >= PIECE - 6


def test_no_file_of_another_user_and_none_that_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of the server")
    (tmp_path / "link").symlink_to(secret)
    os.mkfifo(tmp_path / "fifo")
    for name in ("fifo", "", "../" * 40 + "dev/null"):
        with pytest.raises(NoOutput, match="not a regular file"):
            piece_of(tmp_path / name, ME, None, None)
    with pytest.raises(NoOutput, match="no such file"):
        piece_of(tmp_path / "none", ME, None, None)
    other = next(one.pw_name for one in pwd.getpwall() if one.pw_uid != os.getuid())
    for name in ("secret", "link"):
        with pytest.raises(NoOutput, match=f"does not belong to the user {other}"):
            piece_of(tmp_path / name, other, None, None)


@pytest.mark.parametrize("text", ["-1", "x", "1" * 30, "²"])
def test_bytes_are_counted_by_numbers(text: str) -> None:
    with pytest.raises(BadValue, match="a number of bytes"):
        number_in("from", text)


async def test_who_may_read_and_who_may_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As on nodes that run programs.
    monkeypatch.setattr(JobService, "_is_emulated", lambda self, element: False)
    async with gatewayed(tmp_path) as at:
        async with at.one.client(ME) as client:
            made = await client.submit(Spec(estimate_s=60, working_directory=str(tmp_path), stdout_path="o"))
        (tmp_path / "o").write_text("<b>written</b>\n")
        mine, others = at.one.token(ME), at.one.token("zoe")
        operator = at.one.token("olga", Role.OPERATOR)

        async def asked(token: str, query: str) -> Any:
            return await at.tcp.call(f"/output?{query}", verb="GET", Authorization=f"Bearer {token}")

        for token in (mine, operator):
            found = await asked(token, f"job={made}")
            assert (found.status, found.document["text"]) == (200, "<b>written</b>\n")
        assert (await asked(others, f"job={made}")).status == 403
        assert (await at.tcp.call(f"/output?job={made}", verb="GET")).status == 401
        assert (await asked(mine, f"job={made}&from=3")).document["text"] == "written</b>\n"
        for query in ("", "job=x", f"job={made}&of=else", f"job={made}&from=-1"):
            assert (await asked(mine, query)).status == 400, query
        assert (await asked(mine, "job=999")).status == 404
        (tmp_path / "o").unlink()
        gone = await asked(mine, f"job={made}")
        assert (gone.status, gone.document["error"]["reason"]) == (404, "no_output_yet")


async def test_nodes_that_only_pretend_write_nothing(at: Gatewayed) -> None:
    async with at.one.client(ME) as client:
        made = await client.submit(Spec(estimate_s=60))
    found = await at.tcp.call(f"/output?job={made}", verb="GET", Authorization=f"Bearer {at.one.token(ME)}")
    assert (found.status, found.document["error"]["reason"]) == (404, "no_output")
