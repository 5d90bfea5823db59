"""A file holds characters that nobody sees and an agent reads.

## What it does

Reports characters that change the direction of a text, that have no width, that spell ASCII
invisibly (tags), and control characters such as escape. They are left alone where they belong: in
emoji, in scripts that need joiners, in lines that run from right to left. Control characters that
are parts of letters in another encoding are one warning for the file.

## Why it matters

What a reviewer sees is not what an agent gets: a rule can carry a second, invisible one. A
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

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from synapse_ls.lint.fixes import single_edit_fix
from synapse_ls.lint.lint_rule import FileFacts, FileKind
from synapse_ls.text import hidden_characters, phrases
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.span import Span

# Places that are reported in one file.
MAX_RUNS = 100

_SHOWN_LETTERS = 40
_EFFECTS = {
    hidden_characters.DIRECTION: "An agent reads the text in another order than it is shown here, "
    "because of {}.",
    hidden_characters.INVISIBLE: "An agent reads {} here that nobody sees.",
    hidden_characters.TAGS: "An agent reads {} here that nobody sees",
    hidden_characters.CONTROL: "An agent reads {} here, and a terminal obeys what it should show.",
}
_NAMES = {
    hidden_characters.DIRECTION: "direction control",
    hidden_characters.INVISIBLE: "invisible character",
    hidden_characters.TAGS: "tag character",
    hidden_characters.CONTROL: "control character",
}


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each run of hidden characters, at the run."""
    is_garbled = False
    for run in islice(hidden_characters.find_hidden_runs(facts.text), MAX_RUNS):
        if run.sort == hidden_characters.CONTROL and _is_of_another_encoding(facts.text, run.span):
            if not is_garbled:
                codes = ", ".join(
                    dict.fromkeys(f"U+{ord(char):04X}" for char in run.span.cut(facts.text))
                )
                yield Finding(
                    run.span,
                    "Characters of this file were saved in a wrong encoding, and control "
                    f"characters such as {codes} are what is left of them.",
                    "Restore the text from a sound copy, or write it anew.",
                    own_severity=Severity.WARNING,
                )
            is_garbled = True
            continue
        yield Finding(
            _place_of(facts.text, run),
            _run_message(facts, run),
            "Delete the hidden characters.",
            single_edit_fix(facts, "Delete the hidden characters", run.span, ""),
            own_severity=Severity.WARNING if run.sort == hidden_characters.INVISIBLE else None,
        )


def _place_of(text: str, run: hidden_characters.HiddenRun) -> Span:
    """Return what is underlined for a run: where it shows nothing, the word that it stands in."""
    if run.sort != hidden_characters.INVISIBLE:
        return run.span
    start, end = run.span
    before = re.search(r"[\w-]{0,40}\Z", text[max(0, start - 40) : start])
    after = re.compile(r"[\w-]{0,40}").match(text, end)
    return Span(start - len(before[0]) if before else start, after.end() if after else end)


_REACH = 3  # letters that one letter becomes beside another


def _is_of_another_encoding(text: str, span: Span) -> bool:
    """Return whether a control character is a part of one letter in UTF-8 that was read as another
    encoding, such as ``â`` with two control characters behind it.
    """
    for start in range(max(0, span.start - _REACH), span.start):
        for end in range(span.end, min(len(text), span.end + _REACH) + 1):
            part = text[start:end]
            with suppress(UnicodeError):
                # What the text would be if its characters were bytes of UTF-8.
                codes = (c.encode("latin-1" if c < "\xa0" else "cp1252") for c in part)
                if not part.isascii() and len(b"".join(codes).decode()) == 1:
                    return True
    return False


def _run_message(facts: FileFacts, run: hidden_characters.HiddenRun) -> str:
    """Return the message for a run of hidden characters, with their codes."""
    codes = dict.fromkeys(f"U+{ord(char):04X}" for char in run.span.cut(facts.text))
    code_list = ", ".join([*codes][:3]) + (" …" if len(codes) > 3 else "")
    what = f"{phrases.format_count(run.span.length, _NAMES[run.sort])} ({code_list})"
    message = _EFFECTS[run.sort].format(what)
    if run.sort == hidden_characters.INVISIBLE and facts.kind is FileKind.MANIFEST:
        return f"Nobody sees {what} here, so the word that it is in never matches."
    if run.sort != hidden_characters.TAGS:
        return message
    return (
        f"{message}: they spell “{run.decoded_tags[:_SHOWN_LETTERS]}”."
        if run.decoded_tags
        else f"{message}."
    )
