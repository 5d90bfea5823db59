"""The folders that make a tree, by name."""

from __future__ import annotations

TREE_FOLDERS = (".synapse",)
"""Folders that mark a root, in the order in which they are looked for. To add a home, add a name."""

TREE = TREE_FOLDERS[0]
MANIFEST = f"{TREE}/manifest"
CONFIG = f"{TREE}/config.toml"
SESSIONS = f"{TREE}/sessions"
TESTS = f"{TREE}/tests"
CHATI = "chati.dev"
"""The folder of a framework whose rules have another format."""
SQUADS = "squads"
"""Where squads are unless ``[paths]`` says otherwise."""


def is_session(path: str) -> bool:
    """Whether a path, relative to the root, is the session store or lies in it."""
    return path == SESSIONS or path.startswith(f"{SESSIONS}/")
