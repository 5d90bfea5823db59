"""This module puts the settings of hooks into a plugin, a program that a client loads, and finds
them there.

A client that calls no command has a plugin that does. The plugin holds, as a constant, the JSON that
other clients have in a settings file, so that it is registered, compared and examined like one.
"""

from __future__ import annotations

import re
from pathlib import Path

from synapse_ls.workspace.regular_files import read_whole

PLACEHOLDER = "const SETTINGS = {};"
_SETTINGS = re.compile(r"^const SETTINGS = (\{ *$.*?^\});", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"[^\r\n]")


def read_plugin(folder: Path) -> str:
    """Returns the plugin that is to be filled with settings, whose own part is in ``folder``:
    before it stands what calls the hook, which all plugins share.
    """
    parts = (Path(__file__).with_name("hook_caller.js"), folder / "plugin.js")
    return "\n".join(read_whole(part).decode() for part in parts)


def fill_plugin(code: str, settings: str) -> str:
    """Returns a plugin with ``settings``, which are JSON over several lines."""
    return code.replace(PLACEHOLDER, PLACEHOLDER.replace("{}", settings.strip()), 1)


def holds_settings(text: str) -> bool:
    """Tells whether a program is a plugin with settings in it."""
    return _find_settings(text) is not None


def blank_code(text: str) -> str:
    """Returns a plugin with spaces for all but its settings, which stay where they are; a text
    without settings stays as it is.
    """
    found = _find_settings(text)
    if found is None:
        return text
    before, after = text[: found.start(1)], text[found.end(1) :]
    return _CODE.sub(" ", before) + found[1] + _CODE.sub(" ", after)


def _find_settings(text: str) -> re.Match[str] | None:
    return _SETTINGS.search(text.replace("\r", " "))
