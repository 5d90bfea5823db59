"""The ``brainiac`` profiles: one for each process of Brainiac Context Ordering.

Least to most likely to change: identity, short-term memory, what the prompt recalls of the long-term
memory, the prompt. There are no brackets: one budget holds always. Over it the memories go first,
the least relevant first, then events, the oldest first; the rest stays.
"""

from __future__ import annotations

from typing import Any

BUDGET = 8_000
"""Tokens of a text, unless the configuration says otherwise (``[brainiac] budget``)."""

MEMORIES = 10
"""Memories that a text tells at most, unless the configuration says otherwise."""

SHORT_TERM = ("loose", "summary", "data", "goals", "facts", "tasks", "other", "note", "event")
"""The parts of the short-term memory, in the order in which they are told."""

_HEADINGS = {
    "IDENTITY": "## Core Identity",
    "STM": "## Short-Term Memory",
    "LTM": "## Relevant Long-Term Memory",
    "EVENT": "## New Event",
    "LOG": "## STM Event Log",
    "CANDIDATES": "## Promotion Candidates",
    "ACCESS": "## Access Patterns",
    "STRUCTURE": "## Current LTM Structure",
    "GOALS": "## Reorganization Goals",
    "PROMPT": "## User Prompt",
    "NOTICE": "## Notice",
    "SYNAPSE": "## Synapse",
    "DEVMODE": "## DEVMODE Status",
}
_ASIDE = ("NOTICE", "SYNAPSE", "DEVMODE")
_MODULES = {
    "IDENTITY": "identity",
    "STM": "short_term",
    "LTM": "long_term",
    "EVENT": "new_event",
    "LOG": "event_log",
    "CANDIDATES": "prepared",
    "ACCESS": "prepared",
    "STRUCTURE": "prepared",
    "GOALS": "prepared",
}
_ROLES = {"identity": ("IDENTITY",), "short-term": ("STM", "LOG"), "memory": ("LTM",)}


def _process(
    name: str,
    *order: str,
    headings: dict[str, str] | None = None,
    state: tuple[str, ...] = ("summary", "data", "goals", "facts", "tasks"),
    newest: bool = True,
) -> dict[str, Any]:
    """The profile of a process whose sections are ``order``.

    headings: its own names for sections. state: the parts of the short-term memory by which memories
    are found whatever the prompt. newest: whether its short-term memory has the newest event.
    """
    asked: dict[str, str] = {}  # module -> the first section that it gives
    for section in order:
        if section != "PROMPT":
            asked.setdefault(_MODULES[section], section)
    layers = tuple((section, f"brainiac.{module}") for module, section in asked.items())
    sections = (*(section for section in order if section != "PROMPT"), *_ASIDE, "PROMPT")
    return {
        "name": name,
        "source": "brainiac",
        "layout": {"open": "", "between": "\n\n", "close": "", "indent": ""},
        "layers": layers,
        "parts": ("brainiac.notice", "brainiac.answers", "brainiac.devmode", "brainiac.prompt"),
        "closing": (),
        "unbudgeted": ("DEVMODE", "SYNAPSE"),
        "handoff_below": 0,
        "withdrawn": "brainiac.withdrawn",
        "home": "system/, memory/",
        "brackets": (
            {
                "name": "ALWAYS",
                "floor": 0,
                "budget": BUDGET,
                "label": "0–100%",
                "layers": tuple(layer for layer, _ in layers),
                "memory": "none",
                "memory_tokens": 0,
                "handoff": False,
                "refresh": 10,
            },
        ),
        "sections": ("WITHDRAWN", *sections),
        "drop": ("LTM", "EVENT", "CUT_LINES"),
        "protected": ("DEVMODE", "SYNAPSE", "NOTICE", "STM", "WITHDRAWN", "PROMPT", "IDENTITY"),
        "lifetimes": {"WITHDRAWN": "turn", "PROMPT": "turn", "SYNAPSE": "turn", "DEVMODE": "turn"},
        "recall_prompts": 5,
        "executors": {},
        "deciders": dict.fromkeys(_ROLES, "brainiac.taking"),
        "takes": {
            role: section
            for role, possible in _ROLES.items()
            for section in order
            if section in possible
        },
        "headings": {**_HEADINGS, **(headings or {})},
        "state": state,
        "newest": newest,
        "memories": MEMORIES,
        "prompts": "PROMPT" in order,
    }


PROFILE = _process("brainiac", "IDENTITY", "STM", "LTM", "PROMPT")
"""The core loop."""

REFLECTION = _process(
    "brainiac-reflection",
    *("IDENTITY", "STM", "EVENT", "PROMPT"),
    headings={"STM": "## Current STM"},
    newest=False,
)
PROMOTION = _process(
    "brainiac-promotion",
    *("IDENTITY", "LOG", "LTM", "CANDIDATES"),
    headings={"LTM": "## Existing LTM"},
    state=("event", "facts"),
)
ORGANIZATION = _process("brainiac-organization", "IDENTITY", "ACCESS", "STRUCTURE", "GOALS")

PROCESSES = {
    "core-loop": "brainiac",
    "reflection": "brainiac-reflection",
    "promotion": "brainiac-promotion",
    "organization": "brainiac-organization",
}
"""The four processes, and the profile of each."""
