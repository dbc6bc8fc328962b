"""The machine code of a policy's file is kept by its code: words do not count, everything else does."""

import pytest

from molokini.compiled.file_cache import code_digest

SOURCE = '''"""Words."""
from molokini.model.policy import Parameter, Policy

POLICY = Policy(name="a", summary="words", parameters=(Parameter("n", 50.0, "words", low=0.0),))
LIMIT = 3


def schedule(view, now):
    """Words."""
    helper(view, LIMIT)  # words


def helper(view, limit):
    return "x" == "y"
'''
WORDS = [
    ('"""Words."""\nfrom', '"""Other words,\n\nand more."""\nfrom'),
    ('    """Words."""', '    """Another."""'),
    ('"words"', '"other words"'),
    ("# words", "# other words"),
    ("\n\n\ndef", "\n\n\n\n\ndef"),
]
CODE = [
    ("LIMIT = 3", "LIMIT = 4"),
    ("50.0", "51.0"),
    ('"x"', '"z"'),
    ("helper(view, LIMIT)", "helper(view, 3)"),
]


@pytest.mark.parametrize(("old", "new"), WORDS)
def test_words_do_not_count(old: str, new: str) -> None:
    assert old in SOURCE
    assert code_digest(SOURCE.replace(old, new)) == code_digest(SOURCE)


@pytest.mark.parametrize(("old", "new"), CODE)
def test_code_counts(old: str, new: str) -> None:
    assert old in SOURCE
    assert code_digest(SOURCE.replace(old, new)) != code_digest(SOURCE)
