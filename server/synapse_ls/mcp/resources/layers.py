"""This module serves the MCP resources ``synapse://layers/L0`` and so on: what one layer has in the
block of the current session.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.block_renderer import render_section
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.rule_account import LAYER_NAMES
from synapse_ls.mcp.resources.resource_family import ResourceEntry, ResourceFamily
from synapse_ls.mcp.situation_arguments import query_answer


def _list_resources(plan: Plan | None) -> Iterator[ResourceEntry]:
    own = {layer for layer, _ in plan.profile_table["layers"]} if plan else set()
    for layer, name in LAYER_NAMES.items():
        if layer not in own:
            continue
        yield ResourceEntry(layer, f"{layer} {name}", f"What the {name} layer has in the block now")


def _read_resource(root: str, key: str) -> str | None:
    layer = key.upper()
    if layer not in LAYER_NAMES:
        return None
    sent = query_answer(root, {}).assembly.sent_sections
    return "\n\n".join(render_section(section) for section in sent if section.layer == layer)


FAMILY = ResourceFamily(
    "layers",
    "Layer",
    "What one of the layers of the profile (L0 to L7 of synapse) has in the block of the current session",
    _list_resources,
    _read_resource,
    argument="layer",
)
