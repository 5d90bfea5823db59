"""The lenses of a file of tests."""

from __future__ import annotations

from synapse_ls.ide.code_lens import LensTitle, code_lenses, resolve_lens
from tests.ide.views import view_of
from tests.trees import TEAM

PATH = ".synapse/tests/a.toml"
CASES = """\
[[case]]
name = "passes"
agent = "dev"
domains = ["AGENT_DEV"]

[[case]]
name = "fails"
remaining = 45
domains = ["AGENT_QA", "TESTING"]
"""


def told_in(cases: str) -> list[tuple[int, str, LensTitle]]:
    """(line from 0, provider, what it says) of every lens that says something."""
    view = view_of({**TEAM, PATH: cases})
    facts = view.tree.snapshot.facts(PATH)
    assert facts is not None
    return [
        (facts.lines.line_of(lens.span.start), lens.provider, said)
        for lens in code_lenses(view, PATH)
        if (said := resolve_lens(view, PATH, lens.provider, lens.subject))
    ]


def test_a_case_says_what_comes_of_it() -> None:
    passes, fails = (row for row in told_in(CASES) if row[1] == "test")
    assert (passes[0], fails[0]) == (0, 5)
    assert passes[2].title.startswith("✓ passes · FRESH · ")
    assert fails[2].title == (
        "✗ AGENT_QA is not in the block: no agent is active, not @qa. (and 1 more)"
    )
    assert (fails[2].command, fails[2].arguments) == ("synapse.runTest", {"case": "1"})


def test_the_block_of_a_case_can_be_previewed() -> None:
    [(line, _, said)] = (row for row in told_in(CASES) if row[1] == "case")
    assert (line, said.command, said.arguments) == (0, "synapse.preview", {"agent": "dev"})


def test_a_case_that_is_gone_says_nothing() -> None:
    view = view_of({**TEAM, PATH: CASES})
    assert resolve_lens(view, PATH, "test", "7") is None
    assert resolve_lens(view, PATH, "test", "x") is None
