"""The ``carl`` profile: the sections of CARL v1's block, in its order.

Brackets begin at 60, 40 and 25 percent. CARL has no budgets: every bracket has that of 10,000
characters, more than which clients do not accept of a hook. Rules stand in every bracket, and the
block is told again every ten prompts, as CARL does.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.engine.profiles import synapse

LAYERS = ("L1", "L6", "L7")
BUDGET = 2500


def brackets(floors: tuple[int, int, int], refresh: int) -> tuple[dict[str, Any], ...]:
    """The four brackets, the last of which begins below the others."""
    fresh, moderate, depleted = floors
    rows = (
        ("FRESH", fresh, f"{fresh}–100%", "none", 0, refresh),
        ("MODERATE", moderate, f"{moderate}–{fresh}%", "none", 0, refresh),
        ("DEPLETED", depleted, f"{depleted}–{moderate}%", "summary", 200, 5),
        ("CRITICAL", 0, f"less than {depleted}%", "full", 1000, 3),
    )
    return tuple(
        {
            "name": name,
            "floor": floor,
            "budget": BUDGET,
            "label": label,
            "layers": LAYERS,
            "memory": memory,
            "memory_tokens": tokens,
            "handoff": False,
            "refresh": again,
        }
        for name, floor, label, memory, tokens, again in rows
    )


PROFILE: dict[str, Any] = {
    "name": "carl",
    "source": "carl",
    "home": ".carl/",
    "matching": "substring",
    "called": ("synapse", "carl"),
    "layout": {
        "open": "<carl-rules>\n",
        "between": "\n\n",
        "close": "\n</carl-rules>",
        "indent": "  ",
    },
    "parts": (
        *(part for part in synapse.PROFILE["parts"] if not part.startswith("handoff.")),
        "carl.devmode",
        "carl.disabled",
        "carl.loaded",
        "carl.exclusion",
        "carl.excluded",
        "carl.available",
    ),
    "closing": ("standard.notice",),
    "unbudgeted": ("SYNAPSE",),
    "handoff_below": 0,
    "brackets": brackets((60, 40, 25), 10),
    "layers": (("L1", "carl.standing"), ("L7", "carl.star"), ("L6", "carl.matched")),
    "sections": (
        "WITHDRAWN",
        "WARNING",
        "BRACKET",
        "BRACKET_RULES",
        "STAR",
        "SYNAPSE",
        "DEVMODE",
        "DISABLED",
        "LOADED",
        "EXCLUSION",
        "EXCLUDED",
        "STANDING",
        "KEYWORD",
        "MEMORY",
        "AVAILABLE",
        "NOTICE",
    ),
    "drop": (
        "SUMMARY",
        "KEYWORD",
        "MEMORY",
        "ALWAYS_ON",
        "CORRECTION",
        "GLOBAL",
        "CUT_LINES",
        "SYNAPSE",
        "STAR",
    ),
    "protected": ("NOTICE", "DEVMODE", "BRACKET", "WITHDRAWN"),
    "lifetimes": {
        "WITHDRAWN": "turn",
        "KEYWORD": "recall",
        "STAR": "turn",
        "SYNAPSE": "turn",
        "LOADED": "turn",
        "EXCLUSION": "turn",
        "EXCLUDED": "turn",
        "AVAILABLE": "turn",
    },
    "recall_prompts": 5,
    "executors": {},
}
