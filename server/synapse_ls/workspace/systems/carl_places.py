"""This module lists the places of CARL's files: v1's manifest and rule files, and v2's
``carl.json``.

CARL's own sessions (``.carl/sessions``) are no part of a tree: what they override is read
when a prompt is answered, and nothing writes there.
"""

from __future__ import annotations

from synapse_ls.workspace.file_kinds import FileKind, Place
from synapse_ls.workspace.tree_folders import CARL, CARL_FILE

PLACES = (Place(CARL_FILE, FileKind.CARL), Place(CARL, None))
