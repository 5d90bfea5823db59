"""This module completes comments that suppress lint findings (``synapse: ignore[…]``): their words,
and the rules with findings here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from synapse_ls.formats.suppression_comments import (
    FILE,
    LINE,
    NEXT_LINE,
    CommentStyle,
    find_directives,
)
from synapse_ls.ide.completion.completion_item import CompletionItem, CompletionOffer, unique_offer
from synapse_ls.ide.completion.line_context import LineContext
from synapse_ls.ide.tree_view import View
from synapse_ls.lint.lint_runner import lint_file
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.rule_tree import Tree

_COMMENT = r"(?:(?<!\S)#+|<!--)[ \t]*"
_BEGINNING = re.compile(rf"{_COMMENT}(s[a-z]*)$")
_WORD = re.compile(rf"{_COMMENT}synapse:[ \t]*(?P<word>[a-z-]*)$")
_LIST = re.compile(rf"{_COMMENT}synapse:[ \t]*(?P<word>ignore[\w-]*)[ \t]*\[(?P<list>[^\]]*)$")
_CODE = re.compile(r"[\w-]")
_SCOPE_PHRASES = {
    LINE: "this line",
    NEXT_LINE: "the line below",
    FILE: "the whole file",
}


def complete(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Returns the completions of a directive: what can be written in a suppression comment; None
    where the caret is in none.
    """
    before = place.text[place.span.start : place.caret]
    listed = _LIST.search(before)
    if listed:
        span = place.word_span(_CODE)
        taken = {part.strip() for part in listed["list"].split(",")[:-1]}
        return unique_offer(span, _rule_items(view, facts, place, listed["word"], taken))
    word = _WORD.search(before)
    if word:
        return unique_offer(place.word_span(_CODE), _scope_items("", place))
    begun = _BEGINNING.search(before)
    if begun and "synapse:".startswith(begun[1]):
        return unique_offer(
            Span(place.caret - len(begun[1]), place.caret), _scope_items("synapse: ", place)
        )
    return None


def _scope_items(before: str, place: LineContext) -> Iterator[CompletionItem]:
    """Yields the three scopes; what suits a comment on its own line comes first there."""
    alone = not place.text[place.span.start : place.caret].lstrip().partition("#")[0].strip("<!- ")
    for word in (NEXT_LINE, FILE, LINE) if alone else (LINE, NEXT_LINE, FILE):
        text = f"{before}{word}"
        topic = ("directive", word)
        yield CompletionItem(
            text, "value", f"{text}[]", f"{text}[$1]$0", _SCOPE_PHRASES[word], topic
        )


def _rule_items(
    view: View, facts: FileFacts, place: LineContext, scope: str, taken: set[str]
) -> Iterator[CompletionItem]:
    """Yields the rules that find something in the comment's scope, then the others."""
    line = place.line + (scope == NEXT_LINE)
    found: dict[str, str] = {}
    # Without the half-written directive, which may keep silent all that is looked for.
    half = (
        d.span
        for d in find_directives(facts.text, CommentStyle.BOTH)
        if d.span.touches(place.caret)
    )
    start, end = next(half, Span(place.caret, place.caret))
    text = facts.text[:start] + " " * (end - start) + facts.text[end:]
    snapshot = view.tree.snapshot.with_text(facts.path, text)
    policy = Policy(snapshot.config.lint)
    for diagnostic in lint_file(Tree(snapshot), facts.path, policy):
        if scope == FILE or facts.lines.line_of(diagnostic.span.start) == line:
            found.setdefault(diagnostic.code, diagnostic.name)
    for rule in sorted(all_rules(), key=lambda rule: rule.code not in found):
        if rule.code not in taken:
            where = f" · {_SCOPE_PHRASES.get(scope, '')}" if rule.code in found else ""
            yield CompletionItem(
                rule.code, "rule", "", "", f"{rule.name}{where}", ("rule", rule.code), ","
            )
