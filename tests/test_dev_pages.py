"""The pages for developers are true: what they name is there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest

from tests import test_house

REPOSITORY = Path(__file__).parent.parent
ARCHITECTURE = REPOSITORY / "ARCHITECTURE.md"
PAGES = (ARCHITECTURE, REPOSITORY / "CONTRIBUTING.md", REPOSITORY / "docs" / "dev" / "decisions.md")
PAGE = (REPOSITORY / "docs" / "dev" / "adding.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!to add \|).*$", PAGE, re.MULTILINE)

_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_PLACEHOLDER = re.compile(r"NAME|FAMILY|CLIENT")
_PATH = re.compile(r"[\w.-]+(/[\w.-]*)+|[\w.-]+\.(py|ts|toml)")
_NAME = re.compile(r"[^\W\d]\w*(\([\w, ]*\))?")


def find_files(path: str) -> list[Path]:
    """Returns what a path of the page stands for; a word in capitals stands for any name."""
    base = {".py": "server/synapse_ls", ".ts": "clients/vscode/src"}.get(Path(path).suffix)
    pattern = _PLACEHOLDER.sub("*", path).rstrip("/")
    folders = [REPOSITORY / (base or "server/synapse_ls"), REPOSITORY]
    return next((found for folder in folders if (found := [*folder.glob(pattern)])), [])


@cache
def read_words(path: Path) -> frozenset[str]:
    """Returns the words of a file or of a folder's files, and its functions with parameters."""
    if path.is_dir():
        return frozenset().union(*(read_words(file) for file in path.iterdir() if file.is_file()))
    text = path.read_text(encoding="utf-8", errors="replace")
    words = set(re.findall(r"\w+", text))
    for node in ast.walk(ast.parse(text)) if path.suffix == ".py" else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parameters = [argument.arg for argument in node.args.args if argument.arg != "self"]
            words.add(f"{node.name}({', '.join(parameters)})")
    return frozenset(words)


def is_defined_in(path: Path, name: str) -> bool:
    text = path.read_text(encoding="utf-8")
    return bool(re.search(rf"^(def |class )?{name}\b(?! import)", text, re.MULTILINE))


def test_what_a_row_names_is_there() -> None:
    for row in ROWS:
        pairs = [term.partition(": ") for term in _CODE.findall(row)]
        found = {path: find_files(path) for path, _, _ in pairs if _PATH.fullmatch(path)}
        assert found, row
        assert [path for path, files in found.items() if not files] == [], row
        words = frozenset().union(*(read_words(file) for files in found.values() for file in files))
        names = [name for name, _, _ in pairs if _NAME.fullmatch(name)]
        assert [name for name in names if name not in words] == [], row
        defined = [(found[path], name) for path, colon, name in pairs if colon and path in found]
        assert [name for (file, *_), name in defined if not is_defined_in(file, name)] == [], row


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_each_file_of_a_page_is_there(page: Path) -> None:
    codes = _CODE.findall(page.read_text(encoding="utf-8"))
    paths = [code for code in codes if re.fullmatch(r"\w+(/[\w.-]*)+(?<!\.log)", code)]
    assert paths
    assert [path for path in paths if not find_files(path)] == []


def test_each_invariant_is_a_test() -> None:
    named = re.findall(r"`(test_\w+)`", ARCHITECTURE.read_text(encoding="utf-8"))
    assert named
    assert [name for name in named if not hasattr(test_house, name)] == []


def test_the_packages_are_listed_in_their_order() -> None:
    page = ARCHITECTURE.read_text(encoding="utf-8").partition("## The packages")[2]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", page.partition("\n## ")[0], re.MULTILINE)
    assert tuple(re.findall(r"\w+", " ".join(rows))) == test_house.ORDER


FIRST_RULE = (REPOSITORY / "docs" / "dev" / "first-rule.md").read_text(encoding="utf-8")
_FENCED = re.compile(r"^( *)(```|~~~~)python\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
SNIPPETS = [dedent(found[3]) for found in _FENCED.finditer(FIRST_RULE)]


@pytest.mark.parametrize("command", ["check --select I", "format --diff"])
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda code: code.strip().splitlines()[0][:20])
def test_what_the_first_rule_shows_is_as_the_formatter_has_it(snippet: str, command: str) -> None:
    place = "server/synapse_ls/lint/rules/rule_content/unfinished_rule.py"
    ruff = [sys.executable, "-m", "ruff", *command.split(), "--stdin-filename", place, "-"]
    ran = subprocess.run(
        ruff, input=snippet, capture_output=True, text=True, cwd=REPOSITORY, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_first_rule_shows_its_code() -> None:
    assert len(SNIPPETS) == 4


def test_the_architecture_is_read_in_one_go() -> None:
    assert ARCHITECTURE.stat().st_size <= 8192


def count_code_lines(path: Path) -> int:
    """Counts the lines of a module that are no blank line, comment or docstring."""
    text = path.read_text(encoding="utf-8")
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case (
                ast.Module(body=[ast.Expr(value=ast.Constant(value=str())) as first, *_])
                | ast.ClassDef(body=[ast.Expr(value=ast.Constant(value=str())) as first, *_])
                | ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())) as first, *_])
                | ast.AsyncFunctionDef(
                    body=[ast.Expr(value=ast.Constant(value=str())) as first, *_]
                )
            ):
                docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return sum(bool(line) and not line.startswith("#") and n not in docstrings for n, line in lines)


def test_the_sizes_of_the_packages_are_about_what_the_architecture_says() -> None:
    page = ARCHITECTURE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+`,? ?)+) \|.*\| ([^|]+) \|$", page, re.MULTILINE)
    sizes_by_package = {
        name: (int(modules), float(lines))
        for names, sizes in rows
        for name, (modules, lines) in zip(
            re.findall(r"\w+", names), re.findall(r"(\d+) / ([\d.]+) k", sizes), strict=True
        )
    }
    assert tuple(sizes_by_package) == test_house.ORDER
    for name, (modules, lines) in sizes_by_package.items():
        files = test_house.modules(name)
        assert abs(len(files) - modules) <= max(2, modules / 10), name
        assert abs(sum(map(count_code_lines, files)) / 1000 - lines) <= max(0.2, lines / 10), name


def test_each_page_has_a_place_on_the_site() -> None:
    site = tomllib.loads((REPOSITORY / "zensical.toml").read_text(encoding="utf-8"))
    named = set(re.findall(r"[\w/-]+\.md", str(site["project"]["nav"])))
    docs = REPOSITORY / "docs"
    there = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    listed = {path for path in there if path.startswith("rules/")} - {"rules/README.md"}
    assert named == there - listed - {path for path in there if path.startswith("agents/")}
