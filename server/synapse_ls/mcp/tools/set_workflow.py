"""``set_workflow``: which workflow a session is in, and in which phase."""

from __future__ import annotations

from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.said import Said
from synapse_ls.mcp.situation import SESSION
from synapse_ls.mcp.tools.setting import changed, question
from synapse_ls.mcp.tools.tool import Given, Tool


def _run(root: str, given: Given) -> Said:
    wanted = {"workflow": given["workflow"]}
    return changed(root, given["session"], wanted | ({"phase": p} if (p := given["phase"]) else {}))


def _confirm(root: str, given: Given) -> str:
    workflow = given["workflow"].strip()
    what = f"the workflow to {workflow}" if workflow else "no workflow as active"
    return question(root, given["session"], what)


TOOL = Tool(
    name="set_workflow",
    title="Set the workflow",
    about="Sets the active workflow of the session and its phase: their rules are told from the "
    "next prompt. An empty workflow ends it.",
    fields=(
        Field("workflow", "the id of the workflow", required=True),
        Field("phase", "the phase that it is in"),
        SESSION,
    ),
    run=_run,
    changes=True,
    confirm=_confirm,
)
