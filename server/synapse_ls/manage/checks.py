"""What a text has to be before it becomes a rule, and a change before it becomes a plan."""

from __future__ import annotations

from collections import Counter
from unicodedata import category

from synapse_ls.manage.plan import ManageError
from synapse_ls.workspace.domains import rules_in
from synapse_ls.workspace.facts import FileFacts, analyze

# Control characters, U+2028 and U+2029: what some reader or agent takes for the end of a line.
_BREAKING = frozenset(("Cc", "Zl", "Zp"))

_Rules = Counter[tuple[str, str]]


def one_line(text: str, what: str) -> str:
    """``text`` without space around it; raises ManageError where it is empty or not one line."""
    text = text.strip()
    if not text:
        raise ManageError(f"The {what} is empty, so there is nothing to write.", "Give its text.")
    if any(category(character) in _BREAKING and character != "\t" for character in text):
        raise ManageError(
            f"The {what} contains a line break or a control character, but has to be one line.",
            "Write it in one line, or make it several.",
        )
    return text


def check_change(
    before: FileFacts,
    text: str,
    *,
    added: tuple[tuple[str, str], ...] = (),
    removed: tuple[tuple[str, str], ...] = (),
) -> None:
    """Raise ManageError unless a new ``text`` changes the rules of a file as it was meant to.

    ``added`` and ``removed`` are (key, text) pairs. What would be read as something other than one
    rule, or would make a reader complain, is refused before it is written.
    """
    now = analyze(before.path, before.kind, text)
    kinds = Counter(problem.kind for problem in before.problems)
    for problem in now.problems:
        kinds[problem.kind] -= 1
        if kinds[problem.kind] < 0:
            raise ManageError(problem.message, problem.remedy)
    expected = _rules(before)
    expected.subtract(removed)
    expected.update(added)
    if _rules(now) != +expected:
        raise ManageError(
            f"Written into {before.path}, the text would not be read as one rule.",
            "Begin it with a word: no heading, list marker, fence or KEY=.",
        )


def _rules(facts: FileFacts) -> _Rules:
    return Counter((rule.key, rule.text) for rule in rules_in(facts.document))
