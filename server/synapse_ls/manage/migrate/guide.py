"""The block that CARL's installer keeps in ``CLAUDE.md``, and ours in its place."""

from __future__ import annotations

import re
from pathlib import Path

from synapse_ls.engine.profile import Profile
from synapse_ls.engine.profiles import registry
from synapse_ls.formats.managed import HOOK, block
from synapse_ls.manage.clients.client import Surroundings, shown
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.migrate.change import GUIDE, Change
from synapse_ls.manage.profile import LIVE
from synapse_ls.manage.sync.disk import Document, read
from synapse_ls.sync.markdown import by_hook
from synapse_ls.text.edit import TextEdit, apply_edits
from synapse_ls.text.span import Span

BEGIN = "<!-- CARL-MANAGED"
END = "<!-- END CARL-MANAGED -->"
FILES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")

_BLOCK = re.compile(r"<!-- CARL-MANAGED[^\r\n]*?-->.*?<!-- END CARL-MANAGED -->", re.DOTALL)


def guide_changes(
    around: Surroundings, *, user: bool
) -> tuple[list[Change], list[tuple[str, str]]]:
    """The files without CARL's block, and (file, why) of those that are left alone.

    ``user``: in the file that holds for all projects of this user, too.
    """
    changes: list[Change] = []
    left: list[tuple[str, str]] = []
    seen: set[Path] = set()
    mine = CLIENTS["claude"].home.folder(around.home)
    for folder, name in (*((around.root, name) for name in FILES), (mine, FILES[0])):
        found = read(folder, name)
        path = shown(folder / name, around)
        if (found.data is None and not found.refused) or found.real in seen:
            continue
        seen.add(found.real)
        if found.refused:
            left.append((path, found.refused))
            continue
        text = _without(found)
        if folder == mine and not user:
            if text != found.text:
                left.append((path, "it holds for all projects; --user replaces CARL's block there"))
            continue
        if text != found.text:
            data = found.encoded(text)
            changes.append(Change(GUIDE, path, found.real, found.data, data, "CARL's block"))
        if BEGIN in text or END in text:
            line = text.count("\n", 0, text.find(BEGIN if BEGIN in text else END)) + 1
            left.append((f"{path}:{line}", "CARL's block begins and does not end, or the reverse"))
    return changes, left


def _without(found: Document) -> str:
    """The text with our block in the place of the first of CARL's; others go."""
    table = registry.table(LIVE)
    assert table is not None
    told = block(HOOK, by_hook(Profile(table)))
    ours = [] if found.found is not None else [found.broken(told)]
    places = [Span(*match.span()) for match in _BLOCK.finditer(found.text)]
    edits = [TextEdit(place, ours.pop() if ours else "") for place in places]
    return apply_edits(found.text, edits)
