"""Names in a ``carl.json`` that nobody reads, and that look like one that is read."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.problem import Problem
from synapse_ls.text.jsonc import Element, Node
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span

# Path of an object -> the names that CARL v2 has in it; "*" is any name or item.
_NAMES = {
    (): ("version", "last_modified", "config", "domains", "staging"),
    ("config",): ("devmode", "post_compact_gate", "global_exclude", "context_brackets", "commands"),
    ("config", "context_brackets", "*"): ("enabled", "rules"),
    ("config", "commands", "*"): ("rules",),
    ("domains", "*"): ("state", "always_on", "recall", "exclude", "rules", "decisions"),
    ("domains", "*", "decisions", "*"): (
        ("id", "decision", "rationale", "date", "source", "recall", "status")
    ),
}


def misspelt(root: Node) -> Iterator[Problem]:
    """One problem for each such name, at its place."""
    for path, names in _NAMES.items():
        for member in _members(root, path):
            if meant := "" if member.key in names else nearest(member.key, names):
                span = Span(member.start, member.start + len(member.key) + 2)
                message = f"`{member.key[:40]}` is not read, so it has no effect."
                yield Problem("invalid-carl-json", span, message, f"Write `{meant}`.")


def _members(node: Node, path: tuple[str, ...]) -> Iterator[Element]:
    """The members of the objects at ``path``."""
    if not path:
        yield from node.elements if isinstance(node.value, dict) else ()
        return
    for element in node.elements:
        if path[0] in ("*", element.key):
            yield from _members(element.node, path[1:])
