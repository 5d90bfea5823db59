"""How freely the agent may act: the permission mode of the framework, and its badge (ADR-001 C5).

``permissions.mode`` in ``.aiox/config.yaml`` (``.aios/`` under its former name): explore, ask or auto.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synapse_ls.activation.files import Files
from synapse_ls.activation.loaders import Slot
from synapse_ls.text.lines import LineIndex
from synapse_ls.text.near import nearest

PLACES = (".aiox/config.yaml", ".aios/config.yaml")
DEFAULT = "ask"
MODES = {"explore": "🔍", "ask": "⚠️", "auto": "⚡"}
"""The modes with their icons: read only, ask before anything changes, act."""

ALIASES = {"safe": "explore", "readonly": "explore", "balanced": "ask", "yolo": "auto"}
_SHOWN = 40  # characters of a word that is no mode


@dataclass(frozen=True, slots=True)
class Permission:
    """``mode`` is one of `MODES`; ``path``: the file that says so, "" where none does."""

    mode: str = DEFAULT
    path: str = ""

    @property
    def badge(self) -> str:
        """It in short: ``[⚠️ Ask]``."""
        return f"[{MODES[self.mode]} {self.mode.capitalize()}]"

    def report(self) -> dict[str, Any]:
        """It as plain values."""
        return {"mode": self.mode, "badge": self.badge, "file": self.path or None}


def load(files: Files, slot: Slot) -> None:
    """The permission mode; the default one where nobody says anything that can be read."""
    slot.put(Permission())
    for path in PLACES:
        found = files.made("permission", path, _read)
        if found is None:
            continue
        mode, line = found
        if mode is None:
            continue
        known = ALIASES.get(mode.casefold(), mode.casefold())
        if known in MODES:
            slot.put(Permission(known, path))
            return
        meant = nearest(known, (*MODES, *ALIASES))
        hint = f"did you mean {meant}?" if meant else f"it is one of {', '.join(MODES)}"
        slot.notes.append(
            f'{path}:{line}: there is no permission mode "{mode[:_SHOWN]}", so {DEFAULT} holds ({hint})'
        )
        slot.put(Permission(DEFAULT, path))
        return


def _read(text: str) -> tuple[str | None, int]:
    """The mode as it is written, None where there is none, and its line from 1."""
    from synapse_ls.formats.yaml_tree import parse_yaml

    root = parse_yaml(text).document
    permissions = root.get("permissions") if root else None
    mode = permissions.text("mode") if permissions else None
    if mode is None:
        return None, 0
    return mode.value.strip(), LineIndex(text).line_of(mode.span.start) + 1
