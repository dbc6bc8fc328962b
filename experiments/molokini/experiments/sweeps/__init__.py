"""Sweeps: every point of a space of workloads, machines, loads, policies, values and seeds, replayed once.

``space`` numbers the points, ``measuring`` replays some of them, ``journal`` keeps their rows as they come,
``row_tables`` makes one Parquet file of them, ``summary`` and ``report`` say what follows, ``certain``
whether more seeds are needed. ``sweep_runs`` puts all of it together.
"""
