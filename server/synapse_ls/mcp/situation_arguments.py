"""This module holds the arguments with which MCP tools describe a situation (prompt, agent,
workflow, task, session, …), and answers a question about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synapse_ls.live import panel_queries
from synapse_ls.mcp.tool_arguments import LIST, NUMBER, ToolArgument
from synapse_ls.queries.context_question import Answer
from synapse_ls.queries.session_lookup import CURRENT_NAME, current_session, resolve_session

NEW = "new"

PROMPT = ToolArgument("prompt", "what the user says, word for word")
AGENT = ToolArgument("agent", "the id of the active agent: dev or @dev")
SESSION = ToolArgument(
    "session",
    f'a session, its unique beginning, "{CURRENT_NAME}" (the default) or "{NEW}" for a first prompt',
)
SITUATION = (
    PROMPT,
    AGENT,
    ToolArgument("workflow", "the id of the active workflow"),
    ToolArgument("phase", "the phase that the workflow is in"),
    ToolArgument("task", "the active task: its name or its file"),
    ToolArgument("story", "the story of the task: its id or its file"),
    ToolArgument("squad", "the active squad: its folder or its name"),
    ToolArgument("files", "files that the user mentions or that were touched", LIST),
    ToolArgument("remaining", "how much of the context window is left, in percent", NUMBER),
    ToolArgument("bracket", "answer in this bracket, whatever is left: FRESH, MODERATE, …"),
    ToolArgument(
        "profile", "another profile than the tree's: synapse-live, brainiac-reflection, …"
    ),
    SESSION,
)


def session_from_argument(root: str, name: str) -> str:
    """Returns the id of the session that the arguments of an MCP tool name in a situation, "" for a
    new one; raises UserError where there is none.

    Where none is named, it is the current one where there is one.
    """
    if name == NEW:
        return ""
    return resolve_session(root, name) if name else current_session(root)


def query_answer(root: str, arguments: Mapping[str, Any], *, standing: bool = False) -> Answer:
    """Returns the answer to the arguments that describe a situation, by the names of `SITUATION`;
    what is empty is found out.

    standing: it says what the agent of the session has (`Question`).
    """
    params = {name: value for name, value in arguments.items() if value not in ("", None, ())}
    params["session"] = session_from_argument(root, arguments.get("session", ""))
    if "agent" in params:
        params["agent"] = params["agent"].removeprefix("@")
    return panel_queries.answer_params(root, "", params, standing=standing)
