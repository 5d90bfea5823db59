"""This module holds the vocabulary of the profiles that read ``.synapse/``: what the words for
layers, sections and classes of entries mean, of which a section's is called like the section where
it has only one.
"""

from __future__ import annotations

from collections.abc import Mapping

LAYERS: Mapping[str, str] = {
    "L0": "the constitution",
    "L1": "rules for everything, and those of the bracket",
    "L2": "the active agent",
    "L3": "the active workflow",
    "L4": "the task at hand",
    "L5": "squads",
    "L6": "domains that a keyword or a file wakes",
    "L7": "star-commands",
}

SECTIONS: Mapping[str, str] = {
    "WITHDRAWN": "what no longer holds",
    "CONSTITUTION": "the constitution",
    "GLOBAL": "rules for everything",
    "AGENT": "boundaries and rules of the active agent",
    "WORKFLOW": "rules of the active workflow and its phase",
    "SQUAD": "rules of a squad",
    "TASK": "the task, its conditions and criteria",
    "KEYWORD": "rules that a keyword or a file has brought",
    "MEMORY": "memories",
    "BRACKET": "how much of the window is left, and the rules for that",
    "STAR": "star-commands of this prompt",
    "SYNAPSE": "answers to *synapse",
    "HANDOFF": "the warning that the window ends",
    "CONTINUATION": "where the last session was",
    "DEVMODE": "the debug view",
    "NOTICE": "what is wrong with a file",
    "SUMMARY": "how many rules of which domain are there",
}

CLASSES: Mapping[str, str] = {
    **{name: about for name, about in SECTIONS.items() if name not in ("CONTINUATION", "DEVMODE")},
    "ALWAYS_ON": "rules of domains that are always on",
    "ASKED": "what the prompt of a first block asks for (keyword, file, task's command), in `synapse-live`",
    "ASKED_FIRST": "what this prompt asks for, once something stands in the window",
    "CORRECTION": "memories of what a person has corrected",
    "CUT_LINES": "the lines that name what was left out",
    "AUTHORITY": "boundaries of the active agent",
    "NON_NEGOTIABLE": "rules of domains that are marked _NON_NEGOTIABLE",
    "CONSTITUTION_SHOULD": "articles of the constitution that only advise",
}
