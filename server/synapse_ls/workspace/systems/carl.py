"""The files of CARL: v1's manifest and rule files, and v2's ``carl.json``.

CARL's own sessions (``.carl/sessions``) are no part of a tree: `synapse_ls.sessions.carl` reads what they
override, and nothing writes there.
"""

from __future__ import annotations

from synapse_ls.workspace.folders import CARL, CARL_FILE
from synapse_ls.workspace.kinds import FileKind, Place

PLACES = (Place(CARL_FILE, FileKind.CARL), Place(CARL, None))
