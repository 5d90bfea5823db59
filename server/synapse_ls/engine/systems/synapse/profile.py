"""The tables of the profiles ``synapse`` and ``synapse-live``: eight layers, four brackets.

Brackets, budgets and active layers are those of SYNAPSE Context Brackets; executor types
those of ADR-001 E7. ``synapse-live`` has every triggered layer awake in every bracket: on a
large window FRESH can last for hundreds of thousands of tokens; a workflow, a task, a squad
or a keyword that is at hand should not sleep that long. Budgets stay as they are, for what comes
after a window's first block, which is whole.
"""

from typing import Any

ALL_LAYERS = ("L0", "L1", "L2", "L3", "L4", "L5", "L6", "L7")

PROFILE: dict[str, Any] = {
    "name": "synapse",
    "source": "synapse",
    "layout": {
        "open": "<synapse-rules>\n\n",
        "between": "\n\n",
        "close": "\n\n</synapse-rules>",
        "indent": "  ",
    },
    "parts": (
        "systems.synapse.layers.memory_section",
        "supplementary_sections.answer_section",
        "supplementary_sections.warning_section",
        "supplementary_sections.continuation_section",
    ),
    "closing": (
        "supplementary_sections.devmode_section",
        "supplementary_sections.notice_section",
        "supplementary_sections.summary_section",
    ),
    "unbudgeted": ("DEVMODE", "SYNAPSE"),
    "handoff_below": 0,
    "brackets": (
        {
            "name": "FRESH",
            "floor": 60,
            "budget": 800,
            "label": "60–100%",
            "layers": ("L0", "L1", "L2", "L7"),
            "memory": "none",
            "memory_tokens": 0,
            "handoff": False,
            "refresh": 10,
        },
        {
            "name": "MODERATE",
            "floor": 40,
            "budget": 1500,
            "label": "40–60%",
            "layers": ALL_LAYERS,
            "memory": "none",
            "memory_tokens": 0,
            "handoff": False,
            "refresh": 10,
        },
        {
            "name": "DEPLETED",
            "floor": 25,
            "budget": 2000,
            "label": "25–40%",
            "layers": ALL_LAYERS,
            "memory": "summary",
            "memory_tokens": 200,
            "handoff": False,
            "refresh": 5,
        },
        {
            "name": "CRITICAL",
            "floor": 0,
            "budget": 2500,
            "label": "less than 25%",
            "layers": ALL_LAYERS,
            "memory": "full",
            "memory_tokens": 1000,
            "handoff": True,
            "refresh": 3,
        },
    ),
    "layers": (
        ("L0", "systems.synapse.layers.constitution_sections"),
        ("L1", "systems.synapse.layers.global_sections"),
        ("L2", "systems.synapse.layers.agent_sections"),
        ("L3", "systems.synapse.layers.workflow_sections"),
        ("L4", "systems.synapse.layers.task_sections"),
        ("L5", "systems.synapse.layers.squad_sections"),
        ("L6", "systems.synapse.layers.keyword_sections"),
        ("L7", "systems.synapse.layers.star_command_sections"),
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
        "CONTINUATION",
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
        "GLOBAL",
        "ASKED",
        "AGENT",
        "CORRECTION",
        "ASKED_FIRST",
        "CUT_LINES",
        "PROHIBITION",
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
        "CONTINUATION": "turn",
        "DEVMODE": "turn",
        "SUMMARY": "turn",
    },
    "asked": ("", "ASKED_FIRST"),
    "entering_memories": "corrections",
    "recall_prompts": 5,
    "executors": {
        "Agente": ALL_LAYERS,
        "Worker": ("L0", "L1"),
        "Humano": ("L0", "L1", "L4"),
        "Clone": ("L0", "L1", "L2", "L4"),
    },
}


LIVE_PROFILE: dict[str, Any] = {
    **PROFILE,
    "name": "synapse-live",
    "whole_first_block": True,
    "asked": ("ASKED", "ASKED_FIRST"),
    "entering_memories": "hot",
    "brackets": tuple({**row, "layers": ALL_LAYERS} for row in PROFILE["brackets"]),
}
