"""The tables of the profiles ``synapse`` and ``synapse-live``: eight layers, four brackets.

Brackets, budgets and active layers are those of SYNAPSE Context Brackets, executor types those of
ADR-001 E7. In ``synapse-live`` every triggered layer is active in every bracket, since on a large
window FRESH can last for hundreds of thousands of tokens.
"""

from typing import Any

from synapse_ls.engine.compiled_plan import bracket_rows

ALL_LAYERS = ("L0", "L1", "L2", "L3", "L4", "L5", "L6", "L7")

# In render order.
_SECTIONS = (
    "WITHDRAWN", "CONSTITUTION", "GLOBAL", "AGENT", "WORKFLOW", "SQUAD", "TASK", "KEYWORD",
    "MEMORY", "BRACKET", "STAR", "SYNAPSE", "HANDOFF", "CONTINUATION", "DEVMODE", "NOTICE",
    "SUMMARY",
)  # fmt: skip
# Classes of entries, the first to be dropped first.
_DROP = (
    "SUMMARY", "KEYWORD", "MEMORY", "SQUAD", "ALWAYS_ON", "TASK", "WORKFLOW", "GLOBAL", "ASKED",
    "AGENT", "CORRECTION", "ASKED_FIRST", "CUT_LINES", "PROHIBITION", "SYNAPSE", "STAR",
    "AUTHORITY",
)  # fmt: skip
_PROTECTED = (
    "NOTICE", "NON_NEGOTIABLE", "HANDOFF", "BRACKET", "WITHDRAWN", "CONSTITUTION_SHOULD",
    "CONSTITUTION",
)  # fmt: skip

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
    "brackets": bracket_rows(
        ("FRESH", 60, 800, "60–100%", ("L0", "L1", "L2", "L7"), "none", 0, False, 10),
        ("MODERATE", 40, 1500, "40–60%", ALL_LAYERS, "none", 0, False, 10),
        ("DEPLETED", 25, 2000, "25–40%", ALL_LAYERS, "summary", 200, False, 5),
        ("CRITICAL", 0, 2500, "less than 25%", ALL_LAYERS, "full", 1000, True, 3),
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
    "sections": _SECTIONS,
    "drop": _DROP,
    "protected": _PROTECTED,
    "lifetimes": {
        **dict.fromkeys(
            ("WITHDRAWN", "STAR", "SYNAPSE", "CONTINUATION", "DEVMODE", "SUMMARY"), "turn"
        ),
        "KEYWORD": "recall",
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
