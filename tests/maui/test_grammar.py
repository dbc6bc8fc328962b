import pytest

from molokini.maui.grammar import BadLine, Line, attribute, included, parsed, quoted


def line(text: str) -> Line:
    found = parsed(text, "maui.cfg", 7)
    assert found is not None
    return found


@pytest.mark.parametrize("text", ["", "   ", "# a comment", "\t#", "#INCLUDE other.cfg"])
def test_lines_that_say_nothing(text: str) -> None:
    assert parsed(text, "maui.cfg", 1) is None


@pytest.mark.parametrize(
    ("text", "name", "index", "words"),
    [
        ("BACKFILLPOLICY FIRSTFIT", "BACKFILLPOLICY", None, ("FIRSTFIT",)),
        ("  BackFillPolicy\tBestFit  # why", "BACKFILLPOLICY", None, ("BestFit",)),
        ("FSWEIGHT", "FSWEIGHT", None, ()),
        ("RESERVATIONDEPTH[2] 8", "RESERVATIONDEPTH", "2", ("8",)),
        ("UserCfg[ John ] A=1 B='x y'", "USERCFG", "John", ("A=1", "B=x y")),
        ("NODECFG[n] PRIORITYF='SPEED + .01*AMEM'", "NODECFG", "n", ("PRIORITYF=SPEED + .01*AMEM",)),
        ('CLIENTCFG[RM:base] CSKEY="a#b"', "CLIENTCFG", "RM:base", ("CSKEY=a#b",)),
        ("ADMIN1 root 'ann'#x", "ADMIN1", None, ("root", "ann")),
        ("LOGFILE ''", "LOGFILE", None, ("",)),
    ],
)
def test_lines(text: str, name: str, index: str | None, words: tuple[str, ...]) -> None:
    found = line(text)
    assert (found.name, found.index, found.words, found.number) == (name, index, words, 7)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("=5", "must begin with the name"),
        ("FSWEIGHT=5", "must begin with the name"),
        ("USERCFG[a[b]] X=1", "must begin with the name"),
        ("USERCFG[ann X=1", "must begin with the name"),
        ("LOGFILE 'open", "opened and not closed"),
        ("LOGFILE a\x07b", "unprintable"),
        ("LOGFILE " + "x" * 70_000, "longer than 65,536"),
    ],
)
def test_lines_that_are_none(text: str, cause: str) -> None:
    with pytest.raises(BadLine, match=cause):
        parsed(text, "maui.cfg", 1)


def test_attributes() -> None:
    assert attribute("MaxJob=3,4") == ("MAXJOB", None, "3,4")
    assert attribute("MAXPROC[USER:steve]=3") == ("MAXPROC", "USER:steve", "3")
    assert attribute("DEFAULT.WCLIMIT=1:00:00") == ("DEFAULT.WCLIMIT", None, "1:00:00")
    assert attribute("OWNER=a=b") == ("OWNER", None, "a=b")
    for text in ("MAXJOB", "=3", "MAXPROC[=3", "3=x"):
        with pytest.raises(BadLine):
            attribute(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("#INCLUDE other.cfg", "other.cfg"),
        ("#INCLUDE 'a b.cfg' # more", "a b.cfg"),
        ("#INCLUDE", ""),
        ("#include other.cfg", None),
        ("# INCLUDE other.cfg", None),
        ("#INCLUDED", None),
        (" #INCLUDE other.cfg", None),
        ("INCLUDE other.cfg", None),
    ],
)
def test_only_one_comment_includes(text: str, path: str | None) -> None:
    assert included(text) == path


@pytest.mark.parametrize("value", ["plain", "two words", "a#b", "it's", 'a "b"', "", "tab\there"])
def test_quoted_values_come_back(value: str) -> None:
    assert line(f"LOGFILE {quoted(value)}").words == (value,)
