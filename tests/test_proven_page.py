"""``docs/dev/proven.md`` proves what it says: every statement names a test that exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
PAGE = REPOSITORY / "docs" / "dev" / "proven.md"
_ROW = re.compile(
    r"^\| (?P<about>[^|]+) \| (?P<said>.+) \| (?P<tests>`tests/.+`) \|$", re.MULTILINE
)
_UNPROVEN = re.compile(r"^\| [^|]+ \| .+ \| (?!`tests/|Proven by|---).*\|$", re.MULTILINE)
ELEMENTS = {
    f"{group}{number}"
    for group, count in (("A", 7), ("B", 7), ("C", 8), ("D", 3), ("E", 7))
    for number in range(1, count + 1)
}
DOORS = tuple(
    f"tests/{place}/"
    for place in (
        *("bench", "cli", "clients", "compaction", "conversation", "hooks", "ide", "lsp", "mcp"),
    )
)
"""Where the tests are that go through what users take: hook, command line, library, editor, MCP."""
DOCUMENTS = (
    "SYNAPSE Context Brackets",
    "neuron-context",
    "Chati Context Engine",
    "ADR-001",
    "Brainiac Context Ordering",
)


def statements() -> str:
    """The tables of the page that the tests are about."""
    page = PAGE.read_text(encoding="utf-8")
    return page.partition("\n## What is left out\n")[0]


def rows() -> list[tuple[str, str, list[str]]]:
    found = _ROW.finditer(statements())
    return [(m["about"], m["said"], re.findall(r"`([^`]+)`", m["tests"])) for m in found]


@cache
def functions_in(path: str) -> frozenset[str]:
    tree = ast.parse((REPOSITORY / path).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, functions))


def test_every_statement_names_a_test_that_exists() -> None:
    missing = []
    for _, said, tests in rows():
        for test in tests:
            path, _, name = test.partition("::")
            if not (REPOSITORY / path).is_file() or name not in functions_in(path):
                missing.append((said, test))
    assert missing == []


def test_every_element_of_the_decision_record_is_listed() -> None:
    found = {about.removeprefix("ADR-001 ") for about, _, _ in rows()}
    assert ELEMENTS - found == set()


def test_every_document_is_listed() -> None:
    found = {about for about, _, _ in rows()}
    assert [d for d in DOCUMENTS if not any(about.startswith(d) for about in found)] == []


def test_no_statement_goes_without_a_test() -> None:
    assert rows()
    assert _UNPROVEN.findall(statements()) == []


def test_every_statement_goes_through_a_door_that_users_take() -> None:
    around = [said for _, said, tests in rows() if not any(t.startswith(DOORS) for t in tests)]
    assert around == []


def test_what_is_left_out_says_why() -> None:
    left_out = PAGE.read_text(encoding="utf-8").partition("\n## What is left out\n")[2]
    table = [line.split(" | ") for line in left_out.splitlines() if line.startswith("| ")][1:]
    assert {about.removeprefix("| ").partition(",")[0].split(" ")[0] for about, *_ in table} >= {
        document.split(" ")[0] for document in DOCUMENTS if document != "Brainiac Context Ordering"
    }
    assert [row for row in table if len(row) != 3 or len(row[2].split()) < 5] == []
