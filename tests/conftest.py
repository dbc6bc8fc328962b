"""What holds for every test."""

import os

from hypothesis import HealthCheck, settings

# Whether something is compiled depends on the cache: standard error must not. The tests of it say otherwise.
os.environ.setdefault("MOLOKINI_QUIET", "1")

# How long an example takes says how busy the machine is.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Properties draw the same examples each time, so a green commit stays green; ``make explore`` draws others.
settings.register_profile("same", parent=_PATIENT, derandomize=True)
settings.register_profile("anew", parent=_PATIENT, derandomize=False, print_blob=True)
settings.load_profile("same")
