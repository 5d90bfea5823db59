"""A comment that should silence the linter silences nothing.

## What it does

Reports `synapse: ignore` comments, and single rules in their brackets, that hold no finding back:
nothing is found there any more, `ignore` stands alone on a line, the brackets are empty, or the
word is none of `ignore`, `ignore-next-line` and `ignore-file`.

A comment is not blamed for a rule that did not run. Rules that do not exist are unknown-rule-code's
to report.

## Why it matters

A comment that outlived its finding will hold back the next one, which nobody has looked at.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active # synapse: ignore[bad-state] until the migration is done
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=enabled # synapse: ignore[bad-state] until the migration is done
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

The same rule proved itself in other linters: `reportUnusedDisableDirectives` of ESLint, RUF100 of Ruff.

## Fix

What silences nothing is deleted, or the word is corrected; safe, as comments are not injected.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from synapse_ls.formats.directives import LINE, NEXT_LINE, SCOPES, Directive
from synapse_ls.lint.comments import is_prose
from synapse_ls.lint.diagnostic import Diagnostic, Finding, Fix, Severity
from synapse_ls.lint.fixes import one, whole_line
from synapse_ls.lint.rule import Rule
from synapse_ls.lint.selectors import takes
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span, trim
from synapse_ls.workspace.facts import FileFacts

RULE = Rule(code="SYN127", name="unused-suppression", severity=Severity.WARNING)
"""Run by `lint/suppressions.py`, when all other rules have spoken."""


def finding(
    facts: FileFacts, directive: Directive, idle: Collection[Span], found: Sequence[Diagnostic]
) -> Finding | None:
    """What is wrong with a directive; ``idle`` are its selectors, or itself, that hold nothing back.

    ``found`` is what was found in the file before anything was held back.
    """
    word = directive.word
    if word.value not in SCOPES:
        meant = _meant(word.value)
        return Finding(
            word.span,
            f"`{word.value}` is not understood, so nothing is suppressed.",
            f"Write `{meant}`." if meant else f"Write {', '.join(SCOPES[:-1])} or {SCOPES[-1]}.",
            one(facts, f"Write `{meant}`", word.span, meant, safe=True) if meant else None,
        )
    if directive.listed is not None and not directive.selectors:
        message = "The brackets name no rule, so nothing is suppressed."
        return Finding(
            directive.span,
            message,
            "Name a rule, or delete the comment.",
            _delete(facts, directive),
        )
    if not idle:
        return None
    if word.value == LINE and directive.alone and _would_hold(facts, directive, found):
        return Finding(
            word.span,
            "The comment stands on a line of its own, so it suppresses nothing on the next one.",
            f"Write `{NEXT_LINE}`.",
            one(facts, f"Write `{NEXT_LINE}`", word.span, NEXT_LINE, safe=True),
        )
    return _unused(facts, directive, idle)


def _meant(word: str) -> str:
    """The word that was probably meant, or ""."""
    if word.startswith("ignore-next"):
        return NEXT_LINE
    return LINE if word == "ignore-line" else nearest(word, SCOPES)


def _unused(facts: FileFacts, directive: Directive, idle: Collection[Span]) -> Finding:
    names = [s for s in directive.selectors if s.span in idle]
    where = {LINE: "on this line", NEXT_LINE: "on the next line"}.get(
        directive.word.value, "in this file"
    )
    if len(names) == len(directive.selectors):
        what = " and ".join(f"`{name.value}`" for name in names)
        message = (
            f"Nothing is found {where} by {what}, so the comment suppresses nothing."
            if names
            else f"Nothing is found {where}, so the comment suppresses nothing."
        )
        return Finding(directive.span, message, "Delete the comment.", _delete(facts, directive))
    kept = [s.value for s in directive.selectors if s.span not in idle]
    what = " and ".join(f"`{name.value}`" for name in names)
    assert directive.listed is not None
    return Finding(
        names[0].span,
        f"Nothing is found {where} by {what}, which the comment suppresses.",
        f"Delete {what}.",
        one(facts, f"Delete {what}", directive.listed, ", ".join(kept), safe=True),
    )


def _would_hold(facts: FileFacts, directive: Directive, found: Sequence[Diagnostic]) -> bool:
    """Whether all that the directive names is found on the next line."""
    following = facts.lines.line_of(directive.span.start) + 1
    there = [d for d in found if facts.lines.line_of(d.span.start) == following]
    if directive.listed is None:
        return bool(there)
    return all(any(takes((s.value,), d) for d in there) for s in directive.selectors)


def _delete(facts: FileFacts, directive: Directive) -> Fix:
    """Takes the comment away, and its line where that leaves two lines apart that were apart."""
    text, span = facts.text, directive.span
    line = facts.lines.line_span(facts.lines.line_of(span.start))
    if span == trim(text, *line):
        span = whole_line(text, line) if _may_close_up(facts, line) else line
    else:
        span = Span(line.start + len(text[line.start : span.start].rstrip()), span.end)
    return one(facts, "Delete the comment", span, "", safe=True)


def _may_close_up(facts: FileFacts, line: Span) -> bool:
    """Whether the lines around ``line`` may meet; in plain text they could become one rule."""
    if not is_prose(facts):
        return True
    number = facts.lines.line_of(line.start)
    around = (number - 1, number + 1)
    return any(
        not 0 <= other < facts.lines.line_count
        or not facts.lines.line_span(other).cut(facts.text).strip()
        for other in around
    )
