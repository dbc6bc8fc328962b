"""Messages of the Wiki protocol, byte by byte, and those that are none."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadValue
from molokini.server.wiki.checksums import ALGORITHMS, checksum, number_of
from molokini.server.wiki.messages import (
    Request,
    Shared,
    WikiError,
    clock_of,
    done,
    failed,
    message,
    opened,
    read_message,
    records,
    request_of,
)

JOBS = b"TS=1000000000 AUTH=root DT=CMD=GETJOBS ARG=0:ALL"


@pytest.mark.parametrize(
    ("key", "body", "found"),
    [
        ("0", b"", "6f66d859d6cc931c"),
        ("42", JOBS, "d17e24faf795dddf"),
        ("0x2a", JOBS, "d17e24faf795dddf"),
        ("052", JOBS, "d17e24faf795dddf"),
        ("123456789", b"TS=1000000000 AUTH=slurm DT=SC=0 ARG=0#", "3d87ee52ced4008b"),
    ],
)
def test_the_checksum_called_des(key: str, body: bytes, found: str) -> None:
    assert checksum("DES", key, body) == found


def test_keys_that_are_no_numbers() -> None:
    assert (number_of("4294967297"), number_of("-1")) == (1, 0xFFFFFFFF)
    for key in ("", "secret", "09", "0xg"):
        with pytest.raises(BadValue, match=r"wiki\.key: .* a number, for the checksum DES"):
            number_of(key)


def test_a_whole_message() -> None:
    shared = Shared(key="42")
    assert message(shared, "root", "CMD=GETJOBS ARG=0:ALL", 1e9) == b"00000068\nCK=d17e24faf795dddf " + JOBS
    assert opened(shared, b"CK=d17e24faf795dddf " + JOBS, 1e9) == ("root", "CMD=GETJOBS ARG=0:ALL")


def test_an_answer_with_a_job() -> None:
    fields = [
        *[("STATE", "Idle"), ("UPDATETIME", 999999999), ("WCLIMIT", 3600), ("TASKS", 2), ("UNAME", "ann")],
        *[("GNAME", "lab"), ("QUEUETIME", 999999990), ("STARTTIME", 0), ("ACCOUNT", "")],
    ]
    text = records([("7", fields)])
    assert text == (
        "SC=0 ARG=1#7:STATE=Idle;UPDATETIME=999999999;WCLIMIT=3600;TASKS=2;UNAME=ann;GNAME=lab;"
        "QUEUETIME=999999990;STARTTIME=0;"
    )
    sent = message(Shared(key="123456789"), "slurm", text, 1e9)
    assert sent.startswith(b"00000166\nCK=1ecbfb97bcfee25d TS=1000000000 AUTH=slurm DT=SC=0 ARG=1#7:")


def test_answers() -> None:
    assert records([]) == "SC=0 ARG=0#"
    assert records([("a:b", [("X", "1;2#3")])]) == r"SC=0 ARG=1#a\:b:X=1\;2\#3;"
    assert done("job 7 started successfully") == "SC=0 RESPONSE=job 7 started successfully"
    assert failed(WikiError(-700, "no job 7")) == "SC=-700 RESPONSE=no job 7"


@given(
    st.sampled_from(ALGORITHMS),
    st.integers(0, 2**32 - 1).map(str),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\n"), max_size=60),
    st.integers(0, 2**31),
)
def test_what_is_sent_is_what_is_opened(algorithm: str, key: str, data: str, at_s: int) -> None:
    shared = Shared(algorithm, key)
    sent = message(shared, "root", data, at_s)
    assert int(sent[:8]) == len(sent) - 9
    assert opened(shared, sent[9:], at_s + 299) == ("root", data)


@pytest.mark.parametrize("algorithm", [one for one in ALGORITHMS if one != "NONE"])
def test_a_checksum_that_is_no_text(algorithm: str) -> None:
    with pytest.raises(WikiError, match="checksum") as found:
        opened(Shared(algorithm, "1"), b"CK=\xc3\xff TS=1000000000 AUTH=root DT=CMD=GETJOBS", 1e9)
    assert found.value.code == -422


def test_a_clock_beside_the_time() -> None:
    sent = message(Shared(key="1"), "molokini", "SC=0 ARG=0# CLOCK=3", 1e9, clock_s=12.5)[9:]
    assert opened(Shared(key="1"), sent, 1e9) == ("molokini", "SC=0 ARG=0# CLOCK=3")
    assert clock_of(sent) == 12.5
    for other in (b"TS=1 AUTH=a DT= CLOCK=3", b"TS=1 AUTH=a CLOCK=nan DT=", b"TS=1 CLOCK=x DT="):
        assert clock_of(other) is None


@given(st.binary(max_size=200))
def test_whatever_comes_is_refused_with_a_code(payload: bytes) -> None:
    with pytest.raises(WikiError) as found:
        opened(Shared(key="1"), payload, 1e9)
    assert found.value.code < 0


@pytest.mark.parametrize("algorithm", ["DES", "HMAC", "HMAC64", "MD5"])
def test_another_key_or_another_text(algorithm: str) -> None:
    sent = message(Shared(algorithm, "1"), "root", "CMD=STARTJOB ARG=1 TASKLIST=a", 1e9)[9:]
    for payload, key in ((sent, "2"), (sent.replace(b"=1 T", b"=2 T"), "1")):
        with pytest.raises(WikiError, match="checksum") as found:
            opened(Shared(algorithm, key), payload, 1e9)
        assert found.value.code == -422


@pytest.mark.parametrize("late_s", [-301, 301])
def test_a_message_of_another_time(late_s: int) -> None:
    sent = message(Shared(key="1"), "root", "CMD=GETJOBS", 1e9)[9:]
    with pytest.raises(WikiError, match="more than 300 s") as found:
        opened(Shared(key="1"), sent, 1e9 + late_s)
    assert found.value.code == -350


@pytest.mark.parametrize(
    ("data", "request_"),
    [
        ("CMD=GETJOBS ARG=0:ALL", Request("u", "GETJOBS", "0:ALL", {})),
        ("cmd=startjob arg=7 tasklist=a:a:b", Request("u", "STARTJOB", "7", {"TASKLIST": "a:a:b"})),
        ('CMD=NOTIFYJOB ARG=7 MSG="to be, or"', Request("u", "NOTIFYJOB", "7", {"MSG": "to be, or"})),
        ("CMD=MODIFYJOB ARG=7 DEPEND=afterany:3", Request("u", "MODIFYJOB", "7", {"DEPEND": "afterany:3"})),
    ],
)
def test_requests(data: str, request_: Request) -> None:
    assert request_of("u", data) == request_


@pytest.mark.parametrize(
    ("data", "text"), [("ARG=1", "no CMD="), ("", "no CMD="), ("CMD=X A='b", "quotation")]
)
def test_what_is_no_request(data: str, text: str) -> None:
    with pytest.raises(WikiError, match=text):
        request_of("u", data)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"", -240),
        (b"0000", -240),
        (b"abcdefgh\nCK=", -240),
        (b"00000003 abc", -240),
        (b"00000000\n", -244),
        (b"99999999\n", -244),
        (b"00000010\nshort", -246),
    ],
)
async def test_frames_that_are_none(sent: bytes, code: int) -> None:
    with pytest.raises(WikiError) as found:
        await read_message(_reader(sent))
    assert found.value.code == code


@pytest.mark.parametrize("end", [b"", b"\0", b"\n", b"\n\0"])
async def test_a_frame(end: bytes) -> None:
    assert await read_message(_reader(b"%08d\nCK=%s" % (3 + len(end), end))) == b"CK="


def _reader(sent: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    reader.feed_data(sent)
    reader.feed_eof()
    return reader
