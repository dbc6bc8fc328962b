"""Machine code of policies from files, kept by what is compiled and not by the file's text.

numba keeps machine code by a file's contents, so a new sentence in a summary would recompile all of it.
Here comments, documentation and the texts of a declaration do not count: none of them is compiled.
"""

import ast
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, UserProvidedCacheLocator
from numba.core.compiler_lock import global_compiler_lock

_DECLARATIONS = ("Policy", "Parameter", "parameter", "replace")


@contextmanager
def kept_by_code() -> Iterator[None]:
    """Functions that are compiled inside are kept by their file's code."""
    with global_compiler_lock:
        before = CompileResultCacheImpl._locator_classes
        CompileResultCacheImpl._locator_classes = [_ByCode, *before]
        try:
            yield
        finally:
            CompileResultCacheImpl._locator_classes = before


def code_digest(source: str) -> str:
    """Sixteen hexadecimal digits that change with the parts of *source* that can be compiled."""
    tree = _Bare().visit(ast.parse(source))
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16]


class _Bare(ast.NodeTransformer):
    """Takes out texts that are not compiled."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A text that stands alone is documentation."""
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return ast.Pass()
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The texts of a declaration: its numbers alone reach compiled code."""
        if isinstance(node.func, ast.Name) and node.func.id in _DECLARATIONS:
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    part.value = ""
        return self.generic_visit(node)


class _ByCode(UserProvidedCacheLocator):  # type: ignore[misc]
    """Where numba keeps a function, and how it knows that it has not changed."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._digest = code_digest(Path(py_file).read_text(encoding="utf-8"))

    def get_source_stamp(self) -> str:
        """A digest of the code alone."""
        return self._digest

    def get_disambiguator(self) -> str:
        """A part of the file's name: a policy changed back and forth is compiled once for each form."""
        return self._digest
