"""``guard``: whether the boundaries of the tree let an agent do something."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.guard.judge import Verdict
from synapse_ls.guard.use import Use
from synapse_ls.mcp.fields import LIST, Field
from synapse_ls.mcp.said import Said, note_lines, paragraphs
from synapse_ls.mcp.situation import AGENT, SITUATION, asked
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.guard import unread, verdict
from synapse_ls.service.reports import verdict_report

_VERBS = ("read", "write", "delete")
_WHO = tuple(
    field for field in SITUATION if field.name in ("workflow", "phase", "task", "squad", "session")
)
_EFFECTS = {
    "off": "the guard is off, so nothing stops the agent",
    "warn": "the guard warns, and does not stop the agent",
    "enforce": "the guard stops the agent where the client runs the hook",
}


def _run(root: str, given: Given) -> Said:
    files = [(verb, path) for verb in _VERBS for path in given[verb]]
    if not (given["command"].strip() or files or given["tool"]):
        raise ServiceError(
            "There is nothing to judge.",
            "Give a command, files to read, write or delete, or a tool.",
        )
    answer = asked(root, {field.name: given[field.name] for field in (AGENT, *_WHO)})
    situation = answer.assembly.situation
    folder = given["folder"].strip("/")
    use = Use(command=given["command"], files=files, tool=given["tool"], folder=folder)
    mode = answer.plan.settings["guard"]
    found = verdict(answer.plan, situation, use, project=answer.plan.root, mode=mode)
    blind = unread(answer.plan, situation.agent)
    notes = note_lines(situation.notes)
    text = paragraphs([*_lines(found, situation.agent, mode), *notes])
    return Said(text, verdict_report(found, situation.agent, mode, blind))


def _lines(found: Verdict, agent: str, mode: str) -> Iterator[str]:
    who = f"@{agent}" if agent else "no active agent"
    yield f"{found.decision} for {who}{f': {found.why}' if found.why else ''}."
    if found.what:
        yield f"  what: {found.what}"
    if found.decision != "allow":
        yield f"note: {_EFFECTS[mode]}"


TOOL = Tool(
    name="guard",
    title="May an agent do this?",
    about="Whether the authority boundaries of this project let an agent run a command, touch files "
    "or call a tool: allow, ask or deny, with the rule and the agent to delegate to.",
    fields=(
        Field("command", "a command line, as a shell reads it"),
        Field("read", "files to read", LIST),
        Field("write", "files to write", LIST),
        Field("delete", "files to delete", LIST),
        Field("tool", "the name of a tool of the client"),
        Field("folder", "where, below the project (default: its root)"),
        AGENT,
        *_WHO,
    ),
    run=_run,
)
