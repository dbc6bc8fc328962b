"""What Zhang and Sivasubramaniam 2001 claim (Z1 to Z22), as functions of our results."""

from molokini.studies.zhang2001_qos import best_effort, both_classes, real_time

CLAIMS = sorted(
    [*best_effort.SAID.made, *both_classes.SAID.made, *real_time.SAID.made],
    key=lambda claim: int(claim.name[1:]),
)
