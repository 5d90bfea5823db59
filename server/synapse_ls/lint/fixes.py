"""Edits that several rules share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from synapse_ls.formats.problem import Problem, Text
from synapse_ls.formats.rule import Rule
from synapse_ls.lint.diagnostic import Fix
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts

Fixer = Callable[[FileFacts, Problem], Fix | None]


def one(facts: FileFacts, title: str, span: Span, new_text: str, *, safe: bool) -> Fix:
    """A fix of one edit in the file itself."""
    return Fix(title, safe, ((facts.path, TextEdit(span, new_text)),))


def suggestion(*, safe: bool = False) -> Fixer:
    """Put what the parser suggests in place of what it found wrong.

    Without ``safe`` it is so only where the parser already reads the text as what it suggests.
    """

    def fix(facts: FileFacts, problem: Problem) -> Fix | None:
        data = dict(problem.data)
        if "suggestion" not in data:
            return None
        title = problem.remedy.removesuffix(".")
        return one(
            facts, title, problem.span, data["suggestion"], safe=safe or _keeps_meaning(problem)
        )

    return fix


def near(quote: str = "") -> Fixer:
    """Put the word that is near, in quotes if need be, in place of one that is none of those allowed."""

    def fix(facts: FileFacts, problem: Problem) -> Fix | None:
        word = dict(problem.data).get("near")
        if word is None:
            return None
        return one(facts, f"Write `{word}`", problem.span, f"{quote}{word}{quote}", safe=False)

    return fix


def is_understood(problem: Problem) -> bool:
    """Whether a value is a word that everybody knows and that is read as what it means."""
    return _keeps_meaning(problem) and "known" in dict(problem.data)


def _keeps_meaning(problem: Problem) -> bool:
    """Whether a value is read as what is suggested in its place."""
    data = dict(problem.data)
    return "read_as" in data and data["read_as"] == data.get("suggestion")


def line_break(text: str) -> str:
    """The line break to use in ``text``: that of its first line."""
    _, end = next(iter_lines(text))
    return text[end : end + 2] if text[end : end + 2] == "\r\n" else text[end : end + 1] or "\n"


def whole_line(text: str, span: Span) -> Span:
    """The line of ``span`` with its break, so that deleting it leaves no gap."""
    end = span.end
    if text.startswith("\r\n", end):
        return Span(span.start, end + 2)
    return Span(span.start, min(end + 1, len(text)))


def without_item(items: Sequence[Text], place: int) -> Span:
    """What to delete to take an item out of a list: it, and one comma if there are others."""
    item = items[place]
    if place:
        return Span(items[place - 1].span.end, item.span.end)
    if len(items) > 1:
        return Span(item.span.start, items[1].span.start)
    return item.span


def next_index(model: Rule, rules: Iterable[Rule]) -> int:
    """The number after the highest one in the list that ``model`` belongs to."""
    taken = (rule.index or 0 for rule in rules if list_of(rule) == list_of(model))
    return max(taken, default=-1) + 1


def list_of(rule: Rule) -> tuple[str, str, str]:
    """The list that a rule is numbered in: its kind, its domain, and its article or command."""
    return rule.kind, rule.domain, rule.qualifier
