"""Texts that no author would write, for invariants that must hold all the same."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from synapse_ls.text.finding import Finding

PIECES = (
    *("GLOBAL_RULE_0", "DEV_AUTH_1", "CONTEXT_RULE_FRESH_0", "FRESH_RULES", "X_CMD_A_B_2"),
    *("CONSTITUTION_RULE_ART1_0", "COMMANDS_RULE_BRIEF_0", "A_RULE_x", "PATH", "dev_rule_1"),
    *("A_STATE", "B_RECALL", "C_EXTENDS", "D_EVERY_N_TURNS", "DEVMODE", "GLOBAL_EXCLUDE"),
    *("=", " = ", ":", ": ", ",", ",,", "#", "# ", "## ", " # ", "- ", "1. ", "* ", "=== ", "---"),
    *("```", "~~~", "<!--", "-->", "[*brief] COMMAND:", "# [*a-b] SUB-COMMANDS:", "AUTH: "),
    *("Art. IV — No Invention (MUST): ", "Phase qa_review: ", "When context is FRESH: ", "word "),
    *("active", "true", "yes", "12", "</synapse-rules>", "[GLOBAL]", "(MUST)", "é", "😀"),
    *("\n", "\n\n", "\r\n", "\r", "\u2028", "\x85", "\0", "\ufeff", "\t", "   ", "\f"),
)
hostile_texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text()


def assert_inside(text: str, problems: Iterable[Finding]) -> None:
    """Every problem lies in the text, in text order, with a kind and a message."""
    problems = list(problems)
    for problem in problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        assert problem.kind
        assert problem.message
    assert [p.span for p in problems] == sorted(p.span for p in problems)
