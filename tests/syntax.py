"""The package's own code as the tests of its rules read it: each module is parsed once for all of them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "server" / "synapse_ls"


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """What a module consists of, from the outside to the inside."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
