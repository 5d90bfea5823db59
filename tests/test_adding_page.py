"""``docs/dev/adding.md`` is true: what each row names is in one of the files that it names."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
PAGE = (REPOSITORY / "docs" / "dev" / "adding.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!to add \|).*$", PAGE, re.MULTILINE)

_CODE = re.compile(r"`([^`]+)`")
_PLACEHOLDER = re.compile(r"\b[A-Z]{4,}\b")
_PATH = re.compile(r"[\w.-]+(/[\w.-]*)+|[\w.-]+\.(py|ts|md|json|toml)")
_NAME = re.compile(r"(?P<name>[^\W\d]\w*)(\((?P<parameters>[\w, ]*)\))?")


def split_terms(row: str) -> tuple[list[str], list[str]]:
    """Returns the paths and the names of a row; ``path: NAME`` is one of each."""
    terms = [part for code in _CODE.findall(row) for part in code.split(": ")]
    paths = [term for term in terms if _PATH.fullmatch(term)]
    return paths, [term for term in terms if _NAME.fullmatch(term)]


def find_files(path: str) -> list[Path]:
    """Returns what a path of the page stands for; a word in capitals stands for any name."""
    folder = {".py": "server/synapse_ls", ".ts": "clients/vscode/src"}.get(Path(path).suffix, "")
    pattern = _PLACEHOLDER.sub("*", path).rstrip("/")
    bases = (folder, "server/synapse_ls" if path.endswith("/") else "", "")
    return next((found for b in bases if (found := [*(REPOSITORY / b).glob(pattern)])), [])


@cache
def read_names(path: Path) -> frozenset[str]:
    """Returns the words of a file, or of the files of a folder, and functions with parameters."""
    if path.is_dir():
        return frozenset().union(*(read_names(f) for f in path.iterdir() if f.is_file()))
    text = path.read_text(encoding="utf-8", errors="replace")
    names = set(re.findall(r"\w+", text))
    for node in ast.walk(ast.parse(text)) if path.suffix == ".py" else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [argument.arg for argument in node.args.args if argument.arg != "self"]
            names.add(f"{node.name}({', '.join(arguments)})")
    return frozenset(names)


@pytest.mark.parametrize("row", ROWS, ids=[row.split(" | ")[0].strip("| ") for row in ROWS])
def test_what_a_row_names_is_there(row: str) -> None:
    paths, names = split_terms(row)
    assert paths
    assert [path for path in paths if not find_files(path)] == []
    known = frozenset().union(*(read_names(file) for path in paths for file in find_files(path)))
    assert [name for name in names if name not in known] == []
