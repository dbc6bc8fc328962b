"""What is done to whole logs: cleaning, splitting, merging, selecting, scaling, comparing.

Every tool takes a ``WholeLog`` (all records, those too that are no job) and gives another whose header says
what was done. None changes what it was given.
"""
