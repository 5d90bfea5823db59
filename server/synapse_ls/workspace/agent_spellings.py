"""Resolve any name of an agent, from a prompt, a client's own agent or a file, to its id.

Names are the id, the names and aliases in its definition, and the client's own agent for it:
``aiox-dev`` is ``dev``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from typing import Final

# What clients and frameworks write before an id: ``@agent-aiox-dev`` is how Claude Code mentions
# the agent of ``.claude/agents/aiox-dev.md``.
PREFIXES: Final = ("agent-", "aiox-", "aios-")


def find_agent_id(spellings: Mapping[str, str], written: str) -> str:
    """Return the id of the agent that ``written`` addresses, "" for none. spellings: every spelling
    in lower case -> id.
    """
    return next((spellings[name] for name in possible_names(written) if name in spellings), "")


def stands_for(known: Container[str], name: str) -> str:
    """Return the agent of ``known`` ids that a client's own agent stands for, "" where it is one of
    its own.
    """
    own, *aliases = possible_names(name)
    return next((other for other in aliases if other != own and other in known), "")


def possible_names(written: str) -> Iterator[str]:
    """Yield the ids that a name may mean, the name itself first: ``agent-aiox-dev``, ``aiox-dev``,
    ``dev``.
    """
    name = written.strip().removeprefix("@").lower()
    yield name
    _, colon, name_in_plugin = name.rpartition(":")
    if colon:
        name = name_in_plugin
        yield name
    for prefix in PREFIXES:
        if name.startswith(prefix) and len(name) > len(prefix):
            name = name[len(prefix) :]
            yield name
