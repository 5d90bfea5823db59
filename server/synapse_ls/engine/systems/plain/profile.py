"""This module is the table of the profile ``plain``: named sections by priority
(neuron-context, ``PersistentContext``).

There is one bracket. Without a budget nothing goes; with one (``[plain] budget``) whole
sections go from the end and nothing is put in their place, so that what is left is still
what the library renders.
"""

from __future__ import annotations

from typing import Any

UNLIMITED = 1_000_000  # tokens: more than any context window

PROFILE: dict[str, Any] = {
    "name": "plain",
    "source": "plain",
    "layout": {"open": "", "between": "\n\n", "close": "", "indent": ""},
    "layers": (("SECTIONS", "systems.plain.section_layer"),),
    "parts": (
        "systems.brainiac.supplementary_sections.notice_section",
        "systems.brainiac.supplementary_sections.answer_section",
        "systems.brainiac.supplementary_sections.devmode_section",
    ),
    "closing": (),
    "unbudgeted": ("DEVMODE", "SYNAPSE", "NOTICE"),
    "handoff_below": 0,
    "withdrawn": "systems.brainiac.supplementary_sections.withdrawn_section",
    "home": ".synapse/",
    "brackets": (
        {
            "name": "ALWAYS",
            "floor": 0,
            "budget": UNLIMITED,
            "label": "0–100%",
            "layers": ("SECTIONS",),
            "memory": "none",
            "memory_tokens": 0,
            "handoff": False,
            "refresh": 10,
        },
    ),
    "sections": ("WITHDRAWN", "SECTION", "NOTICE", "SYNAPSE", "DEVMODE"),
    "drop": ("CUT_LINES", "SECTION"),
    "protected": ("DEVMODE", "SYNAPSE", "NOTICE", "WITHDRAWN"),
    "lifetimes": {"WITHDRAWN": "turn", "SYNAPSE": "turn", "DEVMODE": "turn"},
    "recall_prompts": 5,
    "executors": {},
    "deciders": {"section": "systems.plain.section_layer"},
    "headings": {"NOTICE": "## Notice", "SYNAPSE": "## Synapse", "DEVMODE": "## DEVMODE Status"},
}
