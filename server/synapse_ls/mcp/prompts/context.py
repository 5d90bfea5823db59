"""This module offers the MCP prompt ``context``: the block that applies to a prompt, for clients
that run no hook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.mcp.prompts.prompt_family import PromptEntry, PromptFamily
from synapse_ls.mcp.situation_arguments import query_answer

NAME = "context"
_ARGUMENTS = (
    ("prompt", "what you want to say"),
    ("agent", "the id of the agent that it is for"),
    ("task", "the task that it is about"),
)


def _list_prompts(_: Plan | None) -> Iterator[PromptEntry]:
    about = "Say something together with the rules of this project that apply to it"
    yield PromptEntry(NAME, "With the rules", about, _ARGUMENTS)


def _prompt_text(root: str, name: str, arguments: Mapping[str, str]) -> str | None:
    if name != NAME:
        return None
    known = {argument: arguments.get(argument, "") for argument, _ in _ARGUMENTS}
    block = query_answer(root, known).assembly.text
    return "\n\n".join(part for part in (block, known["prompt"]) if part)


FAMILY = PromptFamily(_list_prompts, _prompt_text)
