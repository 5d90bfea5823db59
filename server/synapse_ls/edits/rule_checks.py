"""This module checks a text before it becomes a rule, and a change of rules before it becomes a
plan.
"""

from __future__ import annotations

from collections import Counter
from unicodedata import category

from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.file_facts import FileFacts, analyze_file
from synapse_ls.workspace.tree_domains import rules_in

# Control characters, U+2028 and U+2029: what some reader or agent takes for the end of a line.
_BREAKING_CATEGORIES = frozenset(("Cc", "Zl", "Zp"))

_RuleCounts = Counter[tuple[str, str]]


def require_one_line(text: str, what: str) -> str:
    """Checks that the text of a rule is one line that is not empty, and returns it without space
    around it; raises EditError.
    """
    text = text.strip()
    if not text:
        raise EditError(f"The {what} is empty, so there is nothing to write.", "Give its text.")
    if any(category(character) in _BREAKING_CATEGORIES and character != "\t" for character in text):
        raise EditError(
            f"The {what} contains a line break or a control character, but has to be one line.",
            "Write it in one line, or make it several.",
        )
    return text


def check_rule_change(
    before: FileFacts,
    text: str,
    *,
    added: tuple[tuple[str, str], ...] = (),
    removed: tuple[tuple[str, str], ...] = (),
) -> None:
    """Checks that a new ``text`` changes the rules of a file as it was meant to; raises EditError.

    ``added`` and ``removed`` are (key, text) pairs. What would be read as something other than one
    rule, or would make a reader complain, is refused before it is written.
    """
    now = analyze_file(before.path, before.kind, text)
    kinds = Counter(problem.kind for problem in before.problems)
    for problem in now.problems:
        kinds[problem.kind] -= 1
        # The file does not know the brackets of the profile; who plans the change does.
        if kinds[problem.kind] < 0 and problem.kind != "unknown-bracket-key":
            raise EditError(problem.message, problem.remedy)
    expected = _count_rules(before)
    expected.subtract(removed)
    expected.update(added)
    if _count_rules(now) != +expected:
        raise EditError(
            f"Written into {before.path}, the text would not be read as one rule.",
            "Begin it with a word: no heading, list marker, fence or KEY=.",
        )


def _count_rules(facts: FileFacts) -> _RuleCounts:
    return Counter((rule.key, rule.text) for rule in rules_in(facts.document))
