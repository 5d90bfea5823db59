"""This module parses authority boundaries, the rules that say what an agent may or may not do:
``BLOCKED: git push, gh pr create — delegate to @devops``.

A boundary begins with a verb and lists actions behind a colon (the agent files of AIOX), or is a
sentence: ``EXCLUSIVE authority for releases``, ``NEVER execute git push``, ``ONLY modify tests``
(ADR-001 E6). What follows a dash is a note. ``{D}_ALLOW_n`` and ``{D}_DENY_n`` are one action each.
Other rules say what has to be done, or must not be, in the same words: ``Always …``, ``Never …``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from synapse_ls.formats.rule_syntax import Rule
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span, trim_span

ALLOWED, BLOCKED, EXCLUSIVE, REQUIRED = "allowed", "blocked", "exclusive", "required"

VERBS = {
    "ALLOWED": ALLOWED,
    "PERMITIDO": ALLOWED,
    "BLOCKED": BLOCKED,
    "DENIED": BLOCKED,
    "FORBIDDEN": BLOCKED,
    "BLOQUEADO": BLOCKED,
    "PROIBIDO": BLOCKED,
    "PERMITIDA": ALLOWED,
    "BLOQUEADA": BLOCKED,
    "PROHIBIDO": BLOCKED,
    "PROIBIDA": BLOCKED,
    "ERLAUBT": ALLOWED,
    "VERBOTEN": BLOCKED,
    "GESPERRT": BLOCKED,
    "EXKLUSIV": EXCLUSIVE,
    "INTERDIT": BLOCKED,
    "EXCLUSIF": EXCLUSIVE,
    "VIETATO": BLOCKED,
    "CONSENTITO": ALLOWED,
    "ESCLUSIVO": EXCLUSIVE,
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
    "SIEMPRE": REQUIRED,
    "DEBE": REQUIRED,
    "NO DEBE": BLOCKED,
    "IMMER": REQUIRED,
    "MUSS": REQUIRED,
    "NIEMALS": BLOCKED,
    "NIE": BLOCKED,
    "DARF NICHT": BLOCKED,
    "TOUJOURS": REQUIRED,
    "DOIT": REQUIRED,
    "JAMAIS": BLOCKED,
    "NE JAMAIS": BLOCKED,
    "MAI": BLOCKED,
    "NON DEVE": BLOCKED,
}
"""How a sentence that tells what to do begins, in upper case -> what it says."""

_EFFECT_OF_KIND = {"allow": ALLOWED, "deny": BLOCKED}
_VERB = lazy_pattern(r"([A-Z]+):\s*")
_EXCLUSIVE_PHRASE = lazy_pattern(
    r"(?:BLOCKED for (?:all )?others?(?: agents)?:|EXCLUSIVE authority (?:for|over|to))\s+"
)
_ONLY = lazy_pattern(r"ONLY\s+(?!@)")
_MODAL = lazy_pattern(
    "|".join(sorted(MODALS, key=len, reverse=True))
    .replace(" ", r"\s")
    .join((r"(?:\*\*|__)?(", r")\b:?(?:\*\*|__)?:?\s+")),
    re.IGNORECASE,
)
_SHORT_NOT = lazy_pattern("don['’]t", re.IGNORECASE)
_FILLER_VERB = lazy_pattern(r"(?:execute|perform|executar)\s+", re.IGNORECASE)
_NOTE = lazy_pattern(r"\s[—–-]\s")
_PART = lazy_pattern(r"(?:[^,;/()]++|\([^()]*+\)|[()]|(?<!\s)/|/(?!\s))+")
MAX_ACTION = 200
"""Code points; a longer text is prose and no action that another boundary could name."""
MAX_ACTIONS = 100
"""How many actions of one boundary are read."""


_MARKS = "*_~\"'“”‘’ "  # what may stand before the first word of a rule in Markdown


def begins_with_modal(text: str) -> bool:
    """Returns whether the sentence of a boundary begins as one that tells what to do does: Always,
    Never, Do not.
    """
    return bool(_MODAL.match(text.lstrip(_MARKS)))


class BoundaryAction(NamedTuple):
    """A BoundaryAction is one action that an authority boundary is about, with its place, and the
    ``effect`` of the rule on it: allowed, blocked, exclusive or required.
    """

    effect: str
    action: Text

    @property
    def name(self) -> str:
        """Returns the action as it is compared: without differences of case, white space and full
        stops.
        """
        return " ".join(self.action.value.casefold().split()).rstrip(".")


def boundary_actions(text: str, rule: Rule) -> Iterator[BoundaryAction]:
    """Yields the actions of an authority boundary, a rule of the file ``text``; none where it says
    nothing that can be read.
    """
    if rule.kind == "rule" and not _begins_with_effect(rule.text):
        return
    start, end = rule.text_span
    if rule.kind in _EFFECT_OF_KIND and text[start:end] == rule.text:
        dash = _NOTE.search(text, start, end)
        place = trim_span(text, start, dash.start() if dash else end)
        if 0 < place.length <= MAX_ACTION:
            yield BoundaryAction(_EFFECT_OF_KIND[rule.kind], Text(place.cut(text), Span(*place)))
    if rule.kind not in ("auth", "rule") or text[start:end] != rule.text:
        return
    said, start, is_list = (
        _match_boundary(text, start, end) if rule.kind == "auth" else _NO_BOUNDARY
    )
    if not said:
        said, start, is_list = _match_sentence(text, *rule.text_span)
    if not said and rule.kind == "auth" and (dash := _NOTE.search(text, *rule.text_span)):
        # "Commits are local only — never push": what is said stands behind the dash.
        said, start, is_list = _match_sentence(text, dash.end(), end)
    if not said:
        return
    note = _NOTE.search(text, start, end)
    end = note.start() if note else end
    parts = (
        (part.span() for part in _PART.finditer(text, start, end)) if is_list else [(start, end)]
    )
    for part in islice(parts, MAX_ACTIONS):
        place = trim_span(text, *part)
        if 0 < place.length <= MAX_ACTION:
            yield BoundaryAction(said, Text(place.cut(text), Span(*place)))


@lru_cache(maxsize=65_536)
def _begins_with_effect(text: str) -> bool:
    """Returns whether the first words of a rule say what it demands; kept, since it is asked of all
    rules of a file after each key stroke.
    """
    return _MODAL.match(text) is not None


def sentence_effect(text: str) -> str:
    """Returns what a boundary demands by its first words, `BLOCKED` ("Never …", "Don't …") or
    `REQUIRED` ("Always …"); "" for any other.
    """
    found = _MODAL.match(_SHORT_NOT.sub("do not", text))
    return MODALS[" ".join(found[1].upper().split())] if found else ""


def boundary_note(text: str) -> str:
    """Returns what a boundary says behind its dash: "delegate to @devops"; "" where it has none."""
    dash = _NOTE.search(text)
    return text[dash.end() :].strip() if dash else ""


def is_unrestricted(text: str) -> bool:
    """Returns whether a boundary says that nobody's exclusive actions bind this agent."""
    return text.startswith("UNRESTRICTED:")


_NO_BOUNDARY = ("", 0, False)


def _match_boundary(text: str, start: int, end: int) -> tuple[str, int, bool]:
    """Returns the effect of a boundary, the offset at which its actions begin, and whether they
    are a list.
    """
    verb = _VERB.match(text, start, end)
    if verb and verb[1] in VERBS:
        return VERBS[verb[1]], verb.end(), True
    if alone := _EXCLUSIVE_PHRASE.match(text, start, end):
        return EXCLUSIVE, alone.end(), True
    if only := _ONLY.match(text, start, end):
        return ALLOWED, only.end(), False
    return _NO_BOUNDARY


def _match_sentence(text: str, start: int, end: int) -> tuple[str, int, bool]:
    """Returns the same as `_match_boundary` for a sentence; only a verb without a meaning of its
    own governs a list of names.
    """
    modal = _MODAL.match(text, start, end)
    if modal is None:
        return _NO_BOUNDARY
    said = MODALS[" ".join(modal[1].upper().split())]
    light = _FILLER_VERB.match(text, modal.end(), end)
    return said, light.end() if light else modal.end(), light is not None
