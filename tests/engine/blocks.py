"""Assembling blocks of small trees."""

from __future__ import annotations

from typing import Any

from synapse_ls.engine.plan import Plan
from synapse_ls.engine.run import Assembly, assemble
from synapse_ls.engine.situation import Request, resolve
from synapse_ls.engine.task import TaskFacts
from synapse_ls.engine.usage import measure


def block(
    plan: Plan,
    prompt: str = "",
    *,
    remaining: object = 50,
    facts: TaskFacts | None = None,
    limit: int = 0,
    **given: Any,
) -> Assembly:
    """The assembly for a prompt; all layers are awake unless ``remaining`` says otherwise."""
    situation = resolve(plan, Request(prompt, **given), measure(reported=remaining))
    situation.task_facts = facts
    return assemble(plan, situation, limit=limit)


def section(assembly: Assembly, heading: str) -> str:
    """The text of the section whose heading begins with ``heading``, "" where there is none."""
    parts = assembly.text.split("\n\n")
    return next((part for part in parts if part.startswith(heading)), "")
