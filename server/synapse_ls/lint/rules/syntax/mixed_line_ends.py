"""A file has line ends of several kinds.

## What it does

Reports a lone carriage return, and a file in which some lines end in CRLF and others in LF.

## Why it matters

Here every kind ends a line. Other programs do not break a line at a lone carriage return: to them
two entries are one, and the second is part of the first one's value. A mixture of the other two is
harmless, but every tool that writes the file makes a change of it.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.\\x0dGLOBAL_RULE_1=Write small functions.
GLOBAL_RULE_2=Name things well.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
GLOBAL_RULE_1=Write small functions.
GLOBAL_RULE_2=Name things well.
```

## Evidence

The reference reader (`domain-loader.js`, SynkraAI/aios-core) splits at `\\r?\\n`; CARL v1 splits as
Python's universal newlines do.

## Fix

The fewer line ends are made like the others; safe, as nothing else changes.
"""

from collections import Counter
from collections.abc import Iterator

from synapse_ls.lint.fixes import own_fix
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit

_BREAK = lazy_pattern(r"\r\n|\r|\n")


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each file with mixed line ends, at the first that is not like the
    others.
    """
    text = facts.text
    if "\r" not in text:
        return
    breaks = [Span(*match.span()) for match in _BREAK.finditer(text)]
    counts = Counter(span.cut(text) for span in breaks)
    if not (lone := counts.pop("\r", 0)) and len(counts) < 2:
        return
    usual = max(counts, key=lambda kind: counts[kind], default="\n")
    odd = [span for span in breaks if span.cut(text) != usual]
    first = next((span for span in odd if span.cut(text) == "\r"), odd[0])
    line = facts.lines.line_span(facts.lines.line_of(first.start))
    edits = (TextEdit(span, usual) for span in odd)
    fix = own_fix(facts, "Give all lines the same end", edits, safe=True)
    if lone:
        message = (
            "Other programs take this line and the next for one: a lone carriage return ends it."
        )
        yield Finding(line, message, "Give all lines the same end.", fix)
    else:
        crlf, lf = counts["\r\n"], counts["\n"]
        message = f"Some lines end in CRLF and others in LF: {crlf} and {lf}."
        yield Finding(
            line, message, "Give all lines the same end.", fix, own_severity=Severity.HINT
        )
