"""The ``synapse`` profile: eight layers, four brackets.

Brackets, budgets and active layers are those of SYNAPSE Context Brackets; executor types those
of ADR-001 E7.
"""

from __future__ import annotations

from typing import Any

ALL = ("L0", "L1", "L2", "L3", "L4", "L5", "L6", "L7")

PROFILE: dict[str, Any] = {
    "name": "synapse",
    "tag": "synapse-rules",
    "brackets": (
        {
            "name": "FRESH",
            "floor": 60,
            "budget": 800,
            "label": "60–100%",
            "layers": ("L0", "L1", "L2", "L7"),
            "memory": "none",
            "handoff": False,
            "refresh": 10,
        },
        {
            "name": "MODERATE",
            "floor": 40,
            "budget": 1500,
            "label": "40–60%",
            "layers": ALL,
            "memory": "none",
            "handoff": False,
            "refresh": 10,
        },
        {
            "name": "DEPLETED",
            "floor": 25,
            "budget": 2000,
            "label": "25–40%",
            "layers": ALL,
            "memory": "summary",
            "handoff": False,
            "refresh": 5,
        },
        {
            "name": "CRITICAL",
            "floor": 0,
            "budget": 2500,
            "label": "less than 25%",
            "layers": ALL,
            "memory": "full",
            "handoff": True,
            "refresh": 3,
        },
    ),
    "layers": (
        ("L0", "constitution"),
        ("L1", "standing"),
        ("L2", "agent"),
        ("L3", "workflow"),
        ("L4", "task"),
        ("L5", "squad"),
        ("L6", "keyword"),
        ("L7", "star"),
    ),
    "sections": (
        "WITHDRAWN",
        "CONSTITUTION",
        "GLOBAL",
        "AGENT",
        "WORKFLOW",
        "SQUAD",
        "TASK",
        "KEYWORD",
        "MEMORY",
        "BRACKET",
        "STAR",
        "SYNAPSE",
        "HANDOFF",
        "DEVMODE",
        "NOTICE",
        "SUMMARY",
    ),
    "drop": (
        "SUMMARY",
        "KEYWORD",
        "MEMORY",
        "SQUAD",
        "ALWAYS_ON",
        "TASK",
        "WORKFLOW",
        "AGENT",
        "GLOBAL",
        "CUT_LINES",
        "SYNAPSE",
        "STAR",
        "AUTHORITY",
    ),
    "protected": (
        "NOTICE",
        "NON_NEGOTIABLE",
        "HANDOFF",
        "BRACKET",
        "WITHDRAWN",
        "CONSTITUTION_SHOULD",
        "CONSTITUTION",
    ),
    "lifetimes": {
        "WITHDRAWN": "turn",
        "KEYWORD": "recall",
        "STAR": "turn",
        "SYNAPSE": "turn",
        "DEVMODE": "turn",
        "SUMMARY": "turn",
    },
    "recall_prompts": 5,
    "executors": {
        "Agente": ALL,
        "Worker": ("L0", "L1"),
        "Humano": ("L0", "L1", "L4"),
        "Clone": ("L0", "L1", "L2", "L4"),
    },
}
