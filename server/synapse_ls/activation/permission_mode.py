"""Load how freely the agent may act: the permission mode of the framework, and its badge (ADR-001
C5).

``permissions.mode`` in ``.aiox/config.yaml`` (``.aios/`` under its former name): explore, ask or
auto.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.activation.activation_loaders import LoaderSlot
from synapse_ls.activation.tree_files import TreeFiles
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.activation_folders import PERMISSION_FILES

DEFAULT_MODE = "ask"
MODES = {"explore": "🔍", "ask": "⚠️", "auto": "⚡"}
"""The modes with their icons: read only, ask before anything changes, act."""

MODE_ALIASES = {"safe": "explore", "readonly": "explore", "balanced": "ask", "yolo": "auto"}
_LONGEST_WORD = 40  # characters of a word that is no mode


@dataclass(frozen=True, slots=True)
class Permission:
    """The mode in force: ``mode`` is one of `MODES`; ``path``: the file that says so, "" where none
    does.
    """

    mode: str = DEFAULT_MODE
    path: str = ""

    @property
    def badge(self) -> str:
        """The mode in short: ``[⚠️ Ask]``."""
        return f"[{MODES[self.mode]} {self.mode.capitalize()}]"


def load(files: TreeFiles, slot: LoaderSlot) -> None:
    """Load the permission mode; the default one where nobody says anything that can be read."""
    slot.put(Permission())
    for path in PERMISSION_FILES:
        setting = files.parse_file("permission", path, _read_mode)
        if setting is None:
            continue
        mode, line = setting
        if mode is None:
            continue
        mode_name = MODE_ALIASES.get(mode.casefold(), mode.casefold())
        if mode_name in MODES:
            slot.put(Permission(mode_name, path))
            return
        suggestion = nearest_word(mode_name, (*MODES, *MODE_ALIASES))
        hint = f"did you mean {suggestion}?" if suggestion else f"it is one of {', '.join(MODES)}"
        slot.notes.append(
            f'{path}:{line}: there is no permission mode "{mode[:_LONGEST_WORD]}", so '
            f"{DEFAULT_MODE} holds ({hint})"
        )
        slot.put(Permission(DEFAULT_MODE, path))
        return


def _read_mode(text: str) -> tuple[str | None, int]:
    """Return the mode as it is written, None where there is none, and its line from 1."""
    from synapse_ls.formats.yaml_tree import parse_yaml

    root = parse_yaml(text).document
    permissions = root.get("permissions") if root else None
    mode = permissions.text("mode") if permissions else None
    if mode is None:
        return None, 0
    return mode.value.strip(), LineIndex(text).line_of(mode.span.start) + 1
