"""Rule text can neither close the block nor pass for one of its headings.

What could is made harmless in a way that a reader sees: angle brackets of block tags and square
brackets of headings become round ones, and control characters that break lines become spaces.
"""

from __future__ import annotations

from synapse_ls.engine.prompt import BLOCK_TAGS

HEADINGS = (
    "WITHDRAWN",
    "CONSTITUTION",
    "GLOBAL",
    "ACTIVE AGENT",
    "ACTIVE WORKFLOW",
    "SQUAD",
    "TASK CONTEXT",
    "KEYWORD MATCHES",
    "MEMORY HINTS",
    "CONTEXT BRACKET",
    "STAR-COMMANDS",
    "HANDOFF WARNING",
    "DEVMODE STATUS",
    "LOADED DOMAINS SUMMARY",
)


def neutralise(text: str) -> str:
    """``text`` as it may stand inside a block: one line, no tag and no heading of a block."""
    if not text.isprintable():
        text = _visible(text)
    if "<" in text:
        for tag in BLOCK_TAGS:
            text = _unbracket(text, f"<{tag}")
            text = _unbracket(text, f"</{tag}")
    if "[" in text:
        for heading in HEADINGS:
            text = _unhead(text, heading)
    return " ".join(text.split())


def _visible(text: str) -> str:
    """``text`` with separators as spaces and invisible or unpaired characters made visible."""
    from unicodedata import category

    kinds = {c: category(c) for c in set(text)}
    harmless = {c for c, kind in kinds.items() if kind not in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    harmless.update("\u200c\u200d")  # joiners, which many scripts and emoji need
    separating = {c for c, kind in kinds.items() if kind in ("Cc", "Zl", "Zp")}
    return "".join(c if c in harmless else " " if c in separating else "\ufffd" for c in text)


def _unbracket(text: str, opening: str) -> str:
    low = text.lower()
    at = low.find(opening)
    while at >= 0:
        close = text.find(">", at)
        text = f"{text[:at]}({text[at + 1 :]}"
        if close >= 0:
            text = f"{text[:close]}){text[close + 1 :]}"
        low = text.lower()
        at = low.find(opening, at)
    return text


def _unhead(text: str, heading: str) -> str:
    """``text`` with a leading ``[HEADING…]`` made round; elsewhere it is only a mention."""
    if text.lstrip("-*• ")[: len(heading) + 1].upper() != f"[{heading}":
        return text
    at = text.find("[")
    close = text.find("]", at)
    text = f"{text[:at]}({text[at + 1 :]}"
    return text if close < 0 else f"{text[:close]}){text[close + 1 :]}"
