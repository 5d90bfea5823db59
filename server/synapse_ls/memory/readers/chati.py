"""The memories of a Chati tree: ``.chati/memories/{shared|AGENT}/{durable|daily|session}/*.md``, each
agent's ``MEMORY.md``, and its pitfalls.

What lies in an agent's own folder is its own, unless its front matter shares it.
"""

from __future__ import annotations

import os

from synapse_ls.formats.memory_fields import STORAGES
from synapse_ls.memory.readers import agent_memory
from synapse_ls.memory.record import Record
from synapse_ls.memory.record import parse as parse_record
from synapse_ls.text.front_matter import split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

HOME: Final = ".chati/memories"
SHARED: Final = "shared"
AGENT_FILE: Final = "MEMORY.md"
PITFALLS: Final = (
    f"{HOME}/{SHARED}/gotchas.json",
    ".chati/gotchas.json",
    "chati.dev/intelligence/gotchas.yaml",
)


def files(root: str) -> Iterator[str]:
    """The files with memories, by path from the root; links are not followed."""
    if os.path.islink(f"{root}/.chati"):
        return
    for owner in _names(f"{root}/{HOME}"):
        base = f"{HOME}/{owner}"
        for name in _names(f"{root}/{base}"):
            path = f"{base}/{name}"
            if name in STORAGES:
                for one in _names(f"{root}/{path}"):
                    if one.endswith(".md") and is_file(f"{root}/{path}/{one}"):
                        yield f"{path}/{one}"
            elif name.endswith(".md") and is_file(f"{root}/{path}"):
                yield path
    for path in PITFALLS:
        if is_file(f"{root}/{path}"):
            yield path


def parse(text: str, path: str) -> tuple[Record, ...]:
    """The records in one of those files; none in what cannot be read. Never raises."""
    if path in PITFALLS:
        from synapse_ls.memory.readers import gotchas

        return gotchas.parse(text, path)
    owner = path.removeprefix(f"{HOME}/").partition("/")[0]
    agent = "" if owner == SHARED else owner
    if path.rpartition("/")[2] == AGENT_FILE and split(text) is None:
        return agent_memory.parse(text, path, agent)
    record = parse_record(text, path)
    head = split(text)
    said = head.get("scope") if head else None
    if agent and (said is None or said.value != SHARED):
        record = record.replaced(scope="private", agent=agent)
    return (record,)


def _names(folder: str) -> list[str]:
    if os.path.islink(folder):
        return []
    try:
        return sorted(name for name in os.listdir(folder) if name[0] not in "._")
    except OSError:
        return []


def is_file(path: str) -> bool:
    """Whether ``path`` is a file, and no link to one."""
    return os.path.isfile(path) and not os.path.islink(path)
