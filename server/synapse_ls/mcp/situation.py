"""The situation that a question is about: who is at work on what, in which session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synapse_ls.mcp.fields import LIST, NUMBER, Field
from synapse_ls.service.answer import Answer
from synapse_ls.service.live import questions
from synapse_ls.service.named_session import CURRENT, current_session, resolved

NEW = "new"

PROMPT = Field("prompt", "what the user says, word for word")
AGENT = Field("agent", "the id of the active agent: dev or @dev")
SESSION = Field(
    "session",
    f'a session, its unique beginning, "{CURRENT}" (the default) or "{NEW}" for a first prompt',
)
SITUATION = (
    PROMPT,
    AGENT,
    Field("workflow", "the id of the active workflow"),
    Field("phase", "the phase that the workflow is in"),
    Field("task", "the active task: its name or its file"),
    Field("story", "the story of the task: its id or its file"),
    Field("squad", "the active squad: its folder or its name"),
    Field("files", "files that the user mentions or that were touched", LIST),
    Field("remaining", "how much of the context window is left, in percent", NUMBER),
    Field("bracket", "answer in this bracket, whatever is left: FRESH, MODERATE, …"),
    Field("profile", "another profile than the tree's: synapse-live, brainiac-reflection, …"),
    SESSION,
)


def session_of(root: str, given: str) -> str:
    """The id of the session that is meant, "" for a new one; ServiceError where there is none.

    Not given, it is the current one where there is one.
    """
    if given == NEW:
        return ""
    return resolved(root, given) if given else current_session(root)


def asked(root: str, given: Mapping[str, Any]) -> Answer:
    """The answer to ``given``, by the names of `SITUATION`; what is empty is found out."""
    params = {name: value for name, value in given.items() if value not in ("", None, ())}
    params["session"] = session_of(root, given.get("session", ""))
    if "agent" in params:
        params["agent"] = params["agent"].removeprefix("@")
    return questions.asked(root, "", params)
