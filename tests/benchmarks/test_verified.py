"""What ``make bench`` verifies is what there is: every policy, and values that its parameters can have."""

from benchmarks import verified
from molokini.policies import load_policy, policy_names


def test_every_setting_is_one_that_its_policy_takes() -> None:
    found = list(verified.settings())
    for name, parameters in found:
        declared = load_policy(name).declaration
        values, defaults = declared.values(parameters), declared.values({})
        assert {key for key in values if values[key] != defaults.get(key)} == set(parameters)
    assert {name for name, _ in found} == set(policy_names())
