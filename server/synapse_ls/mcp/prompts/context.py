"""``context``: a prompt with the block that applies to it, for clients that run no hook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.engine.plan import Plan
from synapse_ls.mcp.prompts.family import Family, Offered
from synapse_ls.mcp.situation import asked

NAME = "context"
_ARGUMENTS = (
    ("prompt", "what you want to say"),
    ("agent", "the id of the agent that it is for"),
    ("task", "the task that it is about"),
)


def _offered(_: Plan | None) -> Iterator[Offered]:
    about = "Say something together with the rules of this project that apply to it"
    yield Offered(NAME, "With the rules", about, _ARGUMENTS)


def _text(root: str, name: str, given: Mapping[str, str]) -> str | None:
    if name != NAME:
        return None
    known = {argument: given.get(argument, "") for argument, _ in _ARGUMENTS}
    block = asked(root, known).assembly.text
    return "\n\n".join(part for part in (block, known["prompt"]) if part)


FAMILY = Family(_offered, _text)
