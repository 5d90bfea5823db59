"""``synapse://layers/L0`` and so on: what one layer has in the block of the current session."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.account import LAYER_NAMES
from synapse_ls.engine.plan import Plan
from synapse_ls.engine.render import section_text
from synapse_ls.mcp.resources.family import Family, Listed
from synapse_ls.mcp.situation import asked


def _listed(plan: Plan | None) -> Iterator[Listed]:
    own = {layer for layer, _ in plan.profile_table["layers"]} if plan else set()
    for layer, name in LAYER_NAMES.items():
        if layer not in own:
            continue
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
    "What one of the layers of the profile (L0 to L7 of synapse) has in the block of the current session",
    _listed,
    _read,
    argument="layer",
)
