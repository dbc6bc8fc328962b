"""``molokini compile``: the machine code of policies before their first run."""

from time import perf_counter, process_time

from molokini.clients.arguments.runs import CompileArguments
from molokini.experiments.choosing import policy_folders
from molokini.experiments.warming import NOT_COMPILED, Piece, pieces
from molokini.model.text import plural
from molokini.parallel.progress import progress_bar

_KEPT_S = 0.5
"""What takes less has come from the cache."""


def warm(arguments: CompileArguments) -> None:
    """Compile what is not in the cache, and print a line for each piece."""
    todo = pieces(arguments.policies, policy_folders(arguments.policy_dir))
    began = perf_counter()
    with progress_bar("compiled") as progress:
        for done, piece in enumerate(todo):
            if progress is not None:
                progress(done, len(todo))
            print(f"{piece.name}: {_compiled(piece)}", flush=True)
    took = perf_counter() - began
    print(f"{plural(len(todo), 'piece')} in {took:.1f} s; runs find them in the cache")


def _compiled(piece: Piece) -> str:
    """What became of *piece*."""
    began = process_time()
    try:
        piece.compile()
    except NOT_COMPILED:
        return "runs as plain Python: numba cannot compile it"
    took = process_time() - began
    return f"{took:.1f} s of processor time" if took > _KEPT_S else "was in the cache"
