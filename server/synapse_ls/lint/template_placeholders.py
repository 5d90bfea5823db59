"""This module recognises placeholders that templates of rule files leave for their users to fill
in.
"""

from __future__ import annotations

import re

_PLACEHOLDER_TEXT = re.compile(
    r"(?:TODO|FIXME|TBD|TBA|XXX+)\s*[.:!]?"
    r"|\.{3}|…"
    r"|\{\{[^{}]*\}\}|\{[A-Za-z][\w .-]*\}"
    r"|[\[<](?i:(?:your|the|insert|describe|add|put|replace|rule|seus?|suas?|insira|descreva|regra)\b)"
    r"[^\]>]*[\]>]"
    r"|(?i:(?:(?:your|add|insert|put|write)\s(?:\S+\s){0,4}|rule(?:\stext)?\s)here)[.!]?"
    r"|(?i:(?:sua|insira|escreva)\s(?:\S+\s){0,4}aqui)[.!]?"
)
_PLACEHOLDER_START = re.compile(
    r"(?:TODO|FIXME|TBD)\s*:\s|This is Rule [0-9]+\b|(?i:lorem ipsum)\b"
)
_PLACEHOLDER_KEYWORD = re.compile(
    r"(?i:(?:keyword|palavra(?:-chave)?)[ _-]?[0-9]|trigger phrases?|your (?:keywords?|triggers?))"
)


def is_placeholder(text: str) -> bool:
    """Returns whether the text of a rule is only a placeholder, such as ``TODO`` or ``[your rule
    here]``.
    """
    return bool(_PLACEHOLDER_TEXT.fullmatch(text) or _PLACEHOLDER_START.match(text))


def is_placeholder_keyword(item: str) -> bool:
    """Returns whether a keyword is a template's placeholder, such as ``keyword1``."""
    return bool(_PLACEHOLDER_KEYWORD.fullmatch(item))
