"""This module reads the file with the configuration of a tree, without the rest of the tree."""

from __future__ import annotations

import os

from synapse_ls.workspace.file_reader import FileContent, RefusedError, read_file
from synapse_ls.workspace.tree_folders import CONFIG
from synapse_ls.workspace.trusted_places import LEADS_OUT, find_outside_link, trust_remedy


def read_configuration_file(root: str) -> FileContent | None:
    """Returns the text of the configuration of the tree in ``root``; None where there is none.

    Raises RefusedError for what is in its place and cannot be read, a link that leads nowhere or out
    of the project too. A tree that is behind such a link itself is not served, and has none.
    """
    path = os.path.join(root, CONFIG)
    if outside := find_outside_link(root, CONFIG):
        link, target = outside
        if link != CONFIG:
            return None
        raise RefusedError("outside", f"It is not read: {LEADS_OUT}.", trust_remedy(target))
    content = read_file(path)
    if content is None and os.path.lexists(path):
        raise RefusedError("broken-link", "The link leads to nothing, so nothing is read.")
    return content
