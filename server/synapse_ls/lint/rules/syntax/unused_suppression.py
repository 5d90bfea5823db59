"""A comment that should silence the linter silences nothing.

## What it does

Reports `synapse: ignore` comments, and single rules in their brackets, that hold no finding back:
nothing is found there any more, `ignore` is alone on a line, the brackets are empty, or the
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

The same rule proved itself in other linters: `reportUnusedDisableDirectives` of ESLint, RUF100 of
Ruff.

## Fix

What silences nothing is deleted, or the word is corrected; safe, as comments are not injected.
"""

from collections.abc import Collection, Sequence

from synapse_ls.formats.suppression_comments import LINE, NEXT_LINE, SCOPES, Directive
from synapse_ls.lint import comment_syntax, rule_selection
from synapse_ls.lint.fixes import single_edit_fix, word_fix
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.span import Span, trim_span
from synapse_ls.text.text_edit import with_line_break


def directive_finding(
    facts: FileFacts,
    directive: Directive,
    idle_spans: Collection[Span],
    diagnostics: Sequence[Finding],
) -> Finding | None:
    """Return the finding about a suppression comment that is wrong or unused, None if it is
    neither.

    ``idle_spans`` are the spans of its selectors, or its own, that suppress nothing.
    ``diagnostics`` are those of the file before any was suppressed.
    """
    word = directive.word
    if word.value not in SCOPES:
        new_text = LINE if word.value == "ignore-line" else nearest_word(word.value, SCOPES)
        if word.value.startswith("ignore-next"):
            new_text = NEXT_LINE
        message = f"`{word.value}` is not understood, so nothing is suppressed."
        if not new_text:
            return Finding(word.span, message, f"Write {', '.join(SCOPES[:-1])} or {SCOPES[-1]}.")
        fix = word_fix(facts, word.span, new_text, safe=True)
        return Finding(word.span, message, f"{fix.title}.", fix)
    if directive.selector_span is not None and not directive.selectors:
        message = "The brackets name no rule, so nothing is suppressed."
        return Finding(
            directive.span,
            message,
            "Name a rule, or delete the comment.",
            _deletion_fix(facts, directive),
        )
    if not idle_spans:
        return None
    if (
        word.value == LINE
        and directive.alone
        and _would_silence_next_line(facts, directive, diagnostics)
    ):
        return Finding(
            word.span,
            "The comment is on a line of its own, so it suppresses nothing on the next one.",
            f"Write `{NEXT_LINE}`.",
            word_fix(facts, word.span, NEXT_LINE, safe=True),
        )
    # The finding for a comment of which some or all selectors suppress nothing.
    names = [s for s in directive.selectors if s.span in idle_spans]
    where = {LINE: "on this line", NEXT_LINE: "on the next line"}.get(
        directive.word.value, "in this file"
    )
    what = " and ".join(f"`{name.value}`" for name in names)
    if len(names) == len(directive.selectors):
        idle_sentence = (
            f"Nothing is found {where} by {what}, so the comment suppresses nothing."
            if names
            else f"Nothing is found {where}, so the comment suppresses nothing."
        )
        return Finding(
            directive.span, idle_sentence, "Delete the comment.", _deletion_fix(facts, directive)
        )
    values = [s.value for s in directive.selectors if s.span not in idle_spans]
    assert directive.selector_span is not None
    return Finding(
        names[0].span,
        f"Nothing is found {where} by {what}, which the comment suppresses.",
        f"Delete {what}.",
        single_edit_fix(
            facts, f"Delete {what}", directive.selector_span, ", ".join(values), safe=True
        ),
    )


def _would_silence_next_line(
    facts: FileFacts, directive: Directive, diagnostics: Sequence[Finding]
) -> bool:
    """Return whether everything that the directive names is reported on the next line."""
    following = facts.lines.line_of(directive.span.start) + 1
    line_diagnostics = [d for d in diagnostics if facts.lines.line_of(d.span.start) == following]
    if directive.selector_span is None:
        return bool(line_diagnostics)
    return all(
        any(rule_selection.matches_selector((s.value,), d) for d in line_diagnostics)
        for s in directive.selectors
    )


def _deletion_fix(facts: FileFacts, directive: Directive) -> Fix:
    """Return the fix that deletes the comment, with its line unless that would join two
    paragraphs.
    """
    text, span = facts.text, directive.span
    line = facts.lines.line_span(facts.lines.line_of(span.start))
    if span == trim_span(text, *line):
        span = with_line_break(text, line) if _may_join_lines(facts, line) else line
    else:
        span = Span(line.start + len(text[line.start : span.start].rstrip()), span.end)
    return single_edit_fix(facts, "Delete the comment", span, "", safe=True)


def _may_join_lines(facts: FileFacts, line: Span) -> bool:
    """Return whether the lines around ``line`` may meet; in plain text they could become one
    rule.
    """
    if not comment_syntax.is_prose(facts):
        return True
    number = facts.lines.line_of(line.start)
    lines = facts.lines
    return any(
        not 0 <= other < lines.line_count or not lines.line_span(other).cut(facts.text).strip()
        for other in (number - 1, number + 1)
    )
