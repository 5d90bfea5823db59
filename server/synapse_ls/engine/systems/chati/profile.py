"""The table of the profile ``chati``: five layers that shrink as the window fills.

Brackets, budgets and layers follow the tables "Layer Activation by Bracket" and "Integration with
Memory Layer" of Chati Context Engine, which count over its prose, and Article XII: below 15 percent
the hand-off is mandatory.
"""

from typing import Any

from synapse_ls.engine.compiled_plan import bracket_rows

ALL_LAYERS = ("L0", "L1", "L2", "L3", "L4")

# In render order.
_SECTIONS = (
    "WITHDRAWN", "CONSTITUTION", "MODE", "GLOBAL", "AGENT", "PIPELINE", "WORKFLOW", "BACKLOG",
    "TASK", "HANDOFF", "REQUIRED", "CONTINUATION", "MEMORY", "SYNAPSE", "DEVMODE", "NOTICE",
)  # fmt: skip
# Classes of entries, the first to be dropped first.
_DROP = (
    "SUMMARY", "MEMORY", "HANDOFF", "BACKLOG", "TASK", "WORKFLOW", "PIPELINE", "AGENT_RULE",
    "CUT_LINES", "AUTHORITY", "AGENT", "SYNAPSE",
)  # fmt: skip

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
    "brackets": bracket_rows(
        ("FRESH", 60, 2500, "60–100%", ALL_LAYERS, "none", 0, False, 10),
        ("MODERATE", 40, 2000, "40–60%", ALL_LAYERS, "metadata", 50, False, 10),
        ("DEPLETED", 25, 1500, "25–40%", ("L0", "L1", "L2"), "chunks", 200, False, 5),
        ("CRITICAL", 0, 800, "less than 25%", ("L0", "L1"), "full", 1000, True, 3),
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
    "sections": _SECTIONS,
    "drop": _DROP,
    "protected": ("NOTICE", "REQUIRED", "GLOBAL", "MODE", "WITHDRAWN", "CONSTITUTION"),
    "lifetimes": {"WITHDRAWN": "turn", "SYNAPSE": "turn", "DEVMODE": "turn"},
    "recall_prompts": 5,
    "executors": {},
}
