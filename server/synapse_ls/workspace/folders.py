"""The folders that make a tree, by name."""

from __future__ import annotations

TREE_FOLDERS = (".synapse",)
"""Folders that mark a root, in the order in which they are looked for. To add a home, add a name."""

TREE = TREE_FOLDERS[0]
MANIFEST = f"{TREE}/manifest"
CONFIG = f"{TREE}/config.toml"
SQUADS = "squads"
"""Where squads are unless ``[paths]`` says otherwise."""
