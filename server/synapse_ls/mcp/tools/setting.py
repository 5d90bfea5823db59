"""What the tools share that set something of a session."""

from __future__ import annotations

import time
from collections.abc import Mapping

from synapse_ls.guard.use import ENFORCE
from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.said import Said, note_lines
from synapse_ls.mcp.situation import NEW, SESSION, session_of
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.named_session import CURRENT, own_session
from synapse_ls.service.plans import planned
from synapse_ls.service.session_fields import set_fields


def setter(whole: Field, part: Field, about: str) -> Tool:
    """The tool that sets ``whole`` (the task, the workflow) and, where it is given, a ``part`` of it."""
    noun = whole.name

    def wanted(given: Given) -> dict[str, str]:
        return {noun: str(given[noun])} | (
            {part.name: given[part.name]} if given[part.name] else {}
        )

    def confirm(root: str, given: Given) -> str:
        named, more = given[noun].strip(), given[part.name].strip()
        what = f"the {noun} to {named}" + (f", {part.name} {more}" if more else "")
        return question(root, given["session"], what if named else f"no {noun} as active")

    return Tool(
        name=f"set_{noun}",
        title=f"Set the {noun}",
        about=about,
        fields=(whole, part, SESSION),
        run=lambda root, given: changed(root, given["session"], wanted(given)),
        changes=True,
        confirm=confirm,
        by_hand=lambda given: by_hand(given, wanted(given)),
    )


def changed(root: str, session: str, wanted: Mapping[str, str]) -> Said:
    """Set fields of a session, and say so; "" clears one."""
    session_id = session_to_set(root, session)
    values = {name: value.strip() for name, value in wanted.items()}
    notes = set_fields(root, session_id, values, now=time.time())
    lines = [f"{name} = {value}" if value else f"{name} cleared" for name, value in values.items()]
    text = "\n".join([f"session {session_id}:", *lines, *note_lines(notes)])
    return Said(text, {"session": session_id, "set": values, "notes": list(notes)})


def question(root: str, session: str, what: str) -> str:
    """What a person is asked before ``what`` is set, "" where nobody has to be.

    Where the guard enforces boundaries, whoever sets the agent or the work could widen its own.
    """
    session_id = session_to_set(root, session)
    if planned(root).plan.settings["guard"] != ENFORCE:
        return ""
    return f"An agent wants to set {what} for the session {session_id}. Is that all right?"


def by_hand(given: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    """The words of the command line that sets ``wanted``."""
    pairs = (f"{name}={value.strip()}" for name, value in wanted.items())
    return ["synapse", "session", "set", given["session"] or CURRENT, *pairs]


def session_to_set(root: str, given: str) -> str:
    """The session that is meant; ServiceError where there is none, or nobody knows which.

    Not given, it is the one that the client names in the environment, else the only current one: an
    agent must not set the session of another by mistake.
    """
    if given and given != NEW:
        return session_of(root, given)
    found, why = ("", "") if given else own_session(root)
    if found:
        return found
    what = f"There is no current session to be set: {why}" if why else "A new session cannot be set"
    raise ServiceError(
        f"{what}; a session begins with the first prompt that the hook answers.",
        "Name one with session (`synapse session list`), or register the hook with "
        "`synapse install`.",
    )
