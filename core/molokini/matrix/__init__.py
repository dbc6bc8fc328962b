"""The matrix of gang scheduling, step by step: clean, compact, place, fill; migration; plans by row.

The steps work on the matrix of a pass (``tables.columns.matrix``) and know no queue. A pass begins with
``standing.take_up`` and ends with ``standing.settle``, which decides what has changed.
"""
