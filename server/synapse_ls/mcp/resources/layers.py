"""``synapse://layers/L0`` to ``L7``: what one layer has in the block of the current session."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.account import LAYER_NAMES
from synapse_ls.engine.plan import Plan
from synapse_ls.engine.render import section_text
from synapse_ls.mcp.resources.family import Family, Listed
from synapse_ls.mcp.situation import asked


def _listed(_: Plan | None) -> Iterator[Listed]:
    for layer, name in LAYER_NAMES.items():
        yield Listed(layer, f"{layer} {name}", f"What the {name} layer has in the block now")


def _read(root: str, key: str) -> str | None:
    layer = key.upper()
    if layer not in LAYER_NAMES:
        return None
    sent = asked(root, {}).assembly.sent
    return "\n\n".join(section_text(section) for section in sent if section.layer == layer)


FAMILY = Family(
    "layers",
    "Layer",
    "What one of the layers L0 to L7 has in the block of the current session",
    _listed,
    _read,
    argument="layer",
)
