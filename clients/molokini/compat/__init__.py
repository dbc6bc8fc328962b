"""The commands of PBS, LSF, Slurm and Maui: what real tools call and parse, over a transport that needs no
gRPC.

Standard library alone, and of it little: a submission has some forty milliseconds, of which the interpreter
takes the most. So no ``typing``, ``dataclasses`` or ``argparse`` here; what annotations name comes from
``_types`` (docs/decisions/0031-batch-commands.md).
"""
