"""The outline of each kind of file."""

from __future__ import annotations

from synapse_ls.ide.symbols import Symbol, document_symbols
from tests.ide.views import STATE
from tests.workspace.trees import facts_of


def check(path: str, text: str, *expected: str) -> None:
    """The outline, a row per symbol, children indented."""
    assert list(rows(document_symbols(facts_of(path, text)))) == list(expected)


def rows(found: tuple[Symbol, ...], indent: str = "") -> list[str]:
    made = []
    for symbol in found:
        detail = f" · {symbol.detail}" if symbol.detail else ""
        made.append(f"{indent}{symbol.kind} {symbol.name}{detail}")
        made += rows(symbol.children, indent + "  ")
    return made


def test_a_manifest_has_its_domains_with_their_settings() -> None:
    check(
        ".synapse/manifest",
        "DEVMODE=true\nX_STATE=inactive\nY_STATE=active\nX_RECALL=a, b\n",
        "setting DEVMODE · true",
        "domain X · inactive",
        "  setting STATE · inactive",
        "  setting RECALL · a, b",
        "domain Y",
        "  setting STATE · active",
    )


def test_a_rule_file_has_its_rules() -> None:
    check(".synapse/x", "X_RULE_0=a\nX_AUTH_0=b\n", "rule X_RULE_0 · a", "rule X_AUTH_0 · b")


def test_plain_text_has_its_headings() -> None:
    check(
        ".synapse/x",
        "first\n\n# Style\n\n- short\n- clear\n",
        "rule first",
        "group Style",
        "  rule short",
        "  rule clear",
    )


def test_a_constitution_has_its_articles() -> None:
    check(
        ".synapse/constitution",
        "CONSTITUTION_RULE_ART1_0=CLI First (MUST)\nCONSTITUTION_RULE_ART1_1=a\n",
        "article Art. I CLI First · MUST",
        "  rule CONSTITUTION_RULE_ART1_0 · CLI First (MUST)",
        "  rule CONSTITUTION_RULE_ART1_1 · a",
    )


def test_a_context_file_has_its_brackets() -> None:
    check(
        ".synapse/context",
        "CONTEXT_RULE_FRESH_0=a\nCONTEXT_RULE_DEPLETED_0=b\n",
        "bracket FRESH",
        "  rule CONTEXT_RULE_FRESH_0 · a",
        "bracket DEPLETED",
        "  rule CONTEXT_RULE_DEPLETED_0 · b",
    )


def test_a_commands_file_has_its_commands() -> None:
    check(
        ".synapse/commands",
        "# [*brief] COMMAND:\nCOMMANDS_RULE_BRIEF_0=a\n",
        "command *brief",
        "  rule COMMANDS_RULE_BRIEF_0 · a",
    )


def test_a_squad_has_its_fields_and_components() -> None:
    check(
        "squads/s/squad.yaml",
        "name: s\nversion: 1.0.0\ncomponents:\n  agents: [a.md, b.md]\n",
        "squad name · s",
        "field version · 1.0.0",
        "field components",
        "  component agents",
        "    component a.md",
        "    component b.md",
    )


def test_a_workflow_state_has_its_steps() -> None:
    check(
        ".aiox/a-state.yaml",
        STATE,
        "step in_development · @dev · pending",
        "step qa_review · @qa · pending",
    )


def test_a_file_of_another_kind_has_no_outline() -> None:
    check("docs/stories/s.md", "# Story\n")
