"""The tables of the profiles ``carl`` and ``carl-v2``, in the order of CARL v1's block.

Brackets begin at 60, 40 and 25 percent (``carl-v2``: 70, 40 and 15), and the block is sent again
every ten prompts (five), as CARL does. CARL has no budgets; every bracket gets 60,000 characters,
the most that a client accepts from a hook.
"""

from typing import Any

from synapse_ls.engine.compiled_plan import bracket_rows

LAYERS = ("L1", "L6", "L7")
BUDGET = 15_000  # tokens


def make_brackets(floors: tuple[int, int, int], refresh: int) -> tuple[dict[str, Any], ...]:
    """Return the four brackets that the CARL profiles have, the last of which begins below the
    others.
    """
    fresh, moderate, depleted = floors
    end, most = f"less than {depleted}%", f"{fresh}–100%"
    return bracket_rows(
        ("FRESH", fresh, BUDGET, most, LAYERS, "none", 0, False, refresh),
        ("MODERATE", moderate, BUDGET, f"{moderate}–{fresh}%", LAYERS, "none", 0, False, refresh),
        ("DEPLETED", depleted, BUDGET, f"{depleted}–{moderate}%", LAYERS, "summary", 200, False, 5),
        ("CRITICAL", 0, BUDGET, end, LAYERS, "full", 1000, False, 3),
    )


# In render order.
_SECTIONS = (
    "WITHDRAWN", "WARNING", "BRACKET", "BRACKET_RULES", "STAR", "SYNAPSE", "DEVMODE", "DISABLED",
    "LOADED", "EXCLUSION", "EXCLUDED", "STANDING", "KEYWORD", "MEMORY", "AVAILABLE", "NOTICE",
)  # fmt: skip
# Classes of entries, the first to be dropped first.
_DROP = (
    "SUMMARY", "KEYWORD", "MEMORY", "ALWAYS_ON", "CORRECTION", "GLOBAL", "CUT_LINES",
    "PROHIBITION", "SYNAPSE", "STAR",
)  # fmt: skip

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
        "systems.synapse.layers.memory_section",
        "supplementary_sections.answer_section",
        "systems.carl.layers.devmode_section",
        "systems.carl.layers.disabled_section",
        "systems.carl.layers.exclusion_section",
        "systems.carl.layers.excluded_section",
        "systems.carl.layers.available_section",
    ),
    "closing": ("systems.carl.layers.loaded_section", "supplementary_sections.notice_section"),
    "unbudgeted": ("SYNAPSE",),
    "handoff_below": 0,
    "brackets": make_brackets((60, 40, 25), 10),
    "layers": (
        ("L1", "systems.carl.layers.global_sections"),
        ("L7", "systems.carl.layers.star_command_sections"),
        ("L6", "systems.carl.layers.keyword_sections"),
    ),
    "sections": _SECTIONS,
    "drop": _DROP,
    "protected": ("NOTICE", "DEVMODE", "LOADED", "BRACKET", "WITHDRAWN"),
    "lifetimes": {
        **dict.fromkeys(
            ("WITHDRAWN", "STAR", "SYNAPSE", "LOADED", "EXCLUSION", "EXCLUDED", "AVAILABLE"), "turn"
        ),
        "KEYWORD": "recall",
    },
    "recall_prompts": 5,
    "executors": {},
}


V2_PROFILE: dict[str, Any] = {
    **PROFILE,
    "name": "carl-v2",
    "brackets": make_brackets((70, 40, 15), 5),
}
