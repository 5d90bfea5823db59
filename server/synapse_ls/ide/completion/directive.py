"""Completion in comments that silence the linter: their words, and the rules that speak here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from synapse_ls.formats.directives import FILE, LINE, NEXT_LINE, Comments, find
from synapse_ls.ide.completion.item import Item, Offer, offer
from synapse_ls.ide.completion.place import Here
from synapse_ls.ide.view import View
from synapse_ls.lint.policy import Policy
from synapse_ls.lint.registry import rules
from synapse_ls.lint.run import check_file
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.tree import Tree

_COMMENT = r"(?:(?<!\S)#+|<!--)[ \t]*"
_BEGUN = re.compile(rf"{_COMMENT}(s[a-z]*)$")
_WORD = re.compile(rf"{_COMMENT}synapse:[ \t]*(?P<word>[a-z-]*)$")
_LIST = re.compile(rf"{_COMMENT}synapse:[ \t]*(?P<word>ignore[\w-]*)[ \t]*\[(?P<list>[^\]]*)$")
_CODE = re.compile(r"[\w-]")
_ABOUT = {
    LINE: "this line",
    NEXT_LINE: "the line below",
    FILE: "the whole file",
}


def complete(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written in a directive; None where the caret is in none."""
    before = place.text[place.span.start : place.caret]
    listed = _LIST.search(before)
    if listed:
        span = place.word(_CODE)
        taken = {part.strip() for part in listed["list"].split(",")[:-1]}
        return offer(span, _codes(view, facts, place, listed["word"], taken))
    word = _WORD.search(before)
    if word:
        return offer(place.word(_CODE), _words("", place))
    begun = _BEGUN.search(before)
    if begun and "synapse:".startswith(begun[1]):
        return offer(Span(place.caret - len(begun[1]), place.caret), _words("synapse: ", place))
    return None


def _words(before: str, place: Here) -> Iterator[Item]:
    """The three scopes; what suits a comment on its own line comes first there."""
    alone = not place.text[place.span.start : place.caret].lstrip().partition("#")[0].strip("<!- ")
    for word in (NEXT_LINE, FILE, LINE) if alone else (LINE, NEXT_LINE, FILE):
        text = f"{before}{word}"
        topic = ("directive", word)
        yield Item(text, "value", f"{text}[]", f"{text}[$1]$0", _ABOUT[word], topic)


def _codes(
    view: View, facts: FileFacts, place: Here, scope: str, taken: set[str]
) -> Iterator[Item]:
    """The rules that find something in the directive's reach, then the others."""
    line = place.line + (scope == NEXT_LINE)
    found: dict[str, str] = {}
    # Without the half-written directive, which may keep silent all that is looked for.
    half = (d.span for d in find(facts.text, Comments.BOTH) if d.span.touches(place.caret))
    start, end = next(half, Span(place.caret, place.caret))
    text = facts.text[:start] + " " * (end - start) + facts.text[end:]
    snapshot = view.tree.snapshot.overlay(facts.path, text)
    policy = Policy(snapshot.config.lint)
    for diagnostic in check_file(Tree(snapshot), facts.path, policy):
        if scope == FILE or facts.lines.line_of(diagnostic.span.start) == line:
            found.setdefault(diagnostic.code, diagnostic.name)
    for rule in sorted(rules(), key=lambda rule: rule.code not in found):
        if rule.code not in taken:
            where = f" · {_ABOUT.get(scope, '')}" if rule.code in found else ""
            yield Item(rule.code, "rule", "", "", f"{rule.name}{where}", ("rule", rule.code), ",")
