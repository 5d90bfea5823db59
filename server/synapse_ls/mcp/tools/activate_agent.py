"""``activate_agent``: who is at work in a session."""

from __future__ import annotations

from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.said import Said
from synapse_ls.mcp.situation import SESSION
from synapse_ls.mcp.tools.setting import changed, question
from synapse_ls.mcp.tools.tool import Given, Tool


def _agent(given: Given) -> str:
    return str(given["agent"]).strip().removeprefix("@")


def _run(root: str, given: Given) -> Said:
    return changed(root, given["session"], {"agent": _agent(given)})


def _confirm(root: str, given: Given) -> str:
    agent = _agent(given)
    what = f"the active agent to @{agent}" if agent else "no agent as active"
    return question(root, given["session"], what)


TOOL = Tool(
    name="activate_agent",
    title="Activate an agent",
    about="Makes an agent of this project the active one of the session: its rules and authority "
    "boundaries apply from the next prompt. An empty id deactivates it. Where the guard enforces "
    "boundaries, a person is asked first.",
    fields=(Field("agent", "the id of the agent: dev or @dev", required=True), SESSION),
    run=_run,
    changes=True,
    confirm=_confirm,
)
