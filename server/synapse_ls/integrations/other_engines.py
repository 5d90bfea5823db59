"""This module recognises the hooks of other engines: the original engine of SYNAPSE, and CARL."""

from __future__ import annotations

import re

ORIGINAL_ENGINE, CARL_HOOK = "the original engine", "CARL's hook"
"""The engines that tell rules of the same trees, as sentences name them."""

_ENGINE = re.compile(
    r"""(?:^|[\s"'/])
        (?: synapse-(?:engine|wrapper) | precompact-(?:wrapper|session-digest|runner) )
        \.[cm]?js (?:[\s"']|$)""",
    re.VERBOSE,
)

_ENGINE_NAMES = ("aiox-session-init", "aiox-context-inject", "aiox-session-persist")
"""What the installer of the original engine calls its hooks where hooks have names."""

_CARL = re.compile(r"(?:^|[\s\"'/])carl-hook\.py(?:[\s\"']|$)")


def engine_title(command: str, name: str = "") -> str:
    """Returns which other engine a hook belongs to, "" for none: one that tells the rules of the
    same tree, or keeps notes about the same sessions.

    name: what the settings call the hook, for clients that name theirs.
    """
    if name in _ENGINE_NAMES or _ENGINE.search(command.replace("\\", "/")):
        return ORIGINAL_ENGINE
    return CARL_HOOK if is_carl_command(command) else ""


def is_carl_command(command: str) -> bool:
    """Tells whether a command line runs the hook of CARL, one of the other engines."""
    return _CARL.search(command.replace("\\", "/")) is not None
