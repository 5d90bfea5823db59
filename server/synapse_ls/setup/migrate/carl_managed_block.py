"""This module replaces the managed block that CARL's installer keeps in ``CLAUDE.md`` by ours."""

from __future__ import annotations

import re
from pathlib import Path

from synapse_ls.edits.profile_choice import LIVE_PROFILE
from synapse_ls.engine import builtin_profiles
from synapse_ls.engine.profile_model import Profile
from synapse_ls.formats.managed_block import HOOK, render_managed_block
from synapse_ls.integrations.client_definition import Surroundings, shown_path
from synapse_ls.integrations.instruction_files import render_hook_note
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.migrate.migration_change import GUIDE, MigrationChange
from synapse_ls.setup.sync.block_placement import ManagedDocument, read_document
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits

BLOCK_BEGIN = "<!-- CARL-MANAGED"
BLOCK_END = "<!-- END CARL-MANAGED -->"
GUIDE_FILES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")

_CARL_BLOCK = re.compile(r"<!-- CARL-MANAGED[^\r\n]*?-->.*?<!-- END CARL-MANAGED -->", re.DOTALL)


def guide_changes(
    around: Surroundings, *, user: bool
) -> tuple[list[MigrationChange], list[tuple[str, str]]]:
    """Returns the files without CARL's managed block, and (file, why) of those that are left alone.

    ``user``: in the file that holds for all projects of this user, too.
    """
    changes: list[MigrationChange] = []
    left: list[tuple[str, str]] = []
    seen: set[Path] = set()
    mine = CLIENTS["claude"].user_folder.resolve(around.home)
    for folder, name in (*((around.root, name) for name in GUIDE_FILES), (mine, GUIDE_FILES[0])):
        found = read_document(folder, name)
        path = shown_path(folder / name, around)
        if (found.data is None and not found.refusal) or found.real in seen:
            continue
        seen.add(found.real)
        if found.refusal:
            left.append((path, found.refusal))
            continue
        text = _replace_blocks(found)
        if folder == mine and not user:
            if text != found.text:
                left.append((path, "it holds for all projects; --user replaces CARL's block there"))
            continue
        if text != found.text:
            data = found.encode(text)
            changes.append(
                MigrationChange(GUIDE, path, found.real, found.data, data, "CARL's block")
            )
        if BLOCK_BEGIN in text or BLOCK_END in text:
            line = (
                text.count("\n", 0, text.find(BLOCK_BEGIN if BLOCK_BEGIN in text else BLOCK_END))
                + 1
            )
            left.append((f"{path}:{line}", "CARL's block begins and does not end, or the reverse"))
    return changes, left


def _replace_blocks(found: ManagedDocument) -> str:
    """Returns the text with our block in the place of the first of CARL's; others go."""
    table = builtin_profiles.load_profile_table(LIVE_PROFILE)
    assert table is not None
    told = render_managed_block(HOOK, render_hook_note(Profile(table)))
    ours = [] if found.managed is not None else [found.with_newlines(told)]
    places = [Span(*match.span()) for match in _CARL_BLOCK.finditer(found.text)]
    edits = [TextEdit(place, ours.pop() if ours else "") for place in places]
    return apply_edits(found.text, edits)
