"""A file holds characters that nobody sees and an agent reads.

## What it does

Reports characters that change the direction of a text, that have no width, that spell ASCII
invisibly (tags), and control characters such as escape. They are left alone where they belong: in
emoji, in scripts that need joiners, in lines that run from right to left.

## Why it matters

What a reviewer sees is not what an agent is told: a rule can carry a second, invisible one. A
keyword with such a character in it never matches.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Ask before you de\\xe2\\x80\\x8blete a branch.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Ask before you delete a branch.
```

## Evidence

CVE-2021-42574 ("Trojan Source"); Unicode Technical Standard #39, Unicode Security Mechanisms; OWASP
Top 10 for LLM Applications, LLM01, which names invisible instructions.

## Fix

The characters are deleted; unsafe, as the text of a rule changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from synapse_ls.lint.comment_syntax import COMMENT_STYLES
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lint_rule import FileRule
from synapse_ls.lint.shared_fixes import single_edit_fix
from synapse_ls.text.hidden_characters import (
    CONTROL,
    DIRECTION,
    INVISIBLE,
    TAGS,
    HiddenRun,
    find_hidden_runs,
)
from synapse_ls.text.plural_counts import format_count
from synapse_ls.workspace.file_facts import FileFacts

MAX_RUNS = 100
"""Places that are reported in one file."""

_SHOWN_LETTERS = 40
_EFFECTS = {
    DIRECTION: "An agent reads the text in another order than it is shown here, because of {}.",
    INVISIBLE: "An agent reads {} here that nobody sees, and words with them never match.",
    TAGS: "An agent reads {} here that nobody sees",
    CONTROL: "An agent reads {} here, and a terminal obeys what it should show.",
}
_NAMES = {
    DIRECTION: "direction control",
    INVISIBLE: "invisible character",
    TAGS: "tag character",
    CONTROL: "control character",
}


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yields one finding for each run of hidden characters, at the run."""
    for run in islice(find_hidden_runs(facts.text), MAX_RUNS):
        yield Finding(
            run.span,
            _run_message(facts, run),
            "Delete what is hidden here.",
            single_edit_fix(facts, "Delete the hidden characters", run.span, "", safe=False),
            severity=Severity.WARNING if run.sort == INVISIBLE else None,
        )


def _run_message(facts: FileFacts, run: HiddenRun) -> str:
    """Returns the message for a run of hidden characters, with their codes."""
    codes = dict.fromkeys(f"U+{ord(char):04X}" for char in run.span.cut(facts.text))
    shown = ", ".join([*codes][:3]) + (" …" if len(codes) > 3 else "")
    what = f"{format_count(run.span.length, _NAMES[run.sort])} ({shown})"
    message = _EFFECTS[run.sort].format(what)
    if run.sort != TAGS:
        return message
    return (
        f"{message}: they spell “{run.decoded_tags[:_SHOWN_LETTERS]}”."
        if run.decoded_tags
        else f"{message}."
    )


RULE = FileRule(
    code="SYN803",
    name="hidden-character",
    severity=Severity.ERROR,
    kinds=frozenset(COMMENT_STYLES),
    check=check,
)
