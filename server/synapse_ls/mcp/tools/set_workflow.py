"""``set_workflow``: which workflow a session is in, and in which phase."""

from __future__ import annotations

from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.said import Said
from synapse_ls.mcp.situation import SESSION
from synapse_ls.mcp.tools.setting import by_hand, changed, question
from synapse_ls.mcp.tools.tool import Given, Tool


def _wanted(given: Given) -> dict[str, str]:
    wanted = {"workflow": str(given["workflow"])}
    return wanted | ({"phase": str(given["phase"])} if given["phase"] else {})


def _run(root: str, given: Given) -> Said:
    return changed(root, given["session"], _wanted(given))


def _confirm(root: str, given: Given) -> str:
    workflow, phase = given["workflow"].strip(), given["phase"].strip()
    what = (
        f"the workflow to {workflow}{f', phase {phase}' if phase else ''}"
        if workflow
        else "no workflow as active"
    )
    return question(root, given["session"], what)


def _by_hand(given: Given) -> list[str]:
    return by_hand(given, _wanted(given))


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
    by_hand=_by_hand,
)
