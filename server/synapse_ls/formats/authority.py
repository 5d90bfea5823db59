"""What an authority boundary says: ``BLOCKED: git push, gh pr create — delegate to @devops``.

A boundary begins with a verb (the agent files of AIOX; ADR-001 E6) and lists actions behind a colon.
What follows a dash is a note. ``{D}_ALLOW_n`` and ``{D}_DENY_n`` are one action each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from synapse_ls.formats.problem import Text
from synapse_ls.formats.rule import Rule
from synapse_ls.text.span import Span, trim

ALLOWED, BLOCKED, EXCLUSIVE = "allowed", "blocked", "exclusive"

VERBS = {
    "ALLOWED": ALLOWED,
    "PERMITIDO": ALLOWED,
    "BLOCKED": BLOCKED,
    "DENIED": BLOCKED,
    "FORBIDDEN": BLOCKED,
    "BLOQUEADO": BLOCKED,
    "PROIBIDO": BLOCKED,
    "EXCLUSIVE": EXCLUSIVE,
    "EXCLUSIVO": EXCLUSIVE,
    "OWNS": EXCLUSIVE,
}
"""Verb -> what it says. Other verbs (``DELEGATES``, ``MEDIATES``, ``BLOCKED for …``) are about others."""

_KEYS = {"allow": ALLOWED, "deny": BLOCKED}
_VERB = re.compile(r"([A-Z]+):\s*")
_NOTE = re.compile(r"\s[—–-]\s")
_PART = re.compile(r"(?:[^,;/()]++|\([^()]*+\)|[()]|(?<!\s)/|/(?!\s))+")
MAX_ACTION = 200
"""Code points; a longer text is prose and no action that another boundary could name."""
MAX_ACTIONS = 100
"""How many actions of one boundary are read."""


class Action(NamedTuple):
    """One thing that a boundary is about: what the boundary says of it, and its place."""

    said: str
    what: Text

    @property
    def name(self) -> str:
        """The action as it is compared: without differences of case, white space and full stops."""
        return " ".join(self.what.value.casefold().split()).rstrip(".")


def actions(text: str, rule: Rule) -> Iterator[Action]:
    """The actions of a rule of the file ``text``; none where it is no boundary that can be read."""
    start, end = rule.text_span
    if rule.kind in _KEYS and len(rule.text) <= MAX_ACTION:
        yield Action(_KEYS[rule.kind], Text(rule.text, rule.text_span))
    if rule.kind != "auth" or text[start:end] != rule.text:
        return
    verb = _VERB.match(text, start, end)
    said = VERBS.get(verb[1]) if verb else None
    if verb is None or said is None:
        return
    note = _NOTE.search(text, verb.end(), end)
    parts = _PART.finditer(text, verb.end(), note.start() if note else end)
    for part in islice(parts, MAX_ACTIONS):
        place = trim(text, *part.span())
        if 0 < place.length <= MAX_ACTION:
            yield Action(said, Text(place.cut(text), Span(*place)))
