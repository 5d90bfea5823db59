"""``activate_agent``: who is at work in a session, with everything that it needs to begin."""

from __future__ import annotations

import time

from synapse_ls.activation.facts import EXECUTORS
from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.said import Said, note_lines, paragraphs
from synapse_ls.mcp.situation import SESSION
from synapse_ls.mcp.tools.setting import by_hand, changed, question, session_to_set
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service.activating import FULL, Wish, activate, identified, record


def _agent(given: Given) -> str:
    return str(given["agent"]).strip().removeprefix("@")


def _run(root: str, given: Given) -> Said:
    agent = _agent(given)
    if not agent:
        return changed(root, given["session"], {"agent": ""})
    session = session_to_set(root, given["session"])
    now = time.time()
    found = activate(root, agent, Wish(session, given["executor"]), now=now)
    notes = [*found.notes, *record(root, found, now=now)]
    told = list(notes)
    if found.quality != FULL:
        told.append(f"the activation is {found.quality}: {'; '.join(found.facts.missing)}")
    text = paragraphs(
        [f"session {session}:", f"agent = {found.agent}"],
        found.greeting.text.split("\n") if found.greeting.text else (),
        note_lines(told),
    )
    data = {
        "session": session,
        "set": {"agent": found.agent},
        "notes": notes,
        "activation": found.report(),
    }
    return Said(text, data)


def _confirm(root: str, given: Given) -> str:
    agent = _agent(given)
    what = f"the active agent to @{identified(root, agent)}" if agent else "no agent as active"
    return question(root, given["session"], what)


def _by_hand(given: Given) -> list[str]:
    return by_hand(given, {"agent": _agent(given)})


TOOL = Tool(
    name="activate_agent",
    title="Activate an agent",
    about="Makes an agent of this project the active one of the session and says what it needs to "
    "begin: who it is, branch, changes and recent commits, the story and the step of the workflow at "
    "work, what comes next, its permission mode and its commands. Its rules and authority boundaries "
    "apply from the next prompt. An empty id deactivates it. Where the guard enforces boundaries, a "
    "person is asked first.",
    fields=(
        Field("agent", "the id of the agent: dev or @dev", required=True),
        SESSION,
        Field("executor", "who carries the task out, if the task does not say", choices=EXECUTORS),
    ),
    run=_run,
    changes=True,
    confirm=_confirm,
    by_hand=_by_hand,
)
