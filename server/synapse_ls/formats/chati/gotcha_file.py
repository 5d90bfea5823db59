"""This module parses Chati's files of gotchas (known pitfalls):
``chati.dev/intelligence/gotchas.yaml``, and the JSON files of two trackers.

All of them number their entries ``G001`` upwards, each for itself. JSON is YAML, so one reader
does.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.parse_result import ParseResult, Text


@dataclass(frozen=True, slots=True)
class GotchaStore:
    """A GotchaStore has the ``ids`` of the gotchas in a Chati.dev file, in the order of the file."""

    ids: tuple[Text, ...]


def parse(text: str) -> ParseResult[GotchaStore]:
    """Parses a Chati.dev file of gotchas. Problem kinds: those of `parse_yaml`."""
    root, problems = parse_yaml(text)
    held = _find_entries(root)
    found = (item.target_node.text("id") for item in (held.items if held else ()))
    return ParseResult(
        GotchaStore(tuple(id for id in found if id is not None and id.value)), problems
    )


def _find_entries(root: YamlNode | None) -> YamlNode | None:
    if root is None:
        return None
    return root if root.kind == "sequence" else root.get("gotchas")
