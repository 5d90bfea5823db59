"""This module makes the lenses of tree tests: the result of a test case, and a preview of the block
that it meets.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.tree_tests import TreeTestCase, TreeTests
from synapse_ls.ide.lenses import preview_lens
from synapse_ls.ide.lenses.code_lens import LensTitle
from synapse_ls.ide.tree_test_runner import run_case
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts

RUN_TEST_COMMAND = "synapse.runTest"
_SITUATION = frozenset({"prompt", "agent", "workflow", "task", "story", "squad", "bracket"})
_LONGEST = 90  # characters of a reason in a lens


def case_places(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yields the test cases of a file that lenses stand at, by number."""
    if isinstance(facts.document, TreeTests):
        yield from ((case.span, str(number)) for number, case in enumerate(facts.document.cases))


def case_result(view: View, facts: FileFacts, subject: str) -> LensTitle | None:
    """Returns the lens that says whether a test case holds in the tree as it is now; a click shows
    the whole result.
    """
    case = find_case(facts, subject)
    if case is None:
        return None
    outcome = run_case(view.compiled, case)
    arguments = {"case": subject}
    if outcome.has_passed:
        return LensTitle(
            f"✓ passes · {outcome.bracket} · {outcome.tokens} tokens", RUN_TEST_COMMAND, arguments
        )
    why = outcome.failures[0].message
    more = f" (and {len(outcome.failures) - 1} more)" if len(outcome.failures) > 1 else ""
    shown = why if len(why) <= _LONGEST else f"{why[: _LONGEST - 1]}…"
    return LensTitle(f"✗ {shown}{more}", RUN_TEST_COMMAND, arguments)


def case_preview(_: View, facts: FileFacts, subject: str) -> LensTitle | None:
    """Returns the lens that previews the block of a test case, where a preview can have its
    situation.
    """
    case = find_case(facts, subject)
    if case is None or not case.is_readable or not _SITUATION.issuperset(case.state):
        return None
    return LensTitle(
        "preview", preview_lens.PREVIEW_COMMAND, {name: str(v) for name, v in case.state.items()}
    )


def find_case(facts: FileFacts, number: str) -> TreeTestCase | None:
    """Returns the test case of a lens by its number, or None."""
    cases = facts.document.cases if isinstance(facts.document, TreeTests) else ()
    return cases[int(number)] if number.isdecimal() and int(number) < len(cases) else None
