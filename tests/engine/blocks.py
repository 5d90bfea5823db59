"""Assembling blocks of small trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synapse_ls.engine.active_task import TaskFacts
from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.formats.session_file import SessionState


def block(
    plan: Plan,
    prompt: str = "",
    *,
    remaining: object = 50,
    facts: TaskFacts | None = None,
    limit: int = 0,
    session: Mapping[str, Any] | None = None,
    **given: Any,
) -> Assembly:
    """The assembly for a prompt; all layers are awake unless ``remaining`` says otherwise."""
    state = None if session is None else SessionState({**session})
    request = Request(prompt, session=state, **given)
    situation = resolve_situation(plan, request, measure_usage(reported=remaining))
    situation.task_facts = facts
    return assemble_block(plan, situation, limit=limit)


def section(assembly: Assembly, heading: str) -> str:
    """The text of the section whose heading begins with ``heading``, "" where there is none."""
    parts = assembly.text.split("\n\n")
    return next((part for part in parts if part.startswith(heading)), "")
