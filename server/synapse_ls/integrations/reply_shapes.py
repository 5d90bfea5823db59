"""This module builds the shapes of hook replies that several agent clients understand."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event


ALLOW: Final = "allow"  # nothing is said, so that the client asks what it would ask anyway
ASK: Final = "ask"
DENY: Final = "deny"


def nested_context(event: Event, text: str) -> dict[str, Any]:
    """Returns a reply with context in the shape of the Claude Code hooks reference, which other
    clients took over.
    """
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}


def nested_permission(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns a reply with a decision in the shape of the Claude Code hooks reference: "ask" or
    "deny"; {} for any other.
    """
    if decision not in (ASK, DENY):
        return {}
    return {
        "hookSpecificOutput": {"hookEventName": event.name, **permission_fields(decision, reason)}
    }


def permission_fields(decision: str, reason: str) -> dict[str, Any]:
    """Returns the two fields of a reply with a decision, which several clients have in different
    places.
    """
    return {"permissionDecision": decision, "permissionDecisionReason": reason}


def deny_reason(reason: str) -> str:
    """Returns the reason in a reply that says "deny" where the decision was "ask", in a client that
    cannot ask.
    """
    return f"{reason} Nobody can be asked from here, so a person has to do it, or to allow it."


def convert_tags_to_headings(text: str) -> str:
    r"""Returns the text of a reply with headings for the tags of blocks, for a client that escapes
    angle brackets.

    >>> convert_tags_to_headings("<synapse-rules>\n\n[GLOBAL]\n\n</synapse-rules>")
    '[SYNAPSE-RULES]\n\n[GLOBAL]\n\n[END OF SYNAPSE-RULES]'
    """
    return _exchange_marks(text, ("<", ">"), ("</", ">"), _heading_pair)


def convert_headings_to_tags(text: str) -> str:
    """Returns the text of a reply with the tags of blocks that `convert_tags_to_headings` has taken
    from it.
    """
    return _exchange_marks(text, ("[", "]"), ("[END OF ", "]"), _tag_pair)


def _heading_pair(tag: str) -> tuple[str, str]:
    return f"[{tag.upper()}]", f"[END OF {tag.upper()}]"


def _tag_pair(heading: str) -> tuple[str, str]:
    return f"<{heading.lower()}>", f"</{heading.lower()}>"


def _exchange_marks(
    text: str,
    opening: tuple[str, str],
    closing: tuple[str, str],
    marks: Callable[[str], tuple[str, str]],
) -> str:
    """Returns ``text`` with other marks in the lines that open and close a block."""
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
