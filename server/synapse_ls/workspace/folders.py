"""The folders that make a tree, by name."""

from __future__ import annotations

HOMES = (
    (".synapse", "synapse"),
    (".carl/manifest", "carl"),
    (".carl/carl.json", "carl"),
    ("chati.dev", "chati"),
    (".chati", "chati"),
    ("system/core_identity.md", "brainiac"),
    ("memory/short_term.md", "brainiac"),
)
"""What marks a root, in the order in which it is looked for, and the profile it speaks for."""

TREE = ".synapse"
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
