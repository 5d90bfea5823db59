"""The table of the profile ``chati``: five layers that shrink as the window fills.

Brackets, budgets and layers follow the tables "Layer Activation by Bracket" and "Integration with
Memory Layer" of Chati Context Engine, which count over its prose, and Article XII: below 15 percent
the hand-off is mandatory.
"""

from typing import Any

ALL_LAYERS = ("L0", "L1", "L2", "L3", "L4")

PROFILE: dict[str, Any] = {
    "name": "chati",
    "source": "chati",
    "home": "chati.dev/",
    "markup": "xml",
    "layout": {
        "open": '<chati-context bracket="{bracket}">\n',
        "between": "\n\n",
        "close": "\n</chati-context>",
        "indent": "    ",
    },
    "brackets": (
        {
            "name": "FRESH",
            "floor": 60,
            "budget": 2500,
            "label": "60–100%",
            "layers": ALL_LAYERS,
            "memory": "none",
            "memory_tokens": 0,
            "handoff": False,
            "refresh": 10,
        },
        {
            "name": "MODERATE",
            "floor": 40,
            "budget": 2000,
            "label": "40–60%",
            "layers": ALL_LAYERS,
            "memory": "metadata",
            "memory_tokens": 50,
            "handoff": False,
            "refresh": 10,
        },
        {
            "name": "DEPLETED",
            "floor": 25,
            "budget": 1500,
            "label": "25–40%",
            "layers": ("L0", "L1", "L2"),
            "memory": "chunks",
            "memory_tokens": 200,
            "handoff": False,
            "refresh": 5,
        },
        {
            "name": "CRITICAL",
            "floor": 0,
            "budget": 800,
            "label": "less than 25%",
            "layers": ("L0", "L1"),
            "memory": "full",
            "memory_tokens": 1000,
            "handoff": True,
            "refresh": 3,
        },
    ),
    "handoff_below": 15,
    # Where only turns are known: a window is taken to last for so many (Chati.dev's bracket
    # tracker).
    "turns": 40,
    "layers": (
        ("L0", "systems.chati.layers.constitution_sections"),
        ("L1", "systems.chati.layers.mode_sections"),
        ("L2", "systems.chati.layers.agent_sections"),
        ("L3", "systems.chati.layers.pipeline_sections"),
        ("L4", "systems.chati.layers.task_sections"),
    ),
    "roles": {"session": "L3"},
    "deciders": {"handoff": "systems.chati.layers"},
    "parts": (
        "systems.chati.layers.memory_section",
        "systems.chati.layers.answer_section",
        "systems.chati.layers.handoff_section",
        "systems.chati.layers.continuation_section",
    ),
    "closing": ("systems.chati.layers.devmode_section", "systems.chati.layers.notice_section"),
    "withdrawn": "systems.chati.layers.withdrawn_section",
    "memory_length": "systems.chati.layers.memory_length",
    "unbudgeted": ("MEMORY", "DEVMODE", "SYNAPSE"),
    "sections": (
        "WITHDRAWN",
        "CONSTITUTION",
        "MODE",
        "GLOBAL",
        "AGENT",
        "PIPELINE",
        "WORKFLOW",
        "BACKLOG",
        "TASK",
        "HANDOFF",
        "REQUIRED",
        "CONTINUATION",
        "MEMORY",
        "SYNAPSE",
        "DEVMODE",
        "NOTICE",
    ),
    "drop": (
        "SUMMARY",
        "MEMORY",
        "HANDOFF",
        "BACKLOG",
        "TASK",
        "WORKFLOW",
        "PIPELINE",
        "AGENT_RULE",
        "CUT_LINES",
        "AUTHORITY",
        "AGENT",
        "SYNAPSE",
    ),
    "protected": ("NOTICE", "REQUIRED", "GLOBAL", "MODE", "WITHDRAWN", "CONSTITUTION"),
    "lifetimes": {"WITHDRAWN": "turn", "SYNAPSE": "turn", "DEVMODE": "turn"},
    "recall_prompts": 5,
    "executors": {},
}
