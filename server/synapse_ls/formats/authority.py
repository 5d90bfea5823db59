"""What an authority boundary says: ``BLOCKED: git push, gh pr create — delegate to @devops``.

A boundary begins with a verb and lists actions behind a colon (the agent files of AIOX), or is a
sentence: ``EXCLUSIVE authority for releases``, ``NEVER execute git push``, ``ONLY modify tests`` (ADR-001
E6). What follows a dash is a note. ``{D}_ALLOW_n`` and ``{D}_DENY_n`` are one action each. Other rules
say what has to be done, or must not be, in the same words: ``Always …``, ``Never …``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from synapse_ls.formats.problem import Text
from synapse_ls.formats.rule import Rule
from synapse_ls.text.span import Span, trim

ALLOWED, BLOCKED, EXCLUSIVE, REQUIRED = "allowed", "blocked", "exclusive", "required"

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
"""Verb -> what it says. Other verbs (``DELEGATES``, ``MEDIATES``) are about others."""

MODALS = {
    "ALWAYS": REQUIRED,
    "MUST": REQUIRED,
    "SEMPRE": REQUIRED,
    "DEVE": REQUIRED,
    "NEVER": BLOCKED,
    "MUST NOT": BLOCKED,
    "MUST NEVER": BLOCKED,
    "DO NOT": BLOCKED,
    "NUNCA": BLOCKED,
    "NÃO DEVE": BLOCKED,
}
"""How a sentence that tells what to do begins, in upper case -> what it says."""

_KEYS = {"allow": ALLOWED, "deny": BLOCKED}
_VERB = re.compile(r"([A-Z]+):\s*")
_ALONE = re.compile(
    r"(?:BLOCKED for (?:all )?others?(?: agents)?:|EXCLUSIVE authority (?:for|over|to))\s+"
)
_ONLY = re.compile(r"ONLY\s+(?!@)")
_MODAL = re.compile(
    "|".join(sorted(MODALS, key=len, reverse=True)).replace(" ", r"\s").join(("(", r")\b:?\s+")),
    re.IGNORECASE,
)
_LIGHT = re.compile(r"(?:execute|perform|executar)\s+", re.IGNORECASE)
_NOTE = re.compile(r"\s[—–-]\s")
_PART = re.compile(r"(?:[^,;/()]++|\([^()]*+\)|[()]|(?<!\s)/|/(?!\s))+")
MAX_ACTION = 200
"""Code points; a longer text is prose and no action that another boundary could name."""
MAX_ACTIONS = 100
"""How many actions of one boundary are read."""


class Action(NamedTuple):
    """One thing that a rule is about: what the rule says of it, and its place."""

    said: str
    what: Text

    @property
    def name(self) -> str:
        """The action as it is compared: without differences of case, white space and full stops."""
        return " ".join(self.what.value.casefold().split()).rstrip(".")


def actions(text: str, rule: Rule) -> Iterator[Action]:
    """The actions of a rule of the file ``text``; none where it says nothing that can be read."""
    start, end = rule.text_span
    if rule.kind in _KEYS and text[start:end] == rule.text:
        dash = _NOTE.search(text, start, end)
        place = trim(text, start, dash.start() if dash else end)
        if 0 < place.length <= MAX_ACTION:
            yield Action(_KEYS[rule.kind], Text(place.cut(text), Span(*place)))
    if rule.kind not in ("auth", "rule") or text[start:end] != rule.text:
        return
    said, start, is_list = _boundary(text, start, end) if rule.kind == "auth" else _NOTHING
    if not said:
        said, start, is_list = _sentence(text, *rule.text_span)
    if not said:
        return
    note = _NOTE.search(text, start, end)
    end = note.start() if note else end
    parts = (
        (part.span() for part in _PART.finditer(text, start, end)) if is_list else [(start, end)]
    )
    for part in islice(parts, MAX_ACTIONS):
        place = trim(text, *part)
        if 0 < place.length <= MAX_ACTION:
            yield Action(said, Text(place.cut(text), Span(*place)))


def note(text: str) -> str:
    """What a boundary says behind its dash: "delegate to @devops"; "" where it has none."""
    dash = _NOTE.search(text)
    return text[dash.end() :].strip() if dash else ""


def is_unrestricted(text: str) -> bool:
    """Whether a boundary says that nobody's exclusive actions bind this agent."""
    return text.startswith("UNRESTRICTED:")


_NOTHING = ("", 0, False)


def _boundary(text: str, start: int, end: int) -> tuple[str, int, bool]:
    """What a boundary says, where that of which it says so begins, and whether it is a list."""
    verb = _VERB.match(text, start, end)
    if verb and verb[1] in VERBS:
        return VERBS[verb[1]], verb.end(), True
    if alone := _ALONE.match(text, start, end):
        return EXCLUSIVE, alone.end(), True
    if only := _ONLY.match(text, start, end):
        return ALLOWED, only.end(), False
    return _NOTHING


def _sentence(text: str, start: int, end: int) -> tuple[str, int, bool]:
    """The same of a sentence; only a verb without a meaning of its own governs a list of names."""
    modal = _MODAL.match(text, start, end)
    if modal is None:
        return _NOTHING
    said = MODALS[" ".join(modal[1].upper().split())]
    light = _LIGHT.match(text, modal.end(), end)
    return said, light.end() if light else modal.end(), light is not None
