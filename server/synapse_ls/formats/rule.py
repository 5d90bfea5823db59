"""One rule, whichever file and shape it comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from synapse_ls.text.span import Span

_PHASE = re.compile(r"[Pp]hase\s+([\w-]+)\s*:")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, as its key or its place in plain text presents it.

    ``kind`` is "rule", "auth", "article", "bracket", "command", "deny", "allow" or "plain", and
    depends on the key alone; in plain text there is no key, ``key_span`` is empty, and ``kind`` is
    "plain" or "auth". ``index`` is the number in the key, or ``None``; in plain text the ordinal in
    the file. ``group`` is the heading above a plain rule. ``line`` counts from 0. ``span`` covers
    whole lines, without the last line's break.
    """

    key: str
    kind: str
    domain: str
    qualifier: str
    index: int | None
    text: str
    phase: str
    group: str
    line: int
    span: Span
    key_span: Span
    text_span: Span


def phase_of(text: str) -> str:
    """The workflow phase that a rule's text begins with: ``Phase qa_review: …`` -> ``qa_review``."""
    match = _PHASE.match(text)
    return match[1] if match else ""
