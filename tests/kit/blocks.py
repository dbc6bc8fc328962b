"""What gang scheduling in blocks refuses, and how it says so."""

REFUSED = [
    ({"alpha_m": "0.9"}, "alpha_m: 0.9 is not allowed; it must be a number from 0 to alpha_l, 0.8"),
    ({"alpha_l": "1.5"}, "alpha_l: '1.5' is not allowed; it must be a number from 0 to 1"),
    ({"k_m": "-1"}, "k_m: '-1' is not allowed; it must be a whole number from 0 to 1,000,000,000"),
    ({"k_l": "-1"}, "k_l: '-1' is not allowed; it must be a whole number from 0 to 1,000,000,000"),
    ({"slots": "0"}, "slots: '0' is not allowed; it must be a whole number from 1 to 992"),
    ({"longest_s": "0"}, "longest_s: '0' is not allowed; it must be a number from 0.001"),
    ({"repack": "maybe"}, "repack: 'maybe' is not allowed; it must be one of yes, no"),
]
SIX = "processors: 6 is not allowed; it must be a power of two under buddy-gang, such as 4 or 8"
"""A machine of six processors."""
