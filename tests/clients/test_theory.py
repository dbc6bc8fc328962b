"""What ``molokini theory`` cannot say: the line that a user reads, and nothing written."""

import pytest

from molokini.clients.command import run

FINITE = "its mean is infinite, and a load needs a finite mean above 0"
ENDLESS = "it must be above 0 and below 1: from 1 on the queue grows without end"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("srpt --load 1", f"load: 1.0 is not allowed; {ENDLESS}"),
        ("srpt --load 0.5,1.2", f"load: 1.2 is not allowed; {ENDLESS}"),
        ("srpt --load 0", f"load: 0.0 is not allowed; {ENDLESS}"),
        ("srpt --load nan", f"load: nan is not allowed; {ENDLESS}"),
        ("sita --load 1.0", f"load: 1.0 is not allowed; {ENDLESS}"),
        (
            "srpt --load x",
            "--load: 'x' is not allowed; it must be numbers above 0 and below 1, separated by commas",
        ),
        ("srpt --distribution pareto?k=1&alpha=0.9", f"pareto: {FINITE}"),
        ("tail --distribution pareto?k=1&alpha=0.5", f"pareto: {FINITE}"),
        (
            "sita --distribution pareto?k=1&alpha=1.5",
            "pareto: E[X^2] is infinite, so that no cutoffs have a finite slowdown; "
            "bound the sizes (bounded-pareto)",
        ),
        ("sita --hosts 1", "hosts: 1 is not allowed; it must be a whole number from 2 to 61"),
        (
            "srpt --simulate 0",
            "--simulate: 0 is not allowed; it must be a whole number from 1,000 to 10,000,000",
        ),
    ],
)
def test_what_diverges_is_told(words: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["theory", *words.split()]) == 2
    assert capsys.readouterr() == ("", f"molokini: {line}\n")
