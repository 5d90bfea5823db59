"""The turns of a session, from the transcript that its client writes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from synapse_ls.engine.plan import Plan
from synapse_ls.engine.prompt import Prompt
from synapse_ls.hosts.transcripts.history.reading import lines_of
from synapse_ls.hosts.transcripts.registry import HEAD, recognise
from synapse_ls.hosts.transcripts.turn import Turn


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
