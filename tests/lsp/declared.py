"""What real editors say they can do: the capabilities of their ``initialize``, word for word.

Recorded from VS Code 1.139 with vscode-languageclient 11, Neovim 0.11 and the eglot of Emacs 29, each
set up as ``docs/editors.md`` has it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CLIENTS = ("vscode", "neovim", "emacs")


def capabilities(name: str) -> dict[str, Any]:
    """The ``ClientCapabilities`` of one of ``CLIENTS``, as decoded JSON that may be changed."""
    path = Path(__file__).parent / "declared" / f"{name}.json"
    declared: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return declared
