"""What is kept of trees beside them, and the page that says so."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent
PAGE = REPOSITORY / "docs/log.md"
_WRITERS = {"write_memo", "write_parts", "cache_file_name", "_append_record"}
_NAMES = ("MEMO_KIND", "CACHE_KIND")


def _constants(tree: ast.Module) -> dict[str, str]:
    """The texts that a module has names for."""
    found = {}
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.Constant | ast.JoinedStr):
            first = value.values[0] if isinstance(value, ast.JoinedStr) else value
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found[target.id] = first.value
    return found


def written_kinds() -> Iterator[str]:
    """The endings of files that the program writes about a tree; of some only the beginning."""
    for path in (REPOSITORY / "server/synapse_ls").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        known = _constants(tree)
        yield from (kind for name, kind in known.items() if name in _NAMES)
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            for given in call.args[1:3] if name in _WRITERS else ():
                if isinstance(given, ast.Constant) and given.value:
                    yield str(given.value)
                elif isinstance(given, ast.Name) and given.id in known:
                    yield known[given.id]


def test_the_page_of_what_is_kept_names_every_kind_of_file() -> None:
    page = PAGE.read_text(encoding="utf-8")
    kinds = set(written_kinds())
    assert {"plan", "injections", "check", "swept"} <= kinds
    assert {kind for kind in kinds if f"`….{kind}" not in page} == set()
