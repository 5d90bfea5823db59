"""SECURITY.md promises nothing that is not tested."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

from synapse_ls.workspace.user_folders import PROJECT_SIGNS

REPOSITORY = Path(__file__).parent.parent
PAGE = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
_, _, _TABLE = PAGE.partition("| claim | test |\n|---|---|\n")
ROWS = [row.strip("| ").split(" | ") for row in _TABLE.partition("\n\n")[0].splitlines()]
CLAIMS = [row for row in ROWS if not row[0].startswith("**")]


@cache
def find_tests(path: str) -> frozenset[str]:
    """Returns the names of the tests in a file."""
    tree = ast.parse((REPOSITORY / path).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in tree.body if isinstance(node, functions))


def test_each_claim_names_a_test() -> None:
    for claim, where in CLAIMS:
        match = re.fullmatch(r"`(tests/[\w/]+\.py): (test_\w+)`", where)
        assert match, where
        assert match.group(2) in find_tests(match.group(1)), claim


def test_the_page_has_claims_of_each_kind() -> None:
    headings = [row[0] for row in ROWS if row[0].startswith("**")]
    assert len(headings) >= 6
    assert len(CLAIMS) > 20


def test_tools_for_models_are_not_offered_in_an_untrusted_folder() -> None:
    manifest = json.loads((REPOSITORY / "clients/vscode/package.json").read_text(encoding="utf-8"))
    tools = manifest["contributes"]["languageModelTools"]
    assert tools and all("isWorkspaceTrusted" in tool["when"].split(" && ") for tool in tools)


def test_an_interpreter_of_an_untrusted_folder_counts_for_nothing() -> None:
    manifest = json.loads((REPOSITORY / "clients/vscode/package.json").read_text(encoding="utf-8"))
    trust = manifest["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    assert "synapse.interpreter" in trust["restrictedConfigurations"]


def test_the_extension_knows_a_project_by_the_same_signs() -> None:
    source = REPOSITORY / "clients/vscode/src/server/programSearch.ts"
    table = re.search(r"PROJECT_SIGNS = (\[[^]]*)", source.read_text(encoding="utf-8"))
    assert table and re.findall(r'"(.*)"', table[1]) == sorted(PROJECT_SIGNS)


def _lines_of_the_extension(word: str) -> list[str]:
    """The lines of the extension's sources that have a word."""
    sources = sorted((REPOSITORY / "clients/vscode/src").rglob("*.ts"))
    lines = (line.strip() for path in sources for line in path.read_text("utf-8").splitlines())
    return [line for line in lines if word in line]


def test_no_word_of_a_tree_steers_the_terminal_of_the_testing_view() -> None:
    (written,) = _lines_of_the_extension("appendOutput(")
    assert written.startswith("run.appendOutput(`${outcomeText(outcome)}\\r\\n`")
    assert 'return lines.map(visibleText).join("\\r\\n");' in _lines_of_the_extension("visibleText")


def test_no_tool_of_the_extension_gives_a_model_a_tag_in_an_error() -> None:
    assert _lines_of_the_extension("tool.run(") == ["return plainAnswer(await tool.run(input));"]
    assert any(
        line.startswith("throw new Error(inertText(")
        for line in _lines_of_the_extension("inertText")
    )


def test_what_the_extension_starts_finds_no_program_of_a_folder_that_is_open() -> None:
    sources = {
        path.name: path.read_text(encoding="utf-8")
        for path in (REPOSITORY / "clients/vscode/src").rglob("*.ts")
    }
    starting = {
        name: text
        for name, text in sources.items()
        if re.search(r'^import (?!type )[^;]*"(?:node:)?child_process"', text, re.MULTILINE)
    }
    assert set(starting) == {"cliProcess.ts", "interpreterProbe.ts", "serverProcess.ts"}
    for text in starting.values():
        assert "env = { ...process.env, ...environmentOutside() };" in text
        assert len(re.findall(r"\b(?:execFile|spawn)\(", text)) == 1
        assert re.search(r"\{ cwd, env\b", text)
    registration = sources["mcpRegistration.ts"]
    assert "env: environmentOutside()," in registration
    assert "args, env, version" in registration
    assert "registerServer({ name: SERVER_NAME, server })" in registration


def test_the_list_of_interpreters_is_that_of_the_launch() -> None:
    server = REPOSITORY / "clients/vscode/src/server"
    picker = (server / "interpreterPicker.ts").read_text(encoding="utf-8")
    assert "trustedSources(extensions).map(" in picker
    assert "pathCandidates" not in picker and ".sources" not in picker
    launch = (server / "launchResolver.ts").read_text(encoding="utf-8")
    assert "trustedSources(this.extensions, named)" in launch
