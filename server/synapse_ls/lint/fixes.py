"""This module builds the fixes and text edits that several lint rules share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from synapse_ls.formats.rule_syntax import Rule
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.file_facts import FileFacts

Fixer = Callable[[FileFacts, Finding], Fix | None]


def single_edit_fix(facts: FileFacts, title: str, span: Span, new_text: str, *, safe: bool) -> Fix:
    """Returns a fix that consists of one edit in the file itself."""
    return Fix(title, safe, ((facts.path, TextEdit(span, new_text)),))


def suggestion_fixer(*, safe: bool = False) -> Fixer:
    """Returns a fixer that writes the parser's suggestion in place of the wrong text.

    The fix is safe if ``safe`` is true, or where the parser already reads the text as the
    suggestion.
    """

    def fix(facts: FileFacts, problem: Finding) -> Fix | None:
        data = dict(problem.data)
        if "suggestion" not in data:
            return None
        title = problem.remedy.removesuffix(".")
        return single_edit_fix(
            facts, title, problem.span, data["suggestion"], safe=safe or _keeps_meaning(problem)
        )

    return fix


def near_word_fixer(quote: str = "") -> Fixer:
    """Returns a fixer that replaces an unknown word by the nearest allowed one, with ``quote``
    around it.
    """

    def fix(facts: FileFacts, problem: Finding) -> Fix | None:
        word = dict(problem.data).get("near")
        if word is None:
            return None
        return single_edit_fix(
            facts, f"Write `{word}`", problem.span, f"{quote}{word}{quote}", safe=False
        )

    return fix


def is_understood_value(problem: Finding) -> bool:
    """Returns whether a value needs no fix, since it is a common word (such as ``yes``) that is
    already read as what it means.
    """
    return _keeps_meaning(problem) and "known" in dict(problem.data)


def _keeps_meaning(problem: Finding) -> bool:
    """Returns whether the parser already reads the value as what it suggests in its place."""
    data = dict(problem.data)
    return "read_as" in data and data["read_as"] == data.get("suggestion")


def whole_line(text: str, span: Span) -> Span:
    """Returns the span that a fix deletes where the line of ``span`` goes: with its break, so that
    no gap is left.
    """
    end = span.end
    if text.startswith("\r\n", end):
        return Span(span.start, end + 2)
    return Span(span.start, min(end + 1, len(text)))


def item_deletion_span(items: Sequence[Text], place: int) -> Span:
    """Returns the span that a fix deletes to take an item out of a list: the item, and one comma if
    there are others.
    """
    item = items[place]
    if place:
        return Span(items[place - 1].span.end, item.span.end)
    if len(items) > 1:
        return Span(item.span.start, items[1].span.start)
    return item.span


def next_index(model: Rule, rules: Iterable[Rule]) -> int:
    """Returns the number that a fix gives to a rule, the next free one in the list that ``model``
    belongs to: the highest one plus 1.
    """
    taken = (rule.index or 0 for rule in rules if rule_list_key(rule) == rule_list_key(model))
    return max(taken, default=-1) + 1


def rule_list_key(rule: Rule) -> tuple[str, str, str]:
    """Returns the key of the list in which fixes number a rule: kind, domain, and article or
    command.
    """
    return rule.kind, rule.domain, rule.qualifier
