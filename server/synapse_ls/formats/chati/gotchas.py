"""Known pitfalls: ``chati.dev/intelligence/gotchas.yaml``, and the JSON files of two trackers.

All of them number their entries ``G001`` upwards, each for itself. JSON is YAML, so one reader does.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.formats.problem import Parsed, Text
from synapse_ls.formats.yaml_tree import Node, parse_yaml


@dataclass(frozen=True, slots=True)
class GotchaFile:
    """``ids`` are those of the entries, in the order of the file."""

    ids: tuple[Text, ...]


def parse(text: str) -> Parsed[GotchaFile]:
    """Read a store of pitfalls. Problem kinds: those of `parse_yaml`."""
    root, problems = parse_yaml(text)
    held = _entries(root)
    found = (item.followed.text("id") for item in (held.items if held else ()))
    return Parsed(GotchaFile(tuple(id for id in found if id is not None and id.value)), problems)


def _entries(root: Node | None) -> Node | None:
    if root is None:
        return None
    return root if root.kind == "sequence" else root.get("gotchas")
