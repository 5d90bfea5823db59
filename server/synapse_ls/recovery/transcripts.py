"""The turns of a session, from the transcript that its client writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from synapse_ls.engine.plan import Plan
from synapse_ls.engine.prompt import Prompt
from synapse_ls.hosts.transcripts.history.reading import lines_of
from synapse_ls.hosts.transcripts.registry import HEAD, recognise
from synapse_ls.hosts.transcripts.turn import Turn

_PARTS = ("reply", "steps", "files", "edited")  # of a turn, those that grow


def turns_of(path: str) -> list[Turn]:
    """The turns of the main conversation; none where there is no transcript that can be read.

    Raises OSError.
    """
    if not path:
        return []
    with open(path, "rb") as stream:
        head: list[bytes] = []
        size = 0
        lines = lines_of(stream)
        for line in lines:
            head.append(line)
            size += len(line)
            if size >= HEAD:
                break
        reader = recognise(b"".join(head))
        return [] if reader is None else list(reader.turns(chain(head, lines)))


def progress_of(turns: list[Turn]) -> dict[str, Any]:
    """How far a conversation is read, as plain values: its turns, and the parts of the last one."""
    return {"turns": len(turns), "last": _sizes(turns[-1]) if turns else []}


def unread(turns: list[Turn], progress: Mapping[str, Any]) -> tuple[int, list[Turn]]:
    """The turns that came since, and the number of the first of them, from 1.

    The last turn may have gone on: a digest is made when a prompt comes, and a history is mostly compacted in
    the midst of a turn. What was said and done in it since counts, without its prompt.
    """
    seen = progress.get("turns")
    if not isinstance(seen, int) or not 0 < seen <= len(turns):
        return 1, turns
    sizes, last = progress.get("last"), turns[seen - 1]
    if isinstance(sizes, list) and len(sizes) == len(_PARTS) and sizes != _sizes(last):
        read = (size if isinstance(size, int) and size >= 0 else 0 for size in sizes)
        rest = {name: getattr(last, name)[at:] for name, at in zip(_PARTS, read, strict=True)}
        return seen, [last._replace(prompt="", **rest), *turns[seen:]]
    return seen + 1, turns[seen:]


def _sizes(turn: Turn) -> list[int]:
    return [len(getattr(turn, name)) for name in _PARTS]


def agents_of(turns: Iterable[Turn], plan: Plan, before: str = "") -> list[str]:
    """Who was at work in each turn: whom its prompt calls, else who was at work before."""
    found: list[str] = []
    agent = before
    for turn in turns:
        prompt = Prompt(turn.prompt, agents=plan.agents, activations=plan.settings["activate"])
        if prompt.agent:
            agent = plan.agents.get(prompt.agent.lower(), prompt.agent)
        found.append(agent)
    return found
