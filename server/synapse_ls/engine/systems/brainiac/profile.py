"""The tables of the ``brainiac`` profiles: one for each process of Brainiac Context Ordering.

Ordered from least to most likely to change: identity, short-term memory, recalled long-term memory,
prompt. There are no brackets and one budget. Over it, memories go first, the least relevant first,
then events, the oldest first; the rest stays.
"""

from typing import Any

from synapse_ls.engine.compiled_plan import bracket_rows

# Tokens of a text, unless the configuration says otherwise (``[brainiac] budget``).
BUDGET = 8_000

# Memories that a text tells at most, unless the configuration says otherwise.
MAX_MEMORIES = 10

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
_SUPPLEMENTARY_SECTIONS = ("NOTICE", "SYNAPSE", "DEVMODE")
_LAYER_FUNCTIONS = {
    "IDENTITY": "identity_sections",
    "STM": "short_term_sections",
    "LTM": "long_term_sections",
    "EVENT": "new_event_sections",
    "LOG": "event_log_sections",
    "CANDIDATES": "maintenance_sections",
    "ACCESS": "maintenance_sections",
    "STRUCTURE": "maintenance_sections",
    "GOALS": "maintenance_sections",
}
_ROLE_SECTIONS = {"identity": ("IDENTITY",), "short-term": ("STM", "LOG"), "memory": ("LTM",)}


def _process_profile(
    name: str,
    *order: str,
    headings: dict[str, str] | None = None,
    state: tuple[str, ...] = ("summary", "data", "goals", "facts", "tasks"),
    newest: bool = True,
) -> dict[str, Any]:
    """Return the profile of a process whose sections are ``order``.

    headings: its own names for sections. state: the parts of the short-term memory by which
    memories are found whatever the prompt. newest: whether its short-term memory has the newest
    event.
    """
    first_sections: dict[str, str] = {}  # module -> the first section that it gives
    for section in order:
        if section != "PROMPT":
            first_sections.setdefault(_LAYER_FUNCTIONS[section], section)
    layers = tuple(
        (section, f"systems.brainiac.layers.{name}") for name, section in first_sections.items()
    )
    sections = (
        *(section for section in order if section != "PROMPT"),
        *_SUPPLEMENTARY_SECTIONS,
        "PROMPT",
    )
    return {
        "name": name,
        "source": "brainiac",
        "layout": {"open": "", "between": "\n\n", "close": "", "indent": ""},
        "layers": layers,
        "parts": (
            "systems.brainiac.layers.notice_section",
            "systems.brainiac.layers.answer_section",
            "systems.brainiac.layers.devmode_section",
            "systems.brainiac.layers.prompt_section",
        ),
        "closing": (),
        "unbudgeted": ("DEVMODE", "SYNAPSE"),
        "handoff_below": 0,
        "withdrawn": "systems.brainiac.layers.withdrawn_section",
        "home": "system/, memory/",
        "brackets": bracket_rows(
            ("ALWAYS", 0, BUDGET, "0–100%", tuple(dict(layers)), "none", 0, False, 10)
        ),
        "sections": ("WITHDRAWN", *sections),
        "drop": ("LTM", "EVENT", "CUT_LINES"),
        "protected": ("DEVMODE", "SYNAPSE", "NOTICE", "STM", "WITHDRAWN", "PROMPT", "IDENTITY"),
        "lifetimes": {"WITHDRAWN": "turn", "PROMPT": "turn", "SYNAPSE": "turn", "DEVMODE": "turn"},
        "recall_prompts": 5,
        "executors": {},
        "deciders": dict.fromkeys(_ROLE_SECTIONS, "systems.brainiac.layers"),
        "takes": {
            role: section
            for role, possible in _ROLE_SECTIONS.items()
            for section in order
            if section in possible
        },
        "headings": {**_HEADINGS, **(headings or {})},
        "state": state,
        "newest": newest,
        "memories": MAX_MEMORIES,
        "prompts": "PROMPT" in order,
    }


# The core loop.
PROFILE = _process_profile("brainiac", "IDENTITY", "STM", "LTM", "PROMPT")

REFLECTION = _process_profile(
    "brainiac-reflection",
    *("IDENTITY", "STM", "EVENT", "PROMPT"),
    headings={"STM": "## Current STM"},
    newest=False,
)
PROMOTION = _process_profile(
    "brainiac-promotion",
    *("IDENTITY", "LOG", "LTM", "CANDIDATES"),
    headings={"LTM": "## Existing LTM"},
    state=("event", "facts"),
)
ORGANIZATION = _process_profile("brainiac-organization", "IDENTITY", "ACCESS", "STRUCTURE", "GOALS")

# The four processes, and the profile of each.
PROCESSES = {
    "core-loop": "brainiac",
    "reflection": "brainiac-reflection",
    "promotion": "brainiac-promotion",
    "organization": "brainiac-organization",
}
