"""What comes of a test of the tree, and the block that it meets."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.tree_tests import Case, TreeTests
from synapse_ls.ide.lenses import preview
from synapse_ls.ide.lenses.lens import Told
from synapse_ls.ide.tree_tests import run
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts

COMMAND = "synapse.runTest"
_SITUATION = frozenset({"prompt", "agent", "workflow", "task", "story", "squad", "bracket"})
_LONGEST = 90  # characters of a reason in a lens


def find(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """The cases of a file, by number."""
    if isinstance(facts.document, TreeTests):
        yield from ((case.span, str(number)) for number, case in enumerate(facts.document.cases))


def tell(view: View, facts: FileFacts, subject: str) -> Told | None:
    """Whether the case holds in the tree as it is now; a click says it in full."""
    case = case_of(facts, subject)
    if case is None:
        return None
    outcome = run(view.compiled, case)
    arguments = {"case": subject}
    if outcome.passed:
        return Told(f"✓ passes · {outcome.bracket} · {outcome.tokens} tokens", COMMAND, arguments)
    why = outcome.failures[0].message
    more = f" (and {len(outcome.failures) - 1} more)" if len(outcome.failures) > 1 else ""
    shown = why if len(why) <= _LONGEST else f"{why[: _LONGEST - 1]}…"
    return Told(f"✗ {shown}{more}", COMMAND, arguments)


def show(_: View, facts: FileFacts, subject: str) -> Told | None:
    """The block of the case, where a preview can have its situation."""
    case = case_of(facts, subject)
    if case is None or not case.sound or not _SITUATION.issuperset(case.state):
        return None
    return Told("preview", preview.COMMAND, {name: str(v) for name, v in case.state.items()})


def case_of(facts: FileFacts, number: str) -> Case | None:
    """A case by its number."""
    cases = facts.document.cases if isinstance(facts.document, TreeTests) else ()
    return cases[int(number)] if number.isdecimal() and int(number) < len(cases) else None
