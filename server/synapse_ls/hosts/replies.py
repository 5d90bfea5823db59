"""Replies that several clients understand."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from synapse_ls.hosts.event import Event


ALLOW: Final = "allow"  # nothing is said, so that the client asks what it would ask anyway
ASK: Final = "ask"
DENY: Final = "deny"


def nested(event: Event, text: str) -> dict[str, Any]:
    """The dialect of the Claude Code hooks reference, which others took over."""
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}


def ruled(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """The dialect of the Claude Code hooks reference for "ask" and "deny"; {} for any other."""
    if decision not in (ASK, DENY):
        return {}
    return {"hookSpecificOutput": {"hookEventName": event.name, **permission(decision, reason)}}


def permission(decision: str, reason: str) -> dict[str, Any]:
    """The two fields that several clients have in different places."""
    return {"permissionDecision": decision, "permissionDecisionReason": reason}


def by_a_person(reason: str) -> str:
    """The reason for "deny" where it was "ask", in a client that cannot ask."""
    return f"{reason} Nobody can be asked from here, so a person has to do it, or to allow it."


def unbracketed(text: str) -> str:
    """``text`` with headings for the tags of blocks, for a client that escapes angle brackets.

    >>> unbracketed("<synapse-rules>\\n\\n[GLOBAL]\\n\\n</synapse-rules>")
    '[SYNAPSE-RULES]\\n\\n[GLOBAL]\\n\\n[END OF SYNAPSE-RULES]'
    """
    return _exchanged(text, ("<", ">"), ("</", ">"), _heading)


def bracketed(text: str) -> str:
    """``text`` with the tags of blocks that `unbracketed` has taken from it."""
    return _exchanged(text, ("[", "]"), ("[END OF ", "]"), _tags)


def _heading(tag: str) -> tuple[str, str]:
    return f"[{tag.upper()}]", f"[END OF {tag.upper()}]"


def _tags(heading: str) -> tuple[str, str]:
    return f"<{heading.lower()}>", f"</{heading.lower()}>"


def _exchanged(
    text: str,
    opening: tuple[str, str],
    closing: tuple[str, str],
    marks: Callable[[str], tuple[str, str]],
) -> str:
    """``text`` with other marks in the lines that open and close a block."""
    before, after = closing
    lines = text.split("\n")
    start = 0
    for at, line in enumerate(lines):
        if line.startswith(before) and line.endswith(after):
            name = line[len(before) : -len(after)]
            first = opening[0] + name + opening[1]
            if first in lines[start:at]:
                lines[lines.index(first, start)], lines[at] = marks(name)
                start = at + 1
    return "\n".join(lines)
