"""An agent that is renamed keeps what it remembers."""

from __future__ import annotations

from synapse_ls.formats.memory import MemoryDocument
from synapse_ls.manage.draft import Draft
from synapse_ls.sessions.names import file_stem
from synapse_ls.workspace.folders import MEMORIES
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import same_id
from synapse_ls.workspace.tree import Tree


def put_memories(draft: Draft, tree: Tree, old: str, new: str) -> None:
    """The agent's name in memories, and the folder of those that are its own."""
    _, agents = MEMORIES
    own, target = f"{agents}/{file_stem(old)}/", f"{agents}/{file_stem(new)}/"
    for path in tree.snapshot.paths(FileKind.MEMORY):
        facts = tree.snapshot.facts(path)
        memory = facts.document if facts else None
        named = memory.fields.get("agent") if isinstance(memory, MemoryDocument) else None
        if named is not None and same_id(named.value.removeprefix("@"), old):
            written = f'"@{new}"' if named.value.startswith("@") else new
            draft.put(path, named.span, written)
        if path.startswith(own):
            draft.rename(path, target + path[len(own) :])
