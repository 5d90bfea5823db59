"""This module defines a hook event of an agent client, in one vocabulary of kinds for all
clients.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

PROMPT: Final = "prompt"  # a person or a program submitted a prompt
SESSION_START: Final = "session-start"
SUBAGENT_START: Final = "subagent-start"
COMPACTING: Final = "compacting"  # the client is about to compact its history
COMPACTED: Final = "compacted"  # it has done so
TOOL_BEFORE: Final = "tool-before"  # a tool is about to be used
TOOL: Final = "tool"  # a tool was used
STOP: Final = "stop"  # a turn has ended
SESSION_END: Final = "session-end"
OTHER: Final = "other"  # nothing to say


class Event:
    """A hook event, as read from the payload of any client.

    kind: one of the constants of this module; name: the event as its client spells it. source
    says why a session starts ("startup", "resume", "clear", "compact", "fork"). projects: the
    project folders that the client names, the first one first. agent: the client's own field
    for the agent of this turn. subagent: the id of the sub-agent in whose own context window this
    happens, or "" where it is the main one.
    turn: the client's name for the turn, or "". model: the id of the model in use, or "".
    is_counted: whether a person or a calling program wrote the prompt. files: what the prompt
    attaches or the tool has touched, as the client spells it; edited: those of them that the
    tool has changed. error: the words of the failure that the tool has met with, or "".
    figures: what the event itself says of usage, as `read_usage` of a client returns it, or
    None. raw: the whole payload.
    """

    __slots__ = (
        "agent",
        "cwd",
        "edited",
        "error",
        "figures",
        "files",
        "is_counted",
        "kind",
        "model",
        "name",
        "projects",
        "prompt",
        "raw",
        "session_id",
        "source",
        "subagent",
        "transcript",
        "turn",
    )

    def __init__(self, kind: str, name: str, raw: dict[str, Any]) -> None:
        self.kind = kind
        self.name = name
        self.raw = raw
        self.session_id = self.cwd = self.prompt = self.transcript = self.turn = ""
        self.agent = self.subagent = self.source = self.model = self.error = ""
        self.projects: tuple[str, ...] = ()
        self.files: tuple[str, ...] = ()
        self.edited: tuple[str, ...] = ()
        self.figures: dict[str, object] | None = None
        self.is_counted = True
