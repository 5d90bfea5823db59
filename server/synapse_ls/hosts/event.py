"""A hook event, in one vocabulary for all clients."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

PROMPT: Final = "prompt"  # a person or a program submitted a prompt
SESSION_START: Final = "session-start"
COMPACTING: Final = "compacting"  # the client is about to compact its history
OTHER: Final = "other"  # nothing to say


class Event:
    """``source`` says why a session starts ("startup", "resume", "clear", "compact", "fork").

    project: the project folder that the client names, or "". agent: the client's own field for
    the agent of this turn. window: the sub-agent that has its own context window, or "". counts:
    whether a person or a calling program wrote the prompt. raw: the whole payload.
    """

    __slots__ = (
        "agent",
        "counts",
        "cwd",
        "kind",
        "name",
        "project",
        "prompt",
        "raw",
        "session_id",
        "source",
        "transcript",
        "window",
    )

    def __init__(self, kind: str, name: str, raw: dict[str, Any]) -> None:
        self.kind = kind
        self.name = name
        self.raw = raw
        self.session_id = self.cwd = self.project = self.prompt = self.transcript = ""
        self.agent = self.window = self.source = ""
        self.counts = True


def text_field(raw: dict[str, Any], *names: str) -> str:
    """The first of the fields that is a text with content, or ""."""
    for name in names:
        value = raw.get(name)
        if isinstance(value, str) and value:
            return value
    return ""
