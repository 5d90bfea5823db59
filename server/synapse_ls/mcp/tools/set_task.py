"""``set_task``: what is at work in a session."""

from __future__ import annotations

from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.said import Said
from synapse_ls.mcp.situation import SESSION
from synapse_ls.mcp.tools.setting import by_hand, changed, question
from synapse_ls.mcp.tools.tool import Given, Tool


def _wanted(given: Given) -> dict[str, str]:
    wanted = {"task": str(given["task"])}
    return wanted | ({"story": str(given["story"])} if given["story"] else {})


def _run(root: str, given: Given) -> Said:
    return changed(root, given["session"], _wanted(given))


def _confirm(root: str, given: Given) -> str:
    task, story = given["task"].strip(), given["story"].strip()
    what = (
        f"the task to {task}{f', story {story}' if story else ''}" if task else "no task as active"
    )
    return question(root, given["session"], what)


def _by_hand(given: Given) -> list[str]:
    return by_hand(given, _wanted(given))


TOOL = Tool(
    name="set_task",
    title="Set the task",
    about="Sets the active task of the session, and its story: criteria, pre-conditions and files "
    "of both are told from the next prompt. An empty task ends it.",
    fields=(
        Field("task", "the name of the task, or its file", required=True),
        Field("story", "the id of its story, or its file"),
        SESSION,
    ),
    run=_run,
    changes=True,
    confirm=_confirm,
    by_hand=_by_hand,
)
