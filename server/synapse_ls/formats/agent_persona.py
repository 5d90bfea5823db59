"""Who an agent is: role, manner, and the words with which it greets and leaves (ADR-001 C3).

In AIOX definitions that is said by ``persona`` and ``persona_profile``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from synapse_ls.formats import fields as lines
from synapse_ls.formats.yaml_tree import Node
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span

LEVELS = ("minimal", "named", "archetypal")
"""The greetings that a definition may have, the shortest first."""

_LABELLED = 60  # lines at the beginning of a file in which labels are about the agent
_GROUPS = ("persona", "persona_profile")
_KEYS = ("role", "style", "identity", "focus", "archetype", "tone", "signature_closing")


@dataclass(frozen=True, slots=True)
class Persona:
    """What a definition says of the person an agent is; "" is what it does not say.

    ``greetings``: (level, the agent's words), for those of `LEVELS` that it has. ``signature``: the
    words with which it closes.
    """

    role: str = ""
    style: str = ""
    identity: str = ""
    focus: str = ""
    archetype: str = ""
    tone: str = ""
    greetings: tuple[tuple[str, str], ...] = ()
    signature: str = ""

    def greeting(self, level: str) -> str:
        """The agent's words at a level, "" where it has none."""
        return dict(self.greetings).get(level, "")


NOBODY = Persona()
"""Of whom nothing is said."""


def of_block(root: Node) -> Persona:
    """The persona of a definition that YAML reads."""
    person, profile = root.get("persona"), root.get("persona_profile")
    manner = profile.get("communication") if profile else None
    greetings = manner.get("greeting_levels") if manner else None
    found: dict[str, str] = {}
    for node in (manner, profile, person):
        for key in _KEYS:
            value = node.scalar(key).strip() if node else ""
            if value:
                found[key] = value
    for level in LEVELS:
        value = greetings.scalar(level).strip() if greetings else ""
        if value:
            found[level] = value
    return _persona(found)


def of_lines(text: str, block: Span) -> Persona:
    """What lines alone tell of it in a block that YAML refuses."""
    found: dict[str, str] = {}
    group = ""
    for first, last in iter_lines(block.cut(text)):
        line = text[block.start + first : block.start + last]
        pair = lines.field(line.lstrip())
        if pair is None:
            continue
        key, value = pair
        if line[:1] not in (" ", "\t"):
            group = key
        elif group in _GROUPS and key in (*_KEYS, *LEVELS) and value.value:
            found.setdefault(key, value.value)
    return _persona(found)


def of_labels(text: str) -> Persona:
    """What list items with bold labels tell of it in a file without any block: ``- **Role**: …``."""
    found: dict[str, str] = {}
    for first, last in islice(iter_lines(text), _LABELLED):
        line = text[first:last].strip()
        pair = lines.field(line[2:]) if line.startswith(("- **", "* **")) else None
        if pair is not None and pair[0] in _KEYS and pair[1].value:
            found.setdefault(pair[0], pair[1].value)
    return _persona(found)


def _persona(found: Mapping[str, str]) -> Persona:
    return Persona(
        **{key: found.get(key, "") for key in _KEYS[:-1]},
        greetings=tuple((level, found[level]) for level in LEVELS if level in found),
        signature=found.get("signature_closing", ""),
    )
