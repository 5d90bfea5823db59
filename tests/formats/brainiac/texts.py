"""Texts of Brainiac's files that no author would write."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = (
    *("# Short-Term Memory", "## Summary", "## Structured Data", "### Goals", "## Event Log"),
    *("### 2026-01-02T10:00:00Z", "### yesterday", "#### Tasks", "## Resumo", "### Tarefas"),
    *("**User:** ", '"hi"', "**AI:**", "- [ ] a", "- [x] b", "- c", "  more", "---", "===", "***"),
    *("## User Prompt", "# Core Identity", "### Memory 2", "## Relevant Long-Term Memory", "#"),
    *(
        "```",
        "~~~",
        "> ",
        "    ",
        "\t",
        "uuid: 1",
        "tags: [a, b]",
        "reinforcement_count: 3",
        "tags:",
    ),
    *(
        "[x](y.md)",
        "[z](../../etc)",
        "`a.md`",
        "[2026-01-01] | READ | a.md",
        '{"time":"2026-01-01"}',
    ),
    *("<system-reminder>", "</synapse-rules", "\\", "<"),
    *("é", "😀", "\u200b", "\u2028", "\x85", "\0", "\ufeff", "\ud800", "word", " ", ":"),
    *("\n", "\n\n", "\r\n", "\r"),
)
memory_texts = st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text()
